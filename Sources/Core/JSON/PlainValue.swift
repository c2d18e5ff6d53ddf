// What programs see: documents as plain JSON. Members are sorted by the bytes of their keys, so two equal
// values are equal as Swift values too.

public import Bytes

/// A JSON value in canonical form.
public indirect enum PlainValue: Hashable, Sendable {
    case scalar(Scalar)
    case array([PlainValue])
    /// Ascending by key bytes, each key once.
    case object([Member])

    /// One member of an object.
    public struct Member: Hashable, Sendable {
        public let key: Key
        public var value: PlainValue

        public init(_ key: Key, _ value: PlainValue) {
            self.key = key
            self.value = value
        }
    }

    public static let emptyObject = PlainValue.object([])

    /// The member of this name; nil when this is no object or has none. O(log n).
    public subscript(key: Key) -> PlainValue? {
        guard case .object(let members) = self else { return nil }
        var (low, high) = (0, members.count)
        while low < high {
            let middle = (low + high) / 2
            if members[middle].key < key { low = middle + 1 } else { high = middle }
        }
        return low < members.count && members[low].key == key ? members[low].value : nil
    }
}
