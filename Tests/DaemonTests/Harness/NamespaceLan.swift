// Several machines in one: each box is a network namespace with one interface, and all are plugged into a
// bridge that stands in a namespace of its own, so nothing here touches the machine's own interfaces.
// Beacons, multicast and broadcast are only ever sent in here.
//
//     hub:   br0 ── v1 ── v2 ── v3          nft rules on the bridge cut pairs apart
//                   │     │     │
//     boxes:       eth0  eth0  eth0         10.77.0.N/24, fd77::N/64, and a link-local address
//
// A daemon in a box is reached through its Unix socket as ever: sockets in the file system know no namespace.

import Foundation
import Testing

/// One machine of the LAN.
final class NamespaceBox {
    let name: String
    let namespace: String
    /// Its port on the bridge.
    let port: String
    fileprivate(set) var ip4: String
    fileprivate(set) var ip6: String

    fileprivate init(_ name: String, namespace: String, number: Int) {
        (self.name, self.namespace, port) = (name, namespace, "v\(number)")
        (ip4, ip6) = ("10.77.0.\(number)", "fd77::\(number)")
    }

    /// Runs the body on a thread inside the namespace; sockets that it opens stay there.
    func inside<Result>(_ body: @escaping () throws -> Result) throws -> Result {
        let done = DispatchSemaphore(value: 0)
        let result = Shared<Swift.Result<Result, any Error>?>(nil)
        let path = "/run/netns/\(namespace)"
        // Sendable by hand: the caller waits until the thread is done with the body.
        let work = Shared(body)
        let thread = Thread {
            result.change { $0 = Swift.Result { try Self.enter(path, work.value) } }
            done.signal()
        }
        thread.stackSize = 1 << 20
        thread.start()
        done.wait()
        return try #require(result.value).get()
    }

    private static func enter<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ConnectionFailure.failed("open \(path)", errno) }
        defer { close(descriptor) }
        // setns(2) moves this thread only. Swift's Glibc does not show it, so it is looked up by name.
        let found = try #require(dlsym(nil, "setns"), "this C library has no setns")
        let setns = unsafeBitCast(found, to: (@convention(c) (Int32, Int32) -> Int32).self)
        guard setns(descriptor, cloneNewNet) == 0 else { throw ConnectionFailure.failed("setns", errno) }
        return try body()
    }

    /// CLONE_NEWNET of linux/sched.h.
    private static let cloneNewNet: Int32 = 0x4000_0000

    /// Carrier and all: the cable is pulled, or plugged in again.
    func setLink(up isUp: Bool) throws {
        try NamespaceCommands.ip("-n \(namespace) link set eth0 \(isUp ? "up" : "down")")
        // The kernel forgets IPv6 addresses of an interface that goes down.
        if isUp {
            try NamespaceCommands.ip("-n \(namespace) addr replace \(ip6)/64 dev eth0 nodad")
            try waitForLink()
        }
    }

    /// Until the interface has a carrier and its link-local address is settled: before, the kernel drops what
    /// is sent.
    fileprivate func waitForLink() throws {
        try eventually("\(name) to be on the network", within: 10) {
            try inside {
                let lines = try String(contentsOfFile: "/proc/thread-self/net/if_inet6", encoding: .utf8)
                    .split(separator: "\n").map { $0.split(separator: " ") }
                // address, index, prefix length, scope (20: link), flags (40: tentative), name
                return lines.contains { $0[5] == "eth0" && $0[3] == "20" && $0[4] == "80" }
            }
        }
    }

    /// From now on so much leaves it in a second, behind a queue of less than half a second, as of a modem.
    func setRate(kilobits: Int) throws {
        try NamespaceCommands.tc(
            in: namespace,
            "qdisc replace dev eth0 root tbf rate \(kilobits)kbit burst 16kb latency 400ms")
    }

    /// Leaves it with its link-local address only, as a cable between two boxes does.
    func dropAddresses() throws {
        try NamespaceCommands.ip("-n \(namespace) addr flush dev eth0 scope global")
    }

    /// Gives it other addresses, as after a move to another network; the old ones are gone.
    func renumber(to number: Int) throws {
        let (new4, new6) = ("10.77.0.\(number)", "fd77::\(number)")
        try NamespaceCommands.ipBatch(
            in: namespace,
            [
                // The first of a network takes the others with it when it goes: so it goes first.
                "addr del \(ip4)/24 dev eth0", "addr del \(ip6)/64 dev eth0",
                "addr add \(new4)/24 brd + dev eth0", "addr add \(new6)/64 dev eth0 nodad",
                // A beacon that was heard leads there too.
                "addr flush dev eth0 scope link", "addr add fe80::\(number)/64 dev eth0 nodad",
            ])
        (ip4, ip6) = (new4, new6)
    }
}

