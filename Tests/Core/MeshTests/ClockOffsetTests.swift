// The clocks of two boxes.

import Mesh
import Testing

@Suite struct ClockOffsetTests {
    @Test(
        "how far a clock is ahead or behind, bounded both ways whatever it says",
        arguments: [
            (1_000, 400, 600), (400, 1_000, -600), (5, 5, 0), (UInt64.max, 0, ClockOffset.millisecondsMax),
            (0, .max, -ClockOffset.millisecondsMax), (.max, .max, 0),
            (1 << 63, 7, ClockOffset.millisecondsMax),
        ] as [(UInt64, UInt64, Int64)])
    func bounded(theirs: UInt64, ours: UInt64, offset: Int64) {
        #expect(ClockOffset.milliseconds(of: theirs, from: ours) == offset)
    }
}
