// A device's name for people: 56 letters that can be read out and typed, with check bytes that catch what
// typing does to them. 32 + 3 bytes are exactly 8 groups of 7 letters.

import Bytes
public import Causality
import Crypto

/// Why typed text is no device ID.
public enum DeviceIDFault: Error, Equatable, Sendable {
    /// A character that no device ID contains, counted from 1.
    case character(position: Int)
    /// Letters are missing or were added; how many there are, of 56.
    case length(Int)
    /// Every letter is possible but the check letters do not fit: at least one is wrong.
    case mistyped

    /// What happened, for a person.
    public var message: String {
        switch self {
        case .character(let position): "character \(position) of the device ID is none of A-Z and 2-7"
        case .length(let count): "a device ID has \(DeviceID.textLetters) letters, this one has \(count)"
        case .mistyped: "the device ID is mistyped: its check letters do not fit the rest"
        }
    }
}

extension DeviceID: CustomStringConvertible {
    /// `text`.
    public var description: String { text }

    public static let textLetters = 56
    /// How many of its first letters name a device, where no other begins with them.
    public static let shortLetters = 7
    private static let groupLetters = shortLetters
    private static let checkBytes = 3

    /// `ABCDEFG-…`: base32 of pk ‖ check bytes, 8 groups of 7.
    public var text: String {
        let letters = Array(
            Base32.encode(publicKey.bytes + Self.check(of: publicKey.bytes), letters: .upper).utf8)
        var text: [UInt8] = []
        for (index, letter) in letters.enumerated() {
            if index > 0 && index % Self.groupLetters == 0 { text.append(0x2D) }
            text.append(letter)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The first letters of `text`, as tables and lines of the log show it.
    public var short: String { String(text.prefix(Self.shortLetters)) }

    /// Its letters without dashes.
    public var letters: String { text.filter { $0 != "-" } }

    /// Reads `text` back forgivingly: either case, spaces and dashes anywhere, 0 for O, 1 for I, 8 for B.
    public init(text typed: String) throws(DeviceIDFault) {
        let letters = try Self.letters(typed: typed)
        guard letters.count == Self.textLetters else { throw .length(letters.count) }
        let bytes: [UInt8]
        do throws(Base32Fault) {
            bytes = try Base32.decode(letters)
        } catch {
            preconditionFailure("56 base32 letters are 35 bytes: \(error)")
        }
        let key = Array(bytes.prefix(Bytes32.byteCount))
        guard Self.check(of: key) == Array(bytes.suffix(Self.checkBytes)) else { throw .mistyped }
        self.init(publicKey: Bytes32(key))
    }

    /// The letters of a device ID, or of the beginning of one, as somebody typed them.
    public static func letters(typed: String) throws(DeviceIDFault) -> [UInt8] {
        var letters: [UInt8] = []
        var position = 0
        for character in typed.unicodeScalars {
            position += 1
            switch character {
            case "-", " ", "\t", "\n", "\r": continue
            case "0": letters.append(0x4F)
            case "1": letters.append(0x49)
            case "8": letters.append(0x42)
            default:
                guard character.isASCII, Base32.value(of: UInt8(character.value)) != nil else {
                    throw .character(position: position)
                }
                letters.append(UInt8(character.value))
            }
        }
        return letters
    }

    private static func check(of key: [UInt8]) -> [UInt8] {
        Array(Blake2b.hash256(key, personal: "repld-devid-v1").bytes.prefix(checkBytes))
    }
}
