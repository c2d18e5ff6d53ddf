// Why a text is not the JSON that we take. Strictness here is what keeps replicas equal: JSON readers differ
// on duplicate members, lone surrogates, big integers and depth, so each of them is refused with its place.

/// The first thing wrong with a JSON text, and where.
public struct JSONFault: Error, Equatable, Sendable {
    /// What was found.
    public enum Reason: Equatable, Sendable {
        /// The text ended inside a value.
        case truncated
        /// A byte that no value, member or separator may have here; `wanted` says what may stand here.
        case unexpected(byte: UInt8, wanted: String)
        /// Something after the value.
        case trailing
        case invalidUTF8
        case loneSurrogate
        /// A backslash followed by something that is no escape.
        case invalidEscape
        /// A control character that is not escaped.
        case controlCharacter
        /// A member named twice in one object.
        case duplicateMember(String)
        /// Arrays and objects nested deeper than this.
        case depth(limit: Int)
        /// No JSON number (a leading zero, a bare sign, NaN …).
        case malformedNumber
        /// A number that a document cannot hold: an integer beyond 64 bits, a fraction beyond binary64.
        case numberOutOfRange(String)
    }

    public let reason: Reason
    /// Offset in bytes, from 0.
    public let offset: Int
    /// From 1.
    public let line: Int
    /// In bytes, from 1.
    public let column: Int

    init(_ reason: Reason, at offset: Int, of input: UnsafeBufferPointer<UInt8>) {
        self.reason = reason
        self.offset = offset
        var (line, lineStart) = (1, 0)
        for index in 0..<min(offset, input.count) where input[index] == 0x0A {
            line += 1
            lineStart = index + 1
        }
        self.line = line
        column = offset - lineStart + 1
    }

    /// The place in words.
    public var place: String { "line \(line), column \(column) (byte \(offset))" }

    /// What happened, for people.
    public var message: String {
        switch reason {
        case .truncated: "the JSON text ends inside a value at \(place)"
        case .unexpected(let byte, let wanted): "expected \(wanted), found \(Self.name(of: byte)) at \(place)"
        case .trailing: "there is more after the JSON value at \(place)"
        case .invalidUTF8: "the text is not UTF-8 at \(place)"
        case .loneSurrogate: "half of a surrogate pair stands alone at \(place)"
        case .invalidEscape: "an escape that JSON does not have at \(place)"
        case .controlCharacter: "a control character that is not escaped at \(place)"
        case .duplicateMember(let name): "the member \"\(name)\" stands twice in the object at \(place)"
        case .depth(let limit): "arrays and objects are nested deeper than \(limit) at \(place)"
        case .malformedNumber: "no JSON number at \(place)"
        case .numberOutOfRange(let literal): "the number \(literal) is out of range at \(place)"
        }
    }

    private static func name(of byte: UInt8) -> String {
        switch byte {
        case 0x21...0x7E: "'\(Character(UnicodeScalar(byte)))'"
        case 0x20: "a space"
        default: "the byte \(byte)"
        }
    }
}
