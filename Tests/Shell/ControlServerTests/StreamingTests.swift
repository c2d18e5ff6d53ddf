// Answers that go on: change streams, long reads, joins, and what stopping does to them.

import Bytes
import Causality
import ControlAPI
import Documents
import Foundation
import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import Node
import NodeRuntime
import Testing
import Wire

@testable import ControlServer

private final class Pieces: ReadJob {
    private let left: NIOLockedValueBox<[[UInt8]]>
    private let fails: Bool
    init(_ pieces: [String], fails: Bool = false) {
        left = NIOLockedValueBox(pieces.map { Array($0.utf8) })
        self.fails = fails
    }
    var isDone: Bool { left.withLockedValue { $0.isEmpty } }
    var remaining: Int { left.withLockedValue { $0.count } }
    func next() throws(StoreFailure) -> [UInt8]? {
        if let piece = left.withLockedValue({ $0.isEmpty ? nil : $0.removeFirst() }) { return piece }
        if fails { throw .readerExpired }
        return nil
    }
}

@Suite struct StreamingTests {
    private func event(_ number: Int) -> NodeAnswer {
        .watchLine(.state(cursor: "c\(number)", key: "d", patches: []))
    }

    /// Without the empty lines that say in between that the stream is alive.
    private func written(_ answer: String) -> [String] { lines(answer).filter { !$0.isEmpty } }

    @Test("a change stream flushes its head, passes lines on, and gives credit for what was written out")
    func watching() async throws {
        let watcher = NIOLockedValueBox<(@Sendable (NodeAnswer) -> Void)?>(nil)
        let gateway = ScriptedGateway { _, _, answer in
            watcher.withLockedValue { $0 = answer }
            answer(.watching(cursor: "c0"))
        }
        try await serving(gateway) { path in
            let client = try await SocketClient(path)
            try await client.send(get("/v1/spaces/s/changes"))
            let head = try await client.received(until: "c0\"}\n")
            #expect(head.contains("Content-Type: application/x-ndjson") && head.contains("Repl-Cursor: c0"))
            let send = try #require(watcher.withLockedValue { $0 })
            for number in 1...3 { send(event(number)) }
            // To the end of its chunk, whether or not the three came in one.
            let three = written(
                try await client.received(until: "c3\",\"documents\":[{\"key\":\"d\",\"patches\":[]}]}\n\r\n")
            )
            #expect(three[1] == #"{"cursor":"c1","documents":[{"key":"d","patches":[]}]}"#)
            while gateway.state.credit < 3 { await Task.yield() }
            #expect(gateway.state.credit == 3)
            send(.watchLine(.resync(cursor: "c9")))
            send(.ended)
            let all = try await client.received(until: "0\r\n\r\n")
            #expect(written(all)[4] == #"{"resync":true,"cursor":"c9"}"#)
        }
    }

    @Test("a watcher that goes away is cancelled at the node")
    func watcherGone() async throws {
        let gateway = ScriptedGateway { _, _, answer in answer(.watching(cursor: "c0")) }
        try await serving(gateway) { path in
            let client = try await SocketClient(path)
            try await client.send(get("/v1/spaces/s/changes", headers: "Accept: text/event-stream\r\n"))
            let head = try await client.received(until: "c0\"}\n\n")
            #expect(head.contains("text/event-stream") && head.contains("id: c0\ndata: {\"cursor\":\"c0\"}"))
            await client.close()
            while gateway.state.cancelled.isEmpty { await Task.yield() }
            #expect(gateway.state.cancelled == [RequestID(1)])
        }
    }

    @Test("an idle change stream shows that it lives")
    func idle() async throws {
        let gateway = ScriptedGateway { _, _, answer in answer(.watching(cursor: "c0")) }
        var limits = ControlLimits()
        limits.idleMilliseconds = 5
        try await serving(gateway, limits: limits) { path in
            let client = try await SocketClient(path)
            try await client.send(get("/v1/spaces/s/changes"))
            _ = try await client.received(until: "1\r\n\n\r\n1\r\n\n\r\n")
            let events = try await SocketClient(path)
            try await events.send(get("/v1/spaces/s/changes", headers: "Accept: text/event-stream\r\n"))
            _ = try await events.received(until: ":\n\n")
            await client.close()
            await events.close()
        }
    }

