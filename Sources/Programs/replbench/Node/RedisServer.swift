// The server to stand beside: Redis from Debian, every write in its append-only file and synced, on loopback.

import Glibc

final class RedisServer {
    let process: ChildProcess
    let port: UInt16

    init(_ name: String, program: String, replicaOf primary: UInt16?, in directory: TemporaryDirectory)
        throws(BenchFailure)
    {
        port = try LoopbackPort.free()
        let folder = "\(directory.path)/redis-\(name)"
        mkdir(folder, 0o700)
        var arguments = [
            program, "--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--save", "",
            "--daemonize", "no",
            "--repl-diskless-sync-delay", "0",
        ]
        if let primary {
            arguments += ["--appendonly", "no", "--replicaof", "127.0.0.1 \(primary)"]
        } else {
            arguments += ["--appendonly", "yes", "--appendfsync", "always"]
        }
        process = try ChildProcess(name, arguments, output: "\(directory.path)/redis-\(name).log")
        let end = microseconds() + 20e6
        while true {
            do throws(BenchFailure) {
                _ = try Connection(.tcp(port: port))
                return
            } catch {
                guard microseconds() < end else { throw error }
                usleep(2_000)
            }
        }
    }

    func connections(_ count: Int) throws(BenchFailure) -> [Connection] {
        var result: [Connection] = []
        for _ in 0..<count { result.append(try Connection(.tcp(port: port))) }
        return result
    }

    static func write(_ number: Int) -> [UInt8] {
        command("SET", "record/\(number)", BenchNode.payload(number))
    }
    static func read(_ number: Int) -> [UInt8] { command("GET", "record/\(number)") }
    static func isFine(_ reply: [UInt8]) -> Bool { reply.first == UInt8(ascii: "+") }

    private static func command(_ words: String...) -> [UInt8] {
        Array(("*\(words.count)\r\n" + words.map { "$\($0.utf8.count)\r\n\($0)\r\n" }.joined()).utf8)
    }

    /// Removes every record.
    func clear() throws(BenchFailure) {
        _ = try Connection(.tcp(port: port)).ask(Self.command("FLUSHALL"), .redis)
    }

    /// Returns when this replica holds as many records as its primary.
    func waitUntilLevel(with primary: RedisServer) throws(BenchFailure) {
        let expected = try Connection(.tcp(port: primary.port)).ask(Self.command("DBSIZE"), .redis)
        let connection = try Connection(.tcp(port: port))
        let end = microseconds() + 600e6
        while microseconds() < end {
            // Answers an error while it loads.
            if try connection.ask(Self.command("DBSIZE"), .redis) == expected { return }
            usleep(1_000)
        }
        throw BenchFailure("the Redis replica did not catch up in 600 s")
    }
}