/// The boxes of one test and the bridge between them.
final class NamespaceLan {
    private static let prefix = "repldt-"
    private static let made = Shared(0)
    private let stem: String
    private var hub: String { stem + "hub" }
    private(set) var boxes: [NamespaceBox] = []

    /// Removes the namespaces of test processes that are gone.
    static func removeAbandoned() throws {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: "/run/netns")) ?? []
        where name.hasPrefix(prefix) {
            let pid = pid_t(name.dropFirst(prefix.count).prefix { $0 != "-" }) ?? 0
            if pid > 0, kill(pid, 0) == 0 { continue }
            try NamespaceCommands.ip("netns del \(name)")
        }
    }

    /// Makes the bridge.
    init() throws {
        let number = Self.made.change { count in
            count += 1
            return count
        }
        stem = "\(Self.prefix)\(getpid())-\(number)-"
        try NamespaceCommands.ip("netns add \(hub)")
        do {
            // A bridge that snooped on multicast would need a querier: this one floods.
            try NamespaceCommands.ipBatch(
                in: hub,
                [
                    "link add br0 type bridge stp_state 0 forward_delay 0 mcast_snooping 0",
                    "link set lo up", "link set br0 up",
                ])
        } catch {
            remove()
            throw error
        }
    }

    /// A new machine, plugged in, with addresses of both families.
    func box(_ name: String) throws -> NamespaceBox {
        let number = boxes.count + 1
        let box = NamespaceBox(name, namespace: "\(stem)\(number)", number: number)
        try NamespaceCommands.ip("netns add \(box.namespace)")
        boxes.append(box)
        try box.inside {
            // Addresses are of use at once: nobody here can have taken them.
            for scope in ["all", "default"] {
                try Data("0".utf8).write(
                    to: URL(fileURLWithPath: "/proc/sys/net/ipv6/conf/\(scope)/accept_dad"))
            }
        }
        try NamespaceCommands.ipBatch(
            in: hub,
            [
                "link add \(box.port) type veth peer name eth0 netns \(box.namespace)",
                "link set \(box.port) master br0 up",
            ])
        try NamespaceCommands.ipBatch(
            in: box.namespace,
            [
                "link set lo up", "link set eth0 up", "addr add \(box.ip4)/24 brd + dev eth0",
                "addr add \(box.ip6)/64 dev eth0 nodad",
            ])
        try box.waitForLink()
        return box
    }

    /// From now on nothing passes from the first to the second of each pair of boxes, and what was cut before
    /// and is not named passes again. Name a pair both ways for a cut both ways; `lossPercent` below 100
    /// loses only some packets.
    func cut(_ pairs: [(from: String, to: String)], lossPercent: Int = 100) throws {
        var rules = "table bridge cut\ndelete table bridge cut\n"
        rules +=
            "table bridge cut {\n chain forward {\n  type filter hook forward priority 0; policy accept;\n"
        for (from, to) in pairs {
            let chance = lossPercent >= 100 ? "" : "numgen random mod 100 < \(lossPercent) "
            rules += "  iifname \"\(try port(from))\" oifname \"\(try port(to))\" \(chance)counter drop\n"
        }
        try NamespaceCommands.nft(in: hub, rules + " }\n}\n")
    }

    /// Nothing passes between boxes of different groups; boxes in no group reach nobody.
    func separate(_ groups: [[String]]) throws {
        var pairs: [(String, String)] = []
        for a in boxes.map(\.name) {
            for b in boxes.map(\.name)
            where a != b && !groups.contains(where: { $0.contains(a) && $0.contains(b) }) {
                pairs.append((a, b))
            }
        }
        try cut(pairs)
    }

    func heal() throws { try cut([]) }

    func named(_ name: String) throws -> NamespaceBox {
        try #require(boxes.first { $0.name == name }, "there is no box \(name)")
    }

    private func port(_ name: String) throws -> String { try named(name).port }

    /// Removes everything. Nothing of the boxes may run any more.
    func remove() {
        for namespace in boxes.map(\.namespace) + [hub] {
            do {
                try NamespaceCommands.ip("netns del \(namespace)")
            } catch {
                // The next test process tries again.
                FileHandle.standardError.write(Data("left behind: \(error)\n".utf8))
            }
        }
        boxes = []
    }
}
