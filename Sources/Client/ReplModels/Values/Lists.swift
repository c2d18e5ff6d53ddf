// Lists and maps of a document as Swift arrays and dictionaries. An element that was edited is written into,
// and one that was moved is moved, so that what others write into it meanwhile stays with it.

import Bytes
public import JSON
import ReplClient

extension Array: ModelValue where Element: ModelElement {
    public static func read(_ slot: ModelSlot) throws(Misfit) -> [Element] {
        var elements: [Element] = []
        for slot in try slot.elements() { elements.append(try Element.read(slot)) }
        return elements
    }

    public static func misfits(in slot: ModelSlot) -> [Misfit] {
        do throws(Misfit) {
            return try slot.elements().flatMap { Element.misfits(in: $0) }
        } catch {
            return [error]
        }
    }

    public var skeleton: PlainValue? { .array(map { $0.skeleton ?? .emptyObject }) }

    public func writeContainers(to place: ModelPlace) {
        for (index, element) in enumerated() { element.writeContainers(to: place.element(index)) }
    }

    public func write(over old: [Element]?, to place: ModelPlace) {
        guard let old else {
            guard !isEmpty else { return }
            return Self.insert(self[...], at: 0, of: place)
        }
        if let move = Self.move(from: old, to: self) { return place.move(from: move.from, to: move.to) }
        // From the end, so that the places of earlier runs are those of the old list.
        for run in ChangedRuns.between(old, self).reversed() { write(run, over: old, to: place) }
    }

    private func write(
        _ run: (old: Range<Int>, new: Range<Int>), over old: [Element], to place: ModelPlace
    ) {
        let edited = Swift.min(run.old.count, run.new.count)
        let start = run.old.lowerBound
        for index in (start + edited..<run.old.upperBound).reversed() { place.element(index).delete() }
        let added = self[(run.new.lowerBound + edited)..<run.new.upperBound]
        if !added.isEmpty { Self.insert(added, at: start + edited, of: place) }
        for index in 0..<edited {
            self[run.new.lowerBound + index].write(over: old[start + index], to: place.element(start + index))
        }
    }

    static func insert(_ elements: ArraySlice<Element>, at index: Int, of place: ModelPlace) {
        place.insert(elements.map { $0.skeleton ?? .emptyObject }, at: index)
        for (offset, element) in elements.enumerated() {
            element.writeContainers(to: place.element(index + offset))
        }
    }

    /// The one element that was moved, where that is all that changed.
    private static func move(from old: [Element], to new: [Element]) -> (from: Int, to: Int)? {
        guard old.count == new.count, let first = old.indices.first(where: { old[$0] != new[$0] }),
            let last = old.indices.last(where: { old[$0] != new[$0] })
        else { return nil }
        if old[first] == new[last], old[(first + 1)...last] == new[first..<last] { return (first, last) }
        if old[last] == new[first], old[first..<last] == new[(first + 1)...last] { return (last, first) }
        return nil
    }
}

extension Array: ModelContainer where Element: ModelElement {
    public static func draft(at place: ModelPlace) -> ListDraft<Element> { ListDraft(place: place) }
}

/// A list that a transaction writes into, unread. A place past the end is refused by the daemon.
public struct ListDraft<Element: ModelElement> {
    let place: ModelPlace

    public func append(_ element: Element) where Element: ModelScalar { insertPlain(element, at: -1) }
    public func insert(_ element: Element, at index: Int) {
        guard isPlace(index) else { return }
        [Element].insert([element], at: index, of: place)
    }
    public func remove(at index: Int) {
        guard isPlace(index) else { return }
        place.element(index).delete()
    }
    /// `to` is its place afterwards.
    public func move(from index: Int, to other: Int) {
        guard isPlace(index), isPlace(other) else { return }
        place.move(from: index, to: other)
    }

    private func insertPlain(_ element: Element, at index: Int) {
        place.insert([element.skeleton ?? .emptyObject], at: index)
    }

    fileprivate func isPlace(_ index: Int) -> Bool {
        guard index < 0 else { return true }
        let (document, path) = (place.document, place.path)
        place.operations.record(.badPlace(document: document, path: path, index: index))
        return false
    }
}

extension ListDraft where Element: Model {
    /// An element that is there.
    public subscript(index: Int) -> Draft<Element> {
        // A mistake is recorded; nothing of the transaction is sent then.
        Draft(place: place.element(isPlace(index) ? index : 0))
    }
}

extension ListDraft where Element: ModelScalar {
    public subscript(index: Int) -> Element {
        @available(*, unavailable, message: "a transaction writes without reading; use update to do both")
        get { preconditionFailure("unavailable") }
        nonmutating set {
            guard isPlace(index) else { return }
            newValue.write(over: nil, to: place.element(index))
        }
    }
}

// MARK: Maps

extension Dictionary: ModelValue where Key == String, Value: ModelValue {
    public static func read(_ slot: ModelSlot) throws(Misfit) -> [String: Value] {
        var entries: [String: Value] = [:]
        for name in try slot.names() { entries[name] = try Value.read(try slot.member(name)) }
        return entries
    }

    public static func misfits(in slot: ModelSlot) -> [Misfit] {
        do throws(Misfit) {
            var misfits: [Misfit] = []
            for name in try slot.names() { misfits += Value.misfits(in: try slot.member(name)) }
            return misfits
        } catch {
            return [error]
        }
    }

    public var skeleton: PlainValue? {
        var members: [PlainValue.Member] = []
        for (name, value) in self {
            if let value = value.skeleton { members.append(.init(.init(name), value)) }
        }
        return .object(members.sorted { $0.key < $1.key })
    }

    public func writeContainers(to place: ModelPlace) {
        for name in keys.sorted() { self[name]?.writeContainers(to: place.field(name)) }
    }

    public func write(over old: [String: Value]?, to place: ModelPlace) {
        let old = old ?? [:]
        for name in keys.sorted() { self[name]?.write(over: old[name], to: place.field(name)) }
        for name in old.keys.sorted() where self[name] == nil { place.field(name).delete() }
    }
}

extension Dictionary: ModelContainer where Key == String, Value: ModelValue {
    public static func draft(at place: ModelPlace) -> MapDraft<Value> { MapDraft(place: place) }
}

/// A map that a transaction writes into, unread.
public struct MapDraft<Value: ModelValue> {
    let place: ModelPlace

    public func set(_ name: String, to value: Value) {
        value.write(over: nil, to: place.field(name))
    }
    public func remove(_ name: String) { place.field(name).delete() }
}

extension MapDraft where Value: ModelContainer {
    public subscript(name: String) -> Value.Draft { Value.draft(at: place.field(name)) }
}
