// Who reads slowly, as an honest member on a bad line, or never, so that what is said to it stays with the
// node.

import Bytes
import Causality
import Glibc
import SecureLink
import Wire

extension Member {
    /// So many links on which everything is asked for that a peer may ask for, and nothing is read for a
    /// while.
    mutating func neverRead(_ count: Int) throws -> String {
        var held: [HostileLink] = []
        let ping = LinkFrame(type: LinkFrame.ping, body: [UInt8](repeating: 1, count: 16))
        for _ in 0..<count {
            usleep(60_000)
            var link = try Self.patiently { try self.link() }
            link.say(frame(RosterHaveFrame(heads: [], summary: [])))
            link.say(frame(HaveFrame(.full, [])))
            link.say(frame(GraftFrame([])))
            for _ in 0..<20_000 where !link.isOver { link.say(ping) }
            held.append(link)
        }
        usleep(5_000_000)
        return "\(held.count) links of which nothing is read"
    }

    /// Takes so many megabytes of the roster at some 4 MB a second.
    mutating func readSlowly(_ megabytes: Int) throws -> String {
        var link = try Self.patiently { try self.link() }
        link.say(frame(RosterHaveFrame(heads: [], summary: [])))
        let deadline = HostileLink.now.monotonic + 120_000
        var bytes = 0
        while bytes < megabytes * 1_000_000, !link.isOver, HostileLink.now.monotonic < deadline {
            // One read of 64 KiB at most.
            link.listen(200)
            bytes += link.heard.reduce(0) { $0 + $1.body.count }
            link.forget()
            usleep(16_000)
        }
        return "\(megabytes) MB: \(bytes) bytes, link over: \(link.isOver)"
    }
}
