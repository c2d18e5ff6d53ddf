// Sizes in the config file: bytes as a whole number, "512MiB", or "5%" of the file system.

import Node

enum SizeText {
    static let need = "a number of bytes, a string as \"512MiB\" (KiB, MiB, GiB, TiB), or a share as \"5%\""

    /// The setting `disk-floor`.
    static func diskFloor(_ file: ConfigFile?) throws(SettingsError) -> DiskFloor {
        if let bytes = file?.integer("disk-floor") { return .bytes(UInt64(bytes)) }
        guard let text = file?.string("disk-floor") else { return .standard }
        if let percent = percent(text) { return .percent(percent) }
        if let bytes = bytes(text) { return .bytes(bytes) }
        throw .wrongValue(place: file?.place(of: "disk-floor") ?? "", value: text, need: need)
    }

    /// "5%" or "5 %", up to 100; nil for anything else.
    static func percent(_ text: String) -> Int? {
        guard text.hasSuffix("%"), let number = digits(text.dropLast()), number <= 100 else { return nil }
        return Int(number)
    }

    /// "512MiB", "1 GiB", "4096"; nil for anything else, and for what does not fit 63 bits.
    static func bytes(_ text: String) -> UInt64? {
        let units: [(String, UInt64)] = [
            ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40), ("B", 1),
        ]
        for (unit, size) in units where text.hasSuffix(unit) {
            guard let number = digits(text.dropLast(unit.count)) else { return nil }
            let (bytes, overflows) = number.multipliedReportingOverflow(by: size)
            return overflows || bytes > UInt64(Int64.max) ? nil : bytes
        }
        return digits(text[...]).flatMap { $0 > UInt64(Int64.max) ? nil : $0 }
    }

    /// With blanks behind.
    private static func digits(_ text: Substring) -> UInt64? {
        var text = text
        while text.hasSuffix(" ") { text = text.dropLast() }
        guard !text.isEmpty, text.utf8.allSatisfy({ $0 &- 0x30 <= 9 }) else { return nil }
        return UInt64(text)
    }
}
