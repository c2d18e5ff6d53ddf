// When an invite expired, as both ends read it.

import Testing

@testable import ControlAPI

@Suite struct ExpiryTests {
    @Test(
        "seconds since 1970 are a date",
        arguments: [
            (0, "1970-01-01 00:00:00 UTC"), (951_782_399, "2000-02-28 23:59:59 UTC"),
            (951_782_400, "2000-02-29 00:00:00 UTC"), (951_868_800, "2000-03-01 00:00:00 UTC"),
            (1_709_164_800, "2024-02-29 00:00:00 UTC"), (1_795_382_768, "2026-11-22 21:26:08 UTC"),
            (4_107_542_399, "2100-02-28 23:59:59 UTC"), (4_107_542_400, "2100-03-01 00:00:00 UTC"),
            (.max, "9999-12-31 23:59:59 UTC"),
        ] as [(UInt64, String)])
    func dates(seconds: UInt64, text: String) { #expect(UTCMoment.text(seconds) == text) }

    @Test("an expired invite says when it expired, what the clock says here, and whose clock may be wrong")
    func expired() {
        let late = APIError.expired(0, 86_400)
        #expect(late.status == 410 && late.code == "invite-expired")
        #expect(
            late.message == "the invite expired at 1970-01-01 00:00:00 UTC; this box's clock says "
                + "1970-01-02 00:00:00 UTC")
        #expect(late.hint.hasPrefix("ask for a new one") && late.details.count == 2)
        #expect(APIError.expired(100, 50).hint.hasPrefix("the inviting box's clock is ahead"))
    }
}
