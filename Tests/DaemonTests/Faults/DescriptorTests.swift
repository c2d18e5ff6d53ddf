// 64 descriptors and no more: storms of connections at the control socket and at the peer port, and more
// watchers than there is room for. The daemon lives, does not spin (accept(2) without a descriptor returns at
// once, for ever), and is of use again as soon as the storm is over.

import Foundation
import Testing

extension DaemonTests {
    @Suite struct DescriptorTests {
        private func limited(_ world: DaemonWorld) throws -> Daemon {
            let daemon = try world.daemon("a")
            daemon.wrapper = ["/bin/sh", "-c", "ulimit -n 64; exec \"$0\" \"$@\""]
            return try daemon.start()
        }

        /// While it is asked nothing it must not work: a storm that waits costs nothing.
        private func expectIdle(_ daemon: Daemon, _ what: String) throws {
            let before = try daemon.processorSeconds()
            usleep(1_500_000)
            let spent = try daemon.processorSeconds() - before
            #expect(spent < 0.5, "\(what): \(spent) s of processor time in 1.5 s")
        }

        @Test("storms of connections with 64 descriptors: it lives, does not spin, and serves again")
        func storms() throws {
            try DaemonWorld.run { world in
                let daemon = try limited(world)
                try daemon.api.createSpace("s")
                for round in 0..<FaultRounds.count(sample: 2, whole: 10) {
                    for isPeerPort in [false, true] {
                        let name = isPeerPort ? "peer port" : "control socket"
                        var storm: [SocketConnection] = []
                        for _ in 0..<150 {
                            let connection =
                                isPeerPort
                                ? try? SocketConnection(port: daemon.port, timeout: 5)
                                : try? SocketConnection(path: daemon.socket, timeout: 5)
                            if let connection { storm.append(connection) }
                        }
                        #expect(storm.count > 60, "\(name): only \(storm.count) connections")
                        try expectIdle(daemon, "\(storm.count) connections to the \(name)")
                        #expect(daemon.process?.poll() == nil)
                        storm = []
                        try eventually("to be served after the storm on the \(name)", within: 15) {
                            (try? daemon.api.transact(
                                "s", [#"{"op":"increment","document":"c","path":["n"],"by":1}"#]))?.status
                                == 200
                        }
                    }
                    #expect(try daemon.api.value("s", "c")["n"].integer == Int64(2 * round + 2))
                    #expect(try daemon.descriptors() <= 64)
                }
                #expect(daemon.log.count < 20_000, "a storm fills the log: \(daemon.log.count) characters")
                try daemon.stop()
            }
        }

        @Test("more watchers than descriptors: those that are in are served, and room comes back")
        func watchers() throws {
            try DaemonWorld.run { world in
                let daemon = try limited(world)
                try daemon.api.createSpace("s")
                let writing = try daemon.api.stream("s")
                var watchers: [HTTPExchange] = []
                for _ in 0..<100 {
                    guard let connection = try? daemon.api.open(2),
                        let watcher = try? HTTPExchange(
                            connection, "GET", "/v1/spaces/s/changes?since=begin", bodyBytes: 0),
                        (try? watcher.readHead()) != nil, watcher.status == 200
                    else { break }
                    watchers.append(watcher)
                }
                #expect(watchers.count > 20 && watchers.count < 64, "\(watchers.count) watchers")
                try expectIdle(daemon, "\(watchers.count) watchers")
                try writing.write(
                    line: #"{"operations":[{"op":"set","document":"d","path":["x"],"value":1}]}"#)
                try writing.readHead()
                let change = try #require(try writing.readJSONLine())["change"]
                for watcher in watchers {
                    _ = try watcher.readJSONLine()
                    #expect(try watcher.readJSONLine()?["change"] == change)
                }
                watchers = []
                try eventually("room for a new watcher", within: 15) {
                    (try? daemon.api.watch("s"))?.status == 200
                }
                try daemon.stop()
            }
        }
    }
}
