// The part of a soak with processes: four daemons on 127.0.0.1, with checkpoints every minute or so, of which
// two run through and two are restarted again and again: stopped, killed, and copied, which opens a new
// incarnation.

import Bytes
import Glibc
import JSON

struct ProcessSoak {
    static let nodes = 4
    /// Those from here on are restarted; the others run through.
    static let restarted = 2
    private static let space = "/v1/spaces/soak"
    /// Transactions of each node a second.
    private static let rate = 20.0
    private static let lookSeconds = 30.0
    /// What was written last is on all, and an idle daemon has given back what it does not need.
    private static let quietSeconds = 20.0
    /// Openings of which the middle one counts, where a bound depends on it.
    private static let openings = 5

    private let program: String
    private let directory: TemporaryDirectory
    private var daemons: [BenchNode] = []
    private let ports: [UInt16]
    private let config: String
    private let prefix: String
    private(set) var record = SoakRecord(part: "processes", unit: "minutes")
    private var standing = ""
    private var round = 0
    private var restarts = 0
    private let tell: (String) -> Void

    /// What the space holds at first.
    enum State {
        /// So many documents.
        case documents(Int)
        /// A typed export.
        case typed([UInt8])
    }

    /// Starts the daemons, with one space.
    init(
        _ prefix: String, program: String, in directory: TemporaryDirectory, state: State,
        tell: @escaping (String) -> Void
    ) throws(BenchFailure) {
        (self.prefix, self.program, self.directory, self.tell) = (prefix, program, directory, tell)
        var ports: [UInt16] = []
        for _ in 0..<Self.nodes { ports.append(try LoopbackPort.free()) }
        self.ports = ports
        config = try directory.write(
            """
            retain-history = 0
            checkpoint-log-bytes = "1MiB"
            checkpoint-seconds = "45s"

            """, as: "soak.toml")
        for node in 0..<Self.nodes { daemons.append(try daemon(node)) }
        try daemons[0].ask("POST", "/v1/spaces", body: #"{"name":"soak"}"#)
        switch state {
        case .documents(let count):
            for text in SoakChurn.state(documents: count) { try transact(text, at: 0) }
        case .typed(let lines):
            _ = try daemons[0].body(
                "POST", "\(Self.space)/import", body: lines, type: "application/x-ndjson")
        }
        for node in 1..<Self.nodes {
            let token = try daemons[0].ask(
                "POST", "\(Self.space)/invites", body: #"{"role":"writer","expiresSeconds":600}"#,
                member: "token")
            try daemons[node].join(token)
        }
        try converge()
    }

    private func daemon(_ node: Int) throws(BenchFailure) -> BenchNode {
        try BenchNode(
            "\(prefix)\(node)", program: program, in: directory, port: ports[node],
            options: ["--config", config])
    }

    // MARK: Steps

    /// Churn, restarts and looks for so long.
    mutating func run(minutes: Double) throws(BenchFailure) {
        let start = microseconds()
        let end = start + minutes * 60e6
        var look = start + Self.lookSeconds * 1e6
        var next = start
        while microseconds() < end {
            for node in 0..<Self.nodes {
                try transact(SoakChurn.transaction(round: round, node: node), at: node)
            }
            round += 1
            if round % Int(Self.rate) == 0 { try noteStanding() }
            if microseconds() >= look {
                look += Self.lookSeconds * 1e6
                try sample(at: (microseconds() - start) / 60e6)
            }
            next = max(next + 1e6 / Self.rate, microseconds())
            usleep(UInt32(max(0, min(next - microseconds(), 1e6 / Self.rate))))
        }
        try converge()
        for node in daemons {
            let status = try node.json("/v1/status")
            guard case .array(let alarms)? = status["alarms"] else { continue }
            let codes = alarms.compactMap { $0["code"]?.text }
                .filter { !SoakRecord.expectedAlarms.contains($0) }
            guard codes.isEmpty else { throw BenchFailure("a daemon raises \(codes)") }
        }
    }

    /// Nobody writes for a while: memory, disk and opening times to be compared with those of other daemons.
    mutating func rest() throws(BenchFailure) -> (memory: Double, opening: Double) {
        usleep(UInt32(Self.quietSeconds * 1e6))
        let through = daemons[..<Self.restarted].map { Double($0.process.residentBytes) }
        var openings: [Double] = []
        for _ in 0..<Self.openings { openings.append(try reopen(Self.restarted, .stop)) }
        openings.sort()
        return (through.reduce(0, +) / Double(through.count), openings[openings.count / 2])
    }

    /// The typed export, by which another space can be filled.
    func typedExport() throws(BenchFailure) -> [UInt8] {
        try daemons[0].body("GET", "\(Self.space)/export?view=typed")
    }

    /// Ends the daemons.
    func end() { for daemon in daemons { daemon.process.stop() } }

    // MARK: Churn

    /// A daemon that was just started may be busy for a while.
    private func transact(_ text: String, at node: Int) throws(BenchFailure) {
        let request = BenchNode.request("POST", "\(Self.space)/transactions", body: text)
        let end = microseconds() + 60e6
        while true {
            let reply = try daemons[node].connection.ask(request, .http)
            if BenchNode.isFine(reply) { return }
            guard microseconds() < end else {
                throw BenchFailure("refused for a minute: \(String(decoding: reply, as: UTF8.self))")
            }
            usleep(100_000)
        }
    }

    private enum Ending { case stop, kill, copy }

    /// Ends a daemon and starts it again; milliseconds until it answered.
    private mutating func reopen(_ node: Int, _ ending: Ending) throws(BenchFailure) -> Double {
        if case .kill = ending { kill(daemons[node].process.pid, SIGKILL) }
        daemons[node].process.stop()
        if case .copy = ending {
            let state = daemons[node].state
            let output = "\(directory.path)/copy.log"
            try ChildProcess("cp", ["cp", "-a", state, "\(state).copy"], output: output).wait()
            try ChildProcess("rm", ["rm", "-r", state], output: output).wait()
            guard rename("\(state).copy", state) == 0 else { throw BenchFailure("\(state) is not renamed") }
        }
        let begin = microseconds()
        daemons[node] = try daemon(node)
        _ = try daemons[node].reply("GET", "/v1/status")
        return (microseconds() - begin) / 1_000
    }

    /// All show the same.
    private func converge() throws(BenchFailure) {
        let end = microseconds() + 120e6
        while true {
            var exports: Set<[UInt8]> = []
            for node in daemons {
                // A newcomer shows nothing before it has a base. A page that others follow would hold the
                // state that it was taken from, and the disk would grow meanwhile.
                let reply = try node.connection.ask(
                    BenchNode.request("GET", "\(Self.space)/documents?prefix=nothing/&limit=1"), .http)
                exports.insert(
                    BenchNode.isFine(reply) ? try node.body("GET", "\(Self.space)/export") : [])
            }
            if exports.count == 1, exports != [[]] { return }
            guard microseconds() < end else { throw BenchFailure("the daemons do not show the same") }
            usleep(500_000)
        }
    }

    // MARK: Looks

    private mutating func sample(at minutes: Double) throws(BenchFailure) {
        for (node, daemon) in daemons.enumerated() {
            let metrics = String(decoding: try daemon.reply("GET", "/v1/metrics"), as: UTF8.self)
            record.add(.disk, node: node, at: minutes, Double(Self.bytes(of: daemon.state)))
            record.add(.log, node: node, at: minutes, Self.metric("repl_log_bytes", in: metrics))
            record.add(.vector, node: node, at: minutes, Self.metric("repl_space_logs", in: metrics))
            record.add(.memory, node: node, at: minutes, Double(daemon.process.residentBytes))
        }
        record.addState(at: minutes, try daemons[0].body("GET", "\(Self.space)/export").count)
        restarts += 1
        let node = Self.restarted + restarts % (Self.nodes - Self.restarted)
        let ending: Ending = restarts % 4 == 0 ? .copy : restarts % 2 == 0 ? .stop : .kill
        record.add(.opening, node: node, at: minutes, try reopen(node, ending))
        tell("minute \((minutes * 10).rounded() / 10): \(record.checkpoints) checkpoints")
    }

    /// Counts checkpoints by their names, about once a second.
    private mutating func noteStanding() throws(BenchFailure) {
        let report = try daemons[0].json("\(Self.space)/checkpoints")
        guard let id = report["standing"]?["id"]?.text, id != standing else { return }
        standing = id
        record.checkpoints += 1
    }

    private static func metric(_ name: String, in text: String) -> Double {
        for line in text.split(whereSeparator: \.isNewline) where line.hasPrefix(name + "{") {
            return line.split(separator: " ").last.flatMap { Double($0) } ?? 0
        }
        return 0
    }

    /// What the files of a directory take of the disk.
    private static func bytes(of path: String) -> Int {
        guard let directory = opendir(path) else { return 0 }
        defer { closedir(directory) }
        var sum = 0
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix(while: { $0 != 0 }), as: UTF8.self)
            }
            if name == "." || name == ".." { continue }
            var status = stat()
            guard lstat("\(path)/\(name)", &status) == 0 else { continue }
            sum += Int(status.st_blocks) * 512
            if entry.pointee.d_type == UInt8(DT_DIR) { sum += bytes(of: "\(path)/\(name)") }
        }
        return sum
    }
}
