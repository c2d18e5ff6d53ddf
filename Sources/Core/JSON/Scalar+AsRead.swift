// What a number is to those who read it as JSON. Integral binary64 beyond 2^53 are written without exponent,
// so whoever reads one and sends it back sends an integer (decision 0111). What programs ask of a document
// (conditions, members of sets, imports) is therefore compared as it is read; values keep their form.

extension Scalar {
    /// The scalar that a reader of the canonical text gets.
    public var asRead: Scalar {
        guard case .double(let number) = self, number.rounded(.towardZero) == number,
            number.magnitude < 9_223_372_036_854_775_808
        else { return self }
        var text: [UInt8] = []
        CanonicalJSON.append(number, to: &text)
        return Int64(String(decoding: text, as: UTF8.self)).map { .integer($0) } ?? self
    }

    /// The other scalar with the same canonical text; nil for almost all.
    public var twin: Scalar? {
        switch self {
        case .integer(let integer) where integer.magnitude > 9_007_199_254_740_992:
            let other = Scalar.double(Double(integer))
            return other.asRead == self ? other : nil
        case .double:
            let other = asRead
            return other == self ? nil : other
        default: return nil
        }
    }
}

extension PlainValue {
    /// True when both have the same canonical text. O(their size); nests as deep as documents do.
    public func readsLike(_ other: PlainValue) -> Bool {
        switch (self, other) {
        case (.scalar(let one), .scalar(let other)): one == other || one.asRead == other.asRead
        case (.array(let some), .array(let others)):
            some.count == others.count && zip(some, others).allSatisfy { $0.readsLike($1) }
        case (.object(let some), .object(let others)):
            some.count == others.count
                && zip(some, others).allSatisfy { $0.key == $1.key && $0.value.readsLike($1.value) }
        default: false
        }
    }
}