    @Test("a refused watch has a real status")
    func refusedWatch() async throws {
        try await serving(
            ScriptedGateway { _, _, answer in answer(.failed(.tooMany(what: "watchers", limit: 256))) }
        ) { path in
            let client = try await SocketClient(path)
            try await client.send(get("/v1/spaces/s/changes", headers: "Connection: close\r\n"))
            #expect(try await client.receivedAll().hasPrefix("HTTP/1.1 429 "))
        }
    }

    @Test("a long read comes whole; one that fails at once has a status, one that fails later is visibly cut")
    func longReads() async throws {
        let gateway = ScriptedGateway { request, _, answer in
            switch request {
            case .export(_, .plain, _): answer(.reading(Pieces(["{}\n", "{\"a\":1}\n"]), cursor: "c1"))
            case .export(_, .typed, _): answer(.reading(Pieces(["{}\n"], fails: true), cursor: "c1"))
            default: answer(.reading(Pieces([], fails: true), cursor: "c1"))
            }
        }
        try await serving(gateway) { path in
            let client = try await SocketClient(path)
            try await client.send(get("/v1/spaces/s/export"))
            let whole = try await client.received(until: "0\r\n\r\n")
            #expect(whole.contains("Repl-Cursor: c1") && lines(whole) == ["{}", "{\"a\":1}", ""])
            try await client.send(get("/v1/spaces/s/log"))
            #expect(try await client.received(until: "store-failed").contains("HTTP/1.1 500 "))
            let other = try await SocketClient(path)
            try await other.send(get("/v1/spaces/s/export?view=typed"))
            let cut = try await other.receivedAll()
            #expect(cut.contains("3\r\n{}\n\r\n") && !cut.hasSuffix("0\r\n\r\n"))
        }
    }

    @Test("a client that reads slowly holds a long read back")
    func slowReader() async throws {
        let job = Pieces(Array(repeating: String(repeating: "x", count: 16_383) + "\n", count: 200))
        try await serving(ScriptedGateway { _, _, answer in answer(.reading(job, cursor: "c")) }) { path in
            let client = try await SocketClient(path, autoRead: false)
            try await client.send(get("/v1/spaces/s/export", headers: "Connection: close\r\n"))
            var (last, same) = (200, 0)
            while same < 50 {
                try await Task.sleep(for: .milliseconds(2))
                same = job.remaining == last && last < 200 ? same + 1 : 0
                last = job.remaining
            }
            #expect(last > 100)
            try await client.startReading()
            #expect(lines(try await client.receivedAll()).count == 201)
        }
    }

    @Test("a version that a long read must hold is waited for first")
    func atLeast() async throws {
        let gateway = ScriptedGateway { request, _, answer in
            switch request {
            case .listDocuments(_, _, _, _, .some): answer(.failed(.timedOut))
            default: answer(.reading(Pieces([]), cursor: "c"))
            }
        }
        try await serving(gateway) { path in
            let client = try await SocketClient(path)
            try await client.send(
                get("/v1/spaces/s/export", headers: "Repl-At-Least: v\r\nConnection: close\r\n"))
            #expect(try await client.receivedAll().hasPrefix("HTTP/1.1 408 "))
        }
    }

