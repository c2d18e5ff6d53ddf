// Commands that are printed to be typed: their words must mean the same to a shell.

enum ShellWord {
    /// The word as it is where no character of it means something to a shell, else in single quotes.
    static func quoted(_ word: String) -> String {
        let plain = word.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            case UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"),
                UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "="), UInt8(ascii: ","), 0x80...0xFF:
                true
            default: false
            }
        }
        return plain && !word.isEmpty ? word : "'" + word.replacing("'", with: "'\\''") + "'"
    }

    /// A command of words.
    static func command(_ words: String...) -> String {
        (["replctl"] + words).map(quoted).joined(separator: " ")
    }
}
