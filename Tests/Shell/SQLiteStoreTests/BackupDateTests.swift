import Testing

@testable import SQLiteStore

@Suite struct BackupDateTests {
    @Test(
        "a backup names its date as a person reads it",
        arguments: [
            (0, "1970-01-01 00:00:00 UTC"), (951_782_400_000, "2000-02-29 00:00:00 UTC"),
            (1_795_222_775_366, "2026-11-21 00:59:35 UTC"),
        ] as [(UInt64, String)])
    func date(wall: UInt64, text: String) { #expect(SQLiteBackup.date(wall) == text) }

    @Test("a clock beyond every calendar gives a date all the same")
    func absurd() { #expect(!SQLiteBackup.date(.max).isEmpty) }
}
