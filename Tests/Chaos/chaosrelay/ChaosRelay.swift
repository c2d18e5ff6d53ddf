// A bad network between two honest ends, for tests: TCP connections and datagrams pass through it and are
// delayed, held back, thinned out, cut. One thread and poll(2); chance is seeded. It is a tool of the tests
// and never installed.
//
//     chaosrelay SEED tcp:IP:PORT=IP:PORT … udp:IP:PORT=IP:PORT …
//
// It says `ready` once all ports are bound. Then lines on stdin change the weather from there on; each is
// answered by `ok`, or by a line that says what is wrong:
//
//     delay MS         one way, both ways          loss PERCENT        of datagrams
//     jitter MS        up to so much more          duplicate PERCENT   of datagrams
//     throttle BYTES   a second and connection and way; 0: as fast as it goes
//     cut              connections are reset, new ones refused at once, datagrams dropped
//     half-open        everything stays open and nothing passes
//     heal             neither cut nor half-open; what was held back passes
//     stats            `connections N bytes N datagrams N dropped N`
//
// Jitter reorders datagrams. A TCP stream stays in order, as TCP does for its users.

import Glibc

@main
enum ChaosRelay {
    static func main() {
        signal(SIGPIPE, SIG_IGN)
        let words = CommandLine.arguments.dropFirst()
        guard let seed = words.first.flatMap({ UInt64($0) }) else {
            say("chaosrelay SEED tcp:IP:PORT=IP:PORT … udp:IP:PORT=IP:PORT …")
            exit(2)
        }
        var relay = Relay(seed: seed)
        for word in words.dropFirst() {
            guard let route = Route(word), relay.open(route) else {
                say("cannot open \(word): \(String(cString: strerror(errno)))")
                exit(2)
            }
        }
        say("ready")
        while relay.turn() {}
    }

    /// One line, at once.
    static func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = write(1, bytes, bytes.count)
    }
}

/// From where to where.
struct Route {
    let isDatagram: Bool
    let listen: sockaddr_in
    let target: sockaddr_in

    init?(_ word: String) {
        let kind = word.split(separator: ":", maxSplits: 1)
        guard kind.count == 2, kind[0] == "tcp" || kind[0] == "udp" else { return nil }
        let ends = kind[1].split(separator: "=")
        guard ends.count == 2, let listen = Self.address(ends[0]), let target = Self.address(ends[1]) else {
            return nil
        }
        (isDatagram, self.listen, self.target) = (kind[0] == "udp", listen, target)
    }

    /// IPv4 only: loopback and namespaces of tests.
    private static func address(_ text: Substring) -> sockaddr_in? {
        let parts = text.split(separator: ":")
        guard parts.count == 2, let port = UInt16(parts[1]) else { return nil }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        return inet_pton(AF_INET, String(parts[0]), &address.sin_addr) == 1 ? address : nil
    }
}

/// What is done to what passes.
struct Weather {
    enum Passage {
        case open, cut, halfOpen
    }

    var delay: UInt64 = 0
    var jitter: UInt64 = 0
    var loss = 0
    var duplicate = 0
    /// Bytes a second; 0: no bound.
    var throttle: UInt64 = 0
    var passage = Passage.open

    /// Takes a line of stdin; nil when it is understood, else what is wrong.
    mutating func take(_ line: Substring) -> String? {
        let words = line.split(separator: " ")
        if words.count == 1 {
            switch words[0] {
            case "cut": passage = .cut
            case "half-open": passage = .halfOpen
            case "heal": passage = .open
            default: return "unknown: \(line)"
            }
            return nil
        }
        guard words.count == 2, let number = Int(words[1]), number >= 0 else { return "unknown: \(line)" }
        switch words[0] {
        case "delay": delay = UInt64(number)
        case "jitter": jitter = UInt64(number)
        case "loss": loss = number
        case "duplicate": duplicate = number
        case "throttle": throttle = UInt64(number)
        default: return "unknown: \(line)"
        }
        return nil
    }
}

/// SplitMix64.
struct Dice {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func below(_ bound: UInt64) -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return (z ^ (z >> 31)) % bound
    }

    mutating func chance(percent: Int) -> Bool { percent > 0 && below(100) < UInt64(percent) }
}

/// Milliseconds that nobody sets.
func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000 + UInt64(time.tv_nsec) / 1_000_000
}
