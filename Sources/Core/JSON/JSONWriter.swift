// Writes the JSON of answers. Documents have their own writer (`CanonicalJSON`), which this one shares the
// form of strings and numbers with; here members stand in the order in which API.md lists them, because
// people read them.

public import Bytes

/// Appends JSON to a byte array. Commas are its business; matching `begin…` and `end…` is the caller's.
public struct JSONWriter: Sendable {
    /// Everything written so far.
    public private(set) var bytes: [UInt8] = []
    /// A value stands before the next one in the same array or object.
    private var needsComma = false

    public init() {}

    // MARK: Containers

    public mutating func object(_ members: (inout JSONWriter) -> Void) {
        open(UInt8(ascii: "{"))
        members(&self)
        close(UInt8(ascii: "}"))
    }

    public mutating func array<Element>(
        _ elements: some Sequence<Element>, _ each: (inout JSONWriter, Element) -> Void
    ) {
        open(UInt8(ascii: "["))
        for element in elements { each(&self, element) }
        close(UInt8(ascii: "]"))
    }

    /// The name of a member; its value is what is written next.
    public mutating func name(_ name: String) {
        comma()
        CanonicalJSON.append(Key(name), to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    // MARK: Values

    /// One value, which `append` writes.
    public mutating func value(_ append: (inout [UInt8]) -> Void) {
        comma()
        append(&bytes)
        needsComma = true
    }
    public mutating func string(_ text: Key) { value { CanonicalJSON.append(text, to: &$0) } }
    public mutating func string(_ text: String) { string(Key(text)) }
    public mutating func integer(_ number: some BinaryInteger) {
        value { $0.append(contentsOf: String(number).utf8) }
    }
    public mutating func bool(_ flag: Bool) {
        value { $0.append(contentsOf: (flag ? "true" : "false").utf8) }
    }
    public mutating func null() { value { $0.append(contentsOf: "null".utf8) } }
    public mutating func plain(_ plain: PlainValue) { value { CanonicalJSON.append(plain, to: &$0) } }
    /// JSON that was made elsewhere: one whole value.
    public mutating func raw(_ json: [UInt8]) { value { $0.append(contentsOf: json) } }

    // MARK: Members

    public mutating func member(_ name: String, _ text: String) {
        self.name(name)
        string(text)
    }
    public mutating func member(_ name: String, _ number: some BinaryInteger) {
        self.name(name)
        integer(number)
    }
    public mutating func member(_ name: String, _ flag: Bool) {
        self.name(name)
        bool(flag)
    }
    /// `null` when there is none.
    public mutating func member(_ name: String, orNull text: String?) {
        self.name(name)
        if let text { string(text) } else { null() }
    }
    /// The same of a number.
    public mutating func member(_ name: String, orNull number: UInt64?) {
        self.name(name)
        if let number { integer(number) } else { null() }
    }

    // MARK: Bytes

    private mutating func open(_ bracket: UInt8) {
        comma()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func comma() { if needsComma { bytes.append(UInt8(ascii: ",")) } }
}
