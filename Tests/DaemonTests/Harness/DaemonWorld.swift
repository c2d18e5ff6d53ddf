// A few daemons in one temporary directory. Whatever happens in a test, they are ended and their files
// removed; what they wrote to stderr is added to every issue of the test.

import Foundation
import Testing

/// One node: its files, its port, and its process while it runs.
final class Daemon {
    let name: String
    let folder: String
    let port: UInt16
    let api: ControlClient
    /// The machine it runs on; nil: this one, without discovery.
    let box: NamespaceBox?
    private let extra: [String]
    /// NAME=VALUE, beside the environment of the tests.
    var environment: [String] = []
    /// Words before the program: a tracer, `env`, a shell. They must become it, so that its process id is
    /// the child's.
    var wrapper: [String] = []
    /// Nil: the repld under test. Another one for tests of two releases.
    var program: String?
    /// The IPv4 address of this machine that it listens at.
    private let host: String
    var state: String { folder + "/" + name }
    var socket: String { api.socket }
    var address: String { "\(box?.ip4 ?? host):\(port)" }
    private(set) var process: ChildProcess?

    /// `at`: the address that a kept state names; nil: loopback, and a free port.
    init(
        _ name: String, in folder: String, on box: NamespaceBox? = nil,
        at kept: (host: String, port: UInt16)? = nil,
        arguments: [String] = []
    ) throws {
        (self.name, self.folder, self.box, extra) = (name, folder, box, arguments)
        host = kept?.host ?? "127.0.0.1"
        port = try kept?.port ?? box.map { _ in NamespaceWorld.port } ?? SocketConnection.freePort()
        api = ControlClient(socket: "\(folder)/\(name).sock")
    }

    var log: String { (try? String(contentsOfFile: logPath, encoding: .utf8)) ?? "" }
    private var logPath: String { "\(folder)/\(name).log" }

    /// Discovery only inside a namespace: on this machine it would speak to its network.
    var arguments: [String] {
        let place = box == nil ? ["--listen", address, "--no-discovery"] : []
        return ["--state", state, "--socket", socket, "--name", name] + place + extra
    }

    /// Starts it and waits until it answers; the first connection that is taken must get a 200.
    @discardableResult
    func start(peers: [Daemon] = [], extra: [String] = []) throws -> Daemon {
        try launch(arguments + extra + peers.flatMap { ["--peer", $0.address] })
        try eventually("\(name) to take a connection", within: 20, last: { self.log.suffix(400).description })
        {
            if let end = process?.poll() { throw EndedEarly(name: name, end: end, log: log) }
            return (try? api.open(1)) != nil
        }
        let answer = try api.get("/v1/status")
        try #require(answer.status == 200, "\(name): the first answers must be 200: \(answer)")
        return self
    }

    /// Starts it without waiting.
    @discardableResult
    func launch(_ arguments: [String]) throws -> ChildProcess {
        try #require(process?.poll() != nil || process == nil, "\(name) runs already")
        let program = try program ?? Programs.path("repld")
        // `env` and `ip netns exec` become the program: its process id is the daemon's.
        var words = ["/usr/bin/env"] + environment + wrapper + [program] + arguments
        if let box { words = [try #require(NamespaceCommands.ip), "netns", "exec", box.namespace] + words }
        let child = try ChildProcess(words[0], Array(words.dropFirst()), output: logPath)
        process = child
        return child
    }

    /// SIGTERM; must exit with 0 in 5 s.
    func stop() throws {
        guard let process else { return }
        process.signal(SIGTERM)
        let end = try process.waitForEnd(within: 8, "\(name) after SIGTERM")
        try #require(end == .exit(0), "\(name) ended with \(end)")
    }

    func crash() { process?.finish(with: SIGKILL) }

    struct EndedEarly: Error, CustomStringConvertible {
        let name: String
        let end: ChildProcess.End
        let log: String
        var description: String { "\(name) ended at its start: \(end)\n\(log.suffix(1_000))" }
    }
}

/// The daemons of one test.
final class DaemonWorld {
    let folder: String
    private(set) var daemons: [Daemon] = []

    /// Gives the body a world and ends everything after it.
    static func run(_ body: (DaemonWorld) throws -> Void) throws {
        let world = try DaemonWorld()
        logs.change { $0 = [] }
        live.change { $0 = world }
        defer {
            logs.change { $0 = world.tails() }
            live.change { $0 = nil }
            world.end()
        }
        try body(world)
        world.checkWords()
    }

    /// Logs, with the reasons of CLOSE that came from peers, are in words: no value stands in them as Swift
    /// prints it, `DeviceID(publicKey: …)` or `Optional(…)`.
    private func checkWords() {
        for daemon in daemons {
            let (log, form) = (daemon.log, #"[A-Za-z0-9_]\([A-Za-z0-9_]+: |Optional\("#)
            guard let place = log.range(of: form, options: .regularExpression) else { continue }
            let line = log[log.lineRange(for: place)].prefix(500)
            Issue.record("\(daemon.name) logs a value of the language: \(line)")
        }
    }

    private init() throws {
        var template = Array("/tmp/repld-tests-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw ConnectionFailure.failed("mkdtemp", errno) }
        folder = String(cString: made)
    }

    /// A node that does not run yet; `place` is another folder for it, on another disk.
    func daemon(
        _ name: String, in place: String? = nil, on box: NamespaceBox? = nil,
        at kept: (host: String, port: UInt16)? = nil, arguments: [String] = []
    ) throws -> Daemon {
        let daemon = try Daemon(name, in: place ?? folder, on: box, at: kept, arguments: arguments)
        daemons.append(daemon)
        return daemon
    }

    /// A node that answers.
    func started(_ name: String, peers: [Daemon] = []) throws -> Daemon {
        try daemon(name).start(peers: peers)
    }

    /// `cp -a`
    func copy(_ source: String, to target: String) throws {
        let result = try ChildProcess.run("/bin/cp", ["-a", source, target], within: 30)
        try #require(result.end == .exit(0), "cp -a \(source) \(target)")
    }

    private func end() {
        for daemon in daemons { daemon.crash() }
        try? FileManager.default.removeItem(atPath: folder)
    }

    private func tails() -> [String] {
        daemons.map { "\(Self.tailHead)\($0.name):\n\($0.log.suffix(2_000))" }
    }

    // MARK: Logs for failures

    static let tailHead = "--- stderr of "

    private static let live = Shared<DaemonWorld?>(nil)
    private static let logs = Shared<[String]>([])

    /// The last lines of the daemons of the running test, or of the one that just ended.
    static var currentTails: [String] { live.value?.tails() ?? logs.value }
}
