// Structures as documents. `@Model` (module ReplModeling) writes these members; a program that does not want
// swift-syntax in its build writes them itself, as `notes` does.

import Bytes
public import JSON

/// A structure whose fields are slots of a map: a document, or a part of one.
public protocol Model: ModelElement, ModelContainer where Draft == ReplModels.Draft<Self> {
    /// Every stored field but the key.
    static var modelFields: [ModelField<Self>] { get }
    init(_ slot: ModelSlot) throws(Misfit)
}

/// A model that is a document: its key is the document's key, after the prefix of its collection.
public protocol KeyedModel: Model {
    associatedtype ModelKeyType: ModelKey
    var modelKey: ModelKeyType { get }
}

/// A type that names documents: `String`, `Int`, and what has one as raw value.
public protocol ModelKey: Hashable, Sendable {
    /// Nil for what is no key of the type.
    init?(key: String)
    /// 1 to 512 bytes of UTF-8 with the prefix.
    var key: String { get }
}

extension String: ModelKey {
    public init?(key: String) { self = key }
    public var key: String { self }
}

extension Int: ModelKey {
    /// Only as Swift writes it: `007` is another document than `7`.
    public init?(key: String) {
        guard let value = Int(key), value.description == key else { return nil }
        self = value
    }
    public var key: String { description }
}

extension ModelKey where Self: RawRepresentable, RawValue: ModelKey {
    public init?(key: String) {
        guard let raw = RawValue(key: key) else { return nil }
        self.init(rawValue: raw)
    }
    public var key: String { rawValue.key }
}

/// A field of a model: where it is in Swift and what it is called in documents.
public struct ModelField<Owner> {
    public let name: String
    /// Names that it had before: read where the document has none of the name.
    public let formerly: [String]
    let keyPath: PartialKeyPath<Owner>
    /// Whether an absent slot shows an initial value.
    let hasInitial: Bool
    /// By the value that an absent slot shows: for filters.
    let initial: PlainValue?
    let misfits: (ModelSlot) -> [Misfit]
    let write: (Owner, Owner?, ModelPlace) -> Void
    let skeleton: (Owner) -> PlainValue?
    let writeContainers: (Owner, ModelPlace) -> Void

    /// `name` in documents; `initial` is shown where the field is absent.
    public init<Value: ModelValue>(_ keyPath: KeyPath<Owner, Value>, _ name: String, initial: Value? = nil) {
        self.init(keyPath, name, formerly: [], initial)
    }

    /// One that was renamed; it is written under its new name.
    public init<Value: ModelScalar>(
        _ keyPath: KeyPath<Owner, Value>, _ name: String, formerly: [String], initial: Value? = nil
    ) {
        self.init(keyPath, name, formerly: formerly, initial)
    }

    public init<Value: ModelScalar>(
        _ keyPath: KeyPath<Owner, Value?>, _ name: String, formerly: [String], initial: Value?? = nil
    ) {
        self.init(keyPath, name, formerly: formerly, initial)
    }

    private init<Value: ModelValue>(
        _ keyPath: KeyPath<Owner, Value>, _ name: String, formerly: [String], _ initial: Value?
    ) {
        (self.name, self.formerly, self.keyPath, hasInitial) = (name, formerly, keyPath, initial != nil)
        self.initial = initial?.skeleton
        let hasInitial = hasInitial
        misfits = { $0.misfits(name, formerly, Value.self, hasInitial: hasInitial) }
        write = { new, old, place in
            let (new, old) = (new[keyPath: keyPath], old?[keyPath: keyPath])
            new.write(over: old, to: place.field(name))
            // It would show again under a name that it had.
            guard !formerly.isEmpty, let old, new != old, (new as? any AbsentValue)?.isAbsent == true else {
                return
            }
            for name in formerly { place.field(name).delete() }
        }
        skeleton = { $0[keyPath: keyPath].skeleton }
        writeContainers = { $0[keyPath: keyPath].writeContainers(to: $1.field(name)) }
    }
}

extension Model {
    public static func read(_ slot: ModelSlot) throws(Misfit) -> Self { try Self(slot) }

    public static func misfits(in slot: ModelSlot) -> [Misfit] {
        let misfits = modelFields.flatMap { $0.misfits(slot) }
        if misfits.isEmpty {
            // A key that does not fit is no field.
            do throws(Misfit) { _ = try Self(slot) } catch { return [error] }
        }
        // A document that is no map is wrong once, not once a field.
        return misfits.first.map { $0.path == slot.path ? [$0] : misfits } ?? []
    }

    public var skeleton: PlainValue? {
        let members = Self.modelFields.compactMap { field in
            field.skeleton(self).map { PlainValue.Member(.init(field.name), $0) }
        }
        return .object(members.sorted { $0.key < $1.key })
    }

    public func writeContainers(to place: ModelPlace) {
        for field in Self.modelFields { field.writeContainers(self, place) }
    }

    public func write(over old: Self?, to place: ModelPlace) {
        guard let old else {
            if let skeleton { place.set(skeleton) }
            return writeContainers(to: place)
        }
        for field in Self.modelFields { field.write(self, old, place) }
    }

    public static func draft(at place: ModelPlace) -> ReplModels.Draft<Self> {
        ReplModels.Draft(place: place)
    }
}
