// Entries by key, each on its own. Values that are replicating values merge: two devices that make one entry
// apart from each other share it.

import Bytes
import Causality
import Documents

/// A dictionary of scalars or of replicating values.
///
/// An edit inside of a value wins over a concurrent removal of its entry.
public struct ReplicatingDictionary<Key: ReplicatingKey, Value: ReplicatingContent>: Replicating {
    public var part: ReplicatingPart

    public static var kind: ReplicatingKind { .structure }

    public init() { part = ReplicatingPart(hasFields: false) }
    public init(part: ReplicatingPart) { self.part = part }

    public init(_ entries: [Key: Value]) {
        self.init()
        for (key, value) in entries.sorted(by: { $0.key.name < $1.key.name }) { self[key] = value }
    }

    /// Nil when there is no such entry. Assigning writes what the value shows; a replicating value is edited
    /// in place by `dictionary[key]?.edit()`.
    public subscript(key: Key) -> Value? {
        get { Value.ifShown(part.part(step(key))) }
        set {
            if let newValue { part.write(newValue, at: step(key)) } else { removeValue(forKey: key) }
        }
        _modify {
            guard contains(key) else {
                var value: Value?
                yield &value
                if let value { part.write(value, at: step(key)) }
                return
            }
            var (lent, loan) = part.lend(step(key))
            var value: Value? = lent.take().read(nil)
            let before = value?.lentPart == nil ? value : nil
            defer {
                let lentPart = value?.lentPart
                if let lentPart, lentPart.loan == loan.id {
                    part.takeBack(lentPart, loan)
                } else {
                    part.takeBack(nil, loan)
                    if let value {
                        if before != value { part.write(value, at: step(key)) }
                    } else {
                        removeValue(forKey: key)
                    }
                }
            }
            yield &value
        }
    }

    public func contains(_ key: Key) -> Bool { part.document.isShown(at: part.path + [step(key)]) }

    public mutating func removeValue(forKey key: Key) {
        part.path.append(step(key))
        part.edit(.delete, in: nil)
        part.path.removeLast()
    }

    /// Ascending by the bytes of their names.
    public var keys: [Key] { part.document.keys(at: part.path).compactMap { Key(name: $0.string) } }
    public var count: Int { part.document.count(of: .map, at: part.path) }
    public var isEmpty: Bool { count == 0 }

    private func step(_ key: Key) -> PathElement { .key(Bytes.Key(key.name)) }
}

extension ReplicatingDictionary where Value: Replicating {
    /// The entry, made by the first edit in it: `counts["a", default: .init()].increment()`.
    public subscript(key: Key, default value: @autoclosure () -> Value) -> Value {
        get { self[key] ?? value() }
        _modify { yield &part[step(key), initial: value()] }
    }
}

extension ReplicatingDictionary: Sequence {
    /// Ascending by the bytes of the keys' names.
    public func makeIterator() -> IndexingIterator<[(key: Key, value: Value)]> {
        let entries: [(key: Key, value: Value)] = keys.map { ($0, part.part(step($0)).read(nil)) }
        return entries.makeIterator()
    }

    public static func == (left: Self, right: Self) -> Bool {
        left.keys == right.keys && left.keys.allSatisfy { left[$0] == right[$0] }
    }
}

extension ReplicatingDictionary: ExpressibleByDictionaryLiteral, CustomStringConvertible {
    public init(dictionaryLiteral entries: (Key, Value)...) {
        self.init()
        for (key, value) in entries { self[key] = value }
    }

    public var description: String {
        "[" + map { "\($0.key): \($0.value)" }.joined(separator: ", ") + "]"
    }
}
