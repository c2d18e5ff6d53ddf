// The three random words of a run. The token stands in the address that is printed, and opens one browser:
// it is spent by its first use. The session is the cookie that this browser gets for it. The place is the
// first part of every path: cookies know no ports, so without a path of its own the cookie would be sent to
// every other server on this machine that the browser visits, and a second console would overwrite it
// (decision 0223).

import Bytes
import Synchronization

/// The secrets of one console.
final class ConsoleSecrets: Sendable {
    /// 80 bits: nobody guesses it from a page that makes a browser ask.
    let place: String
    /// 160 bits.
    let token: String
    /// 256 bits.
    let session: String
    private let isSpent = Mutex(false)

    init(random: (Int) -> [UInt8] = ConsoleSecrets.random) {
        place = Base32.encode(random(10))
        token = Base32.encode(random(20))
        session = Base32.encode(random(32))
    }

    /// From the kernel's generator.
    static func random(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }

    /// The result of trying a token: it opened the console, was spent before, or is wrong.
    enum Opening: Equatable { case opened, spent, wrong }

    /// The first who brings the token gets in; whoever comes later is told that somebody did.
    func open(with given: some StringProtocol) -> Opening {
        guard Self.areEqual(given, token) else { return .wrong }
        return isSpent.withLock { isSpent in
            defer { isSpent = true }
            return isSpent ? .spent : .opened
        }
    }

    func isSession(_ given: some StringProtocol) -> Bool { Self.areEqual(given, session) }

    /// Takes the same time wherever the two differ.
    private static func areEqual(_ given: some StringProtocol, _ secret: String) -> Bool {
        let (given, secret) = (Array(given.utf8), Array(secret.utf8))
        guard given.count == secret.count else { return false }
        return zip(given, secret).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
