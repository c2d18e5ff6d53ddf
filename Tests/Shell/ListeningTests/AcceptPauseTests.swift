// The pause after a failed accept, on a channel without a socket. That a daemon without descriptors is idle
// and serves again is held from outside (Tests/DaemonTests/Faults/DescriptorTests.swift).

import Glibc
import Logging
import NIOCore
import NIOEmbedded
import Testing

@testable import Listening

@Suite struct AcceptPauseTests {
    private struct Other: Error {}

    private let channel = EmbeddedChannel()
    private let pause = AcceptPause(of: "here", log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })

    init() throws { try channel.pipeline.syncOperations.addHandler(pause) }

    /// What it set last; nil when it left the listener alone.
    private var accepting: Bool? {
        channel.options.compactMap { ($0.value as? Bool) }.last
    }

    private func fail(_ code: CInt) {
        channel.pipeline.fireErrorCaught(IOError(errnoCode: code, reason: "accept"))
    }

    @Test("after a failed accept nothing is accepted for a moment, however many errors come")
    func pauses() {
        fail(EMFILE)
        fail(EMFILE)
        #expect(accepting == false)
        channel.embeddedEventLoop.advanceTime(by: AcceptPause.length - .nanoseconds(1))
        #expect(accepting == false)
        channel.embeddedEventLoop.advanceTime(by: .nanoseconds(1))
        #expect(accepting == true)
        fail(ENFILE)
        #expect(accepting == false)
    }

    @Test("a listener that is closed in its pause does not listen again")
    func closed() throws {
        fail(EMFILE)
        _ = try channel.finish(acceptAlreadyClosed: true)
        channel.embeddedEventLoop.advanceTime(by: AcceptPause.length * 2)
        #expect(accepting == false)
    }

    @Test("an error that is not accept's goes on")
    func others() {
        channel.pipeline.fireErrorCaught(Other())
        #expect(throws: Other.self) { try channel.throwIfErrorCaught() }
        #expect(accepting == nil)
    }
}
