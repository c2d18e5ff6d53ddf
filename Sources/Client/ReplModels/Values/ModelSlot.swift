// A slot of a document as a model reads it: from the plain view, which has values only, or from the typed
// view, which says of what kind each is.

import Bytes
import JSON

/// A slot of a document, and where it is.
public struct ModelSlot: Sendable {
    /// The document's key, after the prefix of its collection.
    let key: String
    /// The whole key.
    let document: String
    let path: ModelPath
    private let content: Content

    private enum Content: Sendable {
        case absent
        case plain(PlainValue)
        /// A slot of the typed view: an object with `kind`.
        case typed(PlainValue)
    }

    /// A document of the plain view.
    init(plain value: PlainValue, document: String, key: String) {
        (self.document, self.key, path, content) = (document, key, ModelPath(), .plain(value))
    }

    /// A document of the typed view.
    init(typed value: PlainValue, document: String, key: String) {
        (self.document, self.key, path, content) = (document, key, ModelPath(), .typed(value))
    }

    private init(_ content: Content, at step: ModelPath.Step, in parent: ModelSlot) {
        (document, key, self.content) = (parent.document, parent.key, content)
        path = parent.path.appending(step)
    }

    // MARK: For models

    /// The document's key as a model's.
    public func key<Key: ModelKey>(_ type: Key.Type = Key.self) throws(Misfit) -> Key {
        guard let key = Key(key: self.key) else { throw misfit(.badKey(type: "\(Key.self)", key: self.key)) }
        return key
    }

    /// What a field of the map in this slot shows; `initial` where the field is absent.
    public func field<Value: ModelValue>(
        _ name: String, initial: Value? = nil
    ) throws(Misfit) -> Value {
        let slot = try member(name)
        if let initial, slot.isAbsent { return initial }
        return try Value.read(slot)
    }

    /// The same of a field that was renamed: where there is none of its name, what shows under the first of
    /// its former names that is there.
    public func field<Value: ModelValue>(
        _ name: String, formerly: [String], initial: Value? = nil
    ) throws(Misfit) -> Value {
        let slot = try member(name, formerly)
        if let initial, slot.isAbsent { return initial }
        return try Value.read(slot)
    }

    private func member(_ name: String, _ formerly: [String]) throws(Misfit) -> ModelSlot {
        let slot = try member(name)
        guard slot.isAbsent else { return slot }
        for name in formerly {
            let former = try member(name)
            if !former.isAbsent { return former }
        }
        return slot
    }

    /// For a model without fields: throws unless there is a map.
    public func requireMap() throws(Misfit) { _ = try member("") }

    /// All that is wrong with that field.
    func misfits<Value: ModelValue>(
        _ name: String, _ formerly: [String], _ type: Value.Type, hasInitial: Bool
    ) -> [Misfit] {
        do throws(Misfit) {
            let slot = try member(name, formerly)
            return hasInitial && slot.isAbsent ? [] : Value.misfits(in: slot)
        } catch {
            return [error]
        }
    }

    // MARK: What is there

    var isAbsent: Bool {
        guard case .absent = content else { return false }
        return true
    }

    var isAbsentOrNull: Bool { isAbsent || value == .scalar(.null) }

    /// The plain value; of a typed map and list its typed members.
    private var value: PlainValue? {
        switch content {
        case .absent: nil
        case .plain(let value): value
        case .typed(let slot): slot["value"] ?? .scalar(.null)
        }
    }

    /// Nil in the plain view.
    private var kind: String? {
        guard case .typed(let slot) = content, case .scalar(.string(let kind))? = slot["kind"] else {
            return nil
        }
        return kind.string
    }

    /// Throws unless the slot is of one of the kinds, the first of which is the model's. The plain view does
    /// not say.
    func require(kinds: String...) throws(Misfit) {
        guard let kind, !kinds.contains(kind) else { return }
        throw misfit(.wrongKind(expected: kinds[0], found: kind))
    }

    func scalar<Value>(for type: Value.Type) throws(Misfit) -> Scalar {
        guard !isAbsent else { throw misfit(.missing(type: "\(type)")) }
        try require(kinds: "register")
        guard case .scalar(let scalar)? = value else { throw mistyped("\(type)") }
        return scalar
    }

    func text() throws(Misfit) -> String {
        guard !isAbsent else { return "" }
        try require(kinds: "text")
        guard case .scalar(.string(let text))? = value else { throw mistyped("text") }
        return text.string
    }

    func counter() throws(Misfit) -> Int64 {
        guard !isAbsent else { return 0 }
        try require(kinds: "counter")
        guard case .scalar(.integer(let count))? = value else { throw mistyped("counter") }
        return count
    }

    func members() throws(Misfit) -> [Scalar] {
        guard !isAbsent else { return [] }
        try require(kinds: "set", "remove-wins-set")
        guard case .array(let values)? = value else { throw mistyped("set") }
        var scalars: [Scalar] = []
        for value in values {
            guard case .scalar(let scalar) = value else { throw mistyped("set") }
            scalars.append(scalar)
        }
        return scalars
    }

    func elements() throws(Misfit) -> [ModelSlot] {
        guard !isAbsent else { return [] }
        try require(kinds: "list", "ordered-set")
        guard case .array(let values)? = value else { throw mistyped("list") }
        if case .typed(let slot) = content, case .array(let elements)? = slot["elements"] {
            return elements.enumerated().map { ModelSlot(.typed($1), at: .index($0), in: self) }
        }
        // An ordered set of the typed view has scalars for members.
        return values.enumerated().map { ModelSlot(.plain($1), at: .index($0), in: self) }
    }

    /// The names of a map.
    func names() throws(Misfit) -> [String] {
        guard !isAbsent else { return [] }
        try require(kinds: "map")
        guard case .object(let members)? = value else { throw mistyped("map") }
        return members.map(\.key.string)
    }

    func member(_ name: String) throws(Misfit) -> ModelSlot {
        guard !isAbsent else { throw misfit(.missing(type: "map")) }
        try require(kinds: "map")
        guard case .object? = value else { throw mistyped("map") }
        guard let member = value?[Bytes.Key(name)] else {
            return ModelSlot(.absent, at: .key(name), in: self)
        }
        guard case .typed = content else { return ModelSlot(.plain(member), at: .key(name), in: self) }
        return ModelSlot(.typed(member), at: .key(name), in: self)
    }

    // MARK: Faults

    func misfit(_ problem: Misfit.Problem) -> Misfit {
        Misfit(document: document, path: path, problem: problem)
    }

    private func mistyped(_ type: String) -> Misfit {
        misfit(.wrongType(expected: type, found: value.map(Self.text) ?? "nothing"))
    }

    /// What was found, cut where it is long.
    static func text(of value: PlainValue) -> String {
        var bytes: [UInt8] = []
        CanonicalJSON.append(value, to: &bytes)
        let text = String(decoding: bytes, as: UTF8.self)
        return text.count <= 60 ? text : text.prefix(57) + "…"
    }
}