    @Test("a join has a real status before its first line, and an error line after it")
    func joining() async throws {
        let gateway = ScriptedGateway { request, _, answer in
            guard case .join(let token, _) = request, token != "spent" else {
                return answer(.failed(.inviteSpent))
            }
            answer(.joinStage("dialling"))
            answer(
                token == "good"
                    ? .joined(
                        SpaceReport(
                            id: SpaceID(raw: .zero), name: "n", role: .writer, members: 2, documents: 0))
                    : .failed(.inviterUnreachable(tried: [])))
        }
        try await serving(gateway) { path in
            let client = try await SocketClient(path)
            try await client.send(post("/v1/join", #"{"token":"spent"}"#))
            #expect(try await client.received(until: "hint").hasPrefix("HTTP/1.1 410 "))
            try await client.send(post("/v1/join", #"{"token":"good"}"#))
            #expect(try await client.received(until: #"{"space":{"id":"#).contains(#"{"stage":"dialling"}"#))
            try await client.send(post("/v1/join", #"{"token":"far"}"#, headers: "Connection: close\r\n"))
            #expect(try await client.receivedAll().contains(#"{"error":{"code":"no-inviter-reached""#))
        }
    }

    @Test("a backup is streamed and its copy removed")
    func backup() async throws {
        let copy = FileManager.default.temporaryDirectory.appending(path: "repl-copy-\(UUID().uuidString)")
            .path
        try Data(repeating: 0x61, count: 600_000).write(to: URL(fileURLWithPath: copy))
        try await serving(ScriptedGateway { _, _, answer in answer(.backup(path: copy)) }) { path in
            let client = try await SocketClient(path)
            try await client.send(post("/v1/backup", "", headers: "Connection: close\r\n"))
            #expect(lines(try await client.receivedAll()) == [String(repeating: "a", count: 600_000)])
            #expect(!FileManager.default.fileExists(atPath: copy))
        }
    }

    @Test("stopping ends streams, tells who waits, and removes the socket, watchers or not")
    func stopping() async throws {
        let gateway = ScriptedGateway { request, _, answer in
            switch request {
            case .watch: answer(.watching(cursor: "c0"))
            case .members: answer(.members([]))
            default: break
            }
        }
        let directory = FileManager.default.temporaryDirectory.appending(
            path: "repl-\(UUID().uuidString.prefix(8))")
        let path = directory.appending(path: "control.sock").path
        let server = ControlServer(
            path: path, gateway: gateway, loops: MultiThreadedEventLoopGroup.singleton,
            log: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
        try await server.bind()
        let watcher = try await SocketClient(path)
        let stream = try await SocketClient(path)
        let idle = try await SocketClient(path)
        try await watcher.send(get("/v1/spaces/s/changes"))
        _ = try await watcher.received(until: "c0")
        try await stream.send(
            "POST /v1/spaces/s/transactions:stream HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")
        _ = try await stream.received(until: "200 OK")
        let waiting = try await SocketClient(path)
        let known = gateway.state.count
        try await waiting.send(get("/v1/spaces/s/wait?change=\(String(repeating: "0", count: 32)):1"))
        while gateway.state.count == known { await Task.yield() }
        await server.stop()
        #expect(try await waiting.receivedAll().hasPrefix("HTTP/1.1 503 "))
        #expect(try await watcher.receivedAll().hasSuffix("0\r\n\r\n"))
        #expect(try await stream.receivedAll().hasSuffix("0\r\n\r\n"))
        #expect(try await idle.receivedAll().isEmpty)
        #expect(!FileManager.default.fileExists(atPath: path))
        try FileManager.default.removeItem(at: directory)
    }

    @Test("answers that were given and not read yet are read whole, though the server stops meanwhile")
    func unreadAtStop() async throws {
        let isAnswered = NIOLockedValueBox(false)
        let gateway = ScriptedGateway { _, _, answer in
            answer(.members([]))
            isAnswered.withLockedValue { $0 = true }
        }
        let directory = FileManager.default.temporaryDirectory.appending(
            path: "repl-\(UUID().uuidString.prefix(8))")
        defer { try? FileManager.default.removeItem(at: directory) }
        let path = directory.appending(path: "control.sock").path
        let loops = MultiThreadedEventLoopGroup.singleton
        let server = ControlServer(
            path: path, gateway: gateway, loops: loops,
            log: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
        try await server.bind()
        let client = try await SocketClient(path, autoRead: false)
        // More than the system holds of them; when the node was asked the last question, the others are out.
        let count = 20
        try await client.send(
            String(repeating: get("/v1/openapi.json"), count: count) + get("/v1/spaces/s/members"))
        while !isAnswered.withLockedValue({ $0 }) { await Task.yield() }
        for loop in loops.makeIterator() { try await loop.submit {}.get() }
        async let stopped: Void = server.stop()
        while FileManager.default.fileExists(atPath: path) { await Task.yield() }
        for loop in loops.makeIterator() { try await loop.submit {}.get() }
        try await client.startReading()
        let all = try await client.receivedAll()
        await stopped
        #expect(all.components(separatedBy: "HTTP/1.1 200 ").count == count + 2)
        #expect(all.hasSuffix("}"), "\(all.suffix(100))")
    }

    @Test("a stale socket is replaced, a live one and other files are not")
    func socketFile() async throws {
        try await serving(ScriptedGateway { _, _, _ in }) { path in
            #expect(throws: ControlServerFailure.self) { try SocketFile(path: path).prepare() }
            var info = stat()
            #expect(lstat(path, &info) == 0 && info.st_mode & 0o777 == 0o660)
        }
        let file = FileManager.default.temporaryDirectory.appending(path: "repl-\(UUID().uuidString)").path
        try Data().write(to: URL(fileURLWithPath: file))
        #expect(throws: ControlServerFailure.self) { try SocketFile(path: file).prepare() }
        try FileManager.default.removeItem(atPath: file)
    }

    @Test(
        "a socket is served whose path has 103 bytes; one byte more is refused with the limit and what to do")
    func socketPathLimit() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(
            path: "repl-\(UUID().uuidString.prefix(8))")
        defer { try? FileManager.default.removeItem(at: directory) }
        let room = ControlServer.socketPathBytesMax - directory.path.utf8.count - 1
        let longest = directory.path + "/" + String(repeating: "x", count: room)
        let server = { path in
            ControlServer(
                path: path, gateway: ScriptedGateway { _, _, _ in },
                loops: MultiThreadedEventLoopGroup.singleton,
                log: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
        }
        let serving = server(longest)
        try await serving.bind()
        let client = try await SocketClient(longest)
        try await client.send("nonsense\r\n\r\n")
        #expect(try await client.receivedAll().hasPrefix("HTTP/1.1 400 "))
        await serving.stop()
        await #expect {
            try await server(longest + "x").bind()
        } throws: {
            "\($0)".contains("has 104 bytes, at most 103") && "\($0)".contains("--socket")
        }
    }

    @Test("root, the daemon's user and its group may connect, others not")
    func credentials() {
        let me = PeerCredentials(process: getpid(), user: getuid(), group: getgid())
        #expect(me.identity(allowed: nil, told: nil).bySocket != nil)
        let other = PeerCredentials(process: getpid(), user: 4_000_000_001, group: 4_000_000_002)
        #expect(other.identity(allowed: nil, told: nil).bySocket == nil)
        #expect(other.identity(allowed: 4_000_000_002, told: nil).bySocket == .groupMember)
        #expect(other.identity(allowed: 4_000_000_003, told: nil).bySocket == nil)
        // What the kernel tells is the whole of it.
        var told = InlineArray<1_024, gid_t>(repeating: 0)
        told[3] = 4_000_000_003
        let stranger = PeerCredentials(process: getpid(), user: 4_000_000_001, group: 4_000_000_001)
        let groups = PeerGroups(numbers: told)
        #expect(stranger.identity(allowed: 4_000_000_003, told: groups).bySocket == .groupMember)
        #expect(stranger.identity(allowed: 4_000_000_004, told: groups).bySocket == nil)
        #expect(stranger.identity(allowed: nil, told: groups).groups == [4_000_000_001, 4_000_000_003])
        #expect(groups.all == [4_000_000_003])
        #expect(
            PeerCredentials.groups(inStatus: "Name:\tx\nGroups:\t4 24 1000 \nVmPeak: 1\n") == [4, 24, 1000])
    }

    @Test(
        "who is named has the rules of his name and of all his groups, others what the socket gives, root all"
    )
    func access() {
        let (mine, ours) = (AccessRule(space: "a", mayWrite: true), AccessRule(space: "b", mayWrite: false))
        let table = AccessTable(AccessRules(users: [0: [], 7: [mine], 8: []], groups: [100: [ours]]))
        func caller(_ user: UInt32, _ groups: [UInt32], _ bySocket: Caller?) -> Caller? {
            table.caller(SocketPeer(user: user, groups: groups, bySocket: bySocket))
        }
        #expect(caller(0, [], .root) == .root && caller(7, [], .owner) == .owner)
        #expect(caller(7, [1], .groupMember) == .restricted(AccessGrants([mine])))
        #expect(caller(7, [1, 100], nil) == .restricted(AccessGrants([mine, ours])))
        #expect(caller(9, [100], .groupMember) == .restricted(AccessGrants([ours])))
        #expect(caller(8, [1], .groupMember) == .restricted(AccessGrants([])))
        #expect(caller(9, [1], .groupMember) == .groupMember && caller(9, [1], nil) == nil)
        let stranger = SocketPeer(user: 9, groups: [1], bySocket: nil)
        // Who had something when his request began, and has nothing any more.
        #expect(table.grants(of: stranger) == AccessGrants([]))
        table.replace(by: AccessRules())
        #expect(caller(7, [100], .groupMember) == .groupMember)
    }
}
