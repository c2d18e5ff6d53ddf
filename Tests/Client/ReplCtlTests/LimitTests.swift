// Limits of the daemon that replctl knows without linking the daemon's floors.

import Documents
import Testing

@testable import replctl

@Suite struct LimitTests {
    @Test("an edit becomes at most as many operations as a transaction may have")
    func operations() { #expect(JSONDifference.operationsMax == DocumentLimits.transactionOperationsMax) }
}
