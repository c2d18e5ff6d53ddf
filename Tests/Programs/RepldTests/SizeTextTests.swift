// Sizes as the config file writes them.

import Testing

@testable import repld

@Suite struct SizeTextTests {
    @Test(
        "bytes have a unit or none",
        arguments: [
            ("4096", 4_096), ("0", 0), ("10B", 10), ("1KiB", 1_024), ("512MiB", 512 << 20),
            ("2 GiB", 2 << 30),
            ("1TiB", 1 << 40), ("", nil), ("MiB", nil), ("-1", nil), ("1.5GiB", nil), ("1MB", nil),
            ("5%", nil),
            ("9223372036854775807", UInt64(Int64.max)), ("9223372036854775808", nil), ("9999999TiB", nil),
        ] as [(String, UInt64?)])
    func bytes(text: String, bytes: UInt64?) { #expect(SizeText.bytes(text) == bytes) }

    @Test(
        "a share is a whole number up to 100",
        arguments: [
            ("5%", 5), ("0%", 0), ("100 %", 100), ("101%", nil), ("%", nil), ("5", nil), ("-5%", nil),
        ]
            as [(String, Int?)])
    func percent(text: String, percent: Int?) { #expect(SizeText.percent(text) == percent) }
}
