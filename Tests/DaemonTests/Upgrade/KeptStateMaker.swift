// Makes the kept state directory of a release, with the programs of that release:
//
//   REPL_PROGRAMS=DIR REPL_KEEP_STATE=VERSION swift test --disable-xctest --filter KeptStateMaker
//
// Done once, when the release is made; what is kept is never made again to turn a test green.

import Foundation
import Testing

extension DaemonTests {
    @Suite(.enabled(if: Programs.keptVersion != nil, "REPL_KEEP_STATE names no version"))
    struct KeptStateMaker {
        @Test("a state directory with documents of all kinds, a closed fork, a cursor and an invite is kept")
        func make() throws {
            let kept = KeptState(version: try #require(Programs.keptVersion))
            try DaemonWorld.run { world in
                let a = try world.daemon(KeptState.name, at: KeptState.address).start()
                let b = try world.started("south")
                for space in KeptState.spaces { try a.api.createSpace(space) }
                try Self.writeKinds(a.api)
                try Self.writeLong(a.api)
                try Self.share(a, b)
                try Self.fork(a, b, in: world)
                var said: [String: JSON] = [:]
                said["token"] = .string(try a.api.token("home", expiresSeconds: 30 * 86_400))
                said["cursor"] = .string(
                    try #require(a.api.get("/v1/spaces/home/documents/kinds").headers["repl-cursor"]))
                try Self.writeAfterCursor(a.api)
                said["idempotent"] = .string(try a.api.repeated().description)
                said["last"] = try a.api.write(
                    "home", #"{"op":"set","document":"last","path":["x"],"value":1}"#)["change"]
                said["device"] = try a.api.json("/v1/status")["device"]
                said["wallMs"] = .string("\(Int(Date().timeIntervalSince1970 * 1_000))")
                try FileManager.default.createDirectory(
                    atPath: kept.folder, withIntermediateDirectories: true)
                let lines = try a.api.lines("home", after: try #require(said["cursor"]?.string))
                try Self.keep(lines.map { "\($0)\n" }.joined(), as: "home.after-cursor", in: kept)
                for space in KeptState.spaces {
                    for question in KeptState.questions {
                        let answer = try a.api.get("/v1/spaces/\(space)/\(question.target)")
                        try #require(answer.status == 200, "\(question.name): \(answer)")
                        try Self.keep(answer.text, as: "\(space).\(question.name)", in: kept)
                    }
                }
                try Self.keep("\(JSON.object(said))\n", as: "said.json", in: kept)
                for daemon in [a, b] { try daemon.stop() }
                try Self.forgetInstance(a.state)
                for name in ["repld.db", "device.key"] {
                    try world.copy("\(a.state)/\(name)", to: "\(kept.folder)/\(name)")
                }
            }
        }

        private static func keep(_ text: String, as name: String, in kept: KeptState) throws {
            try Data(text.utf8).write(to: URL(fileURLWithPath: "\(kept.folder)/\(name)"))
        }

        /// The next start takes the directory for one that was never started: a copy goes on as itself.
        private static func forgetInstance(_ state: String) throws {
            let result = try ChildProcess.run(
                "/usr/bin/sqlite3",
                [
                    "\(state)/repld.db",
                    "UPDATE identity SET token = NULL, inode = NULL, changed = NULL;"
                        + "PRAGMA wal_checkpoint(TRUNCATE);",
                ], within: 10)
            try #require(result.end == .exit(0), "\(String(decoding: result.output, as: UTF8.self))")
            for name in ["instance", "high-water"] { unlink("\(state)/\(name)") }
        }

        // MARK: What stands in it

        private static func writeKinds(_ api: ControlClient) throws {
            func operation(_ rest: String) -> String { #"{"document":"kinds","# + rest + "}" }
            let operations = [
                #""op":"set","path":[],"value":{"null":null,"yes":true,"n":-7,"big":9007199254740993}"#,
                #""op":"set","path":["real"],"value":0.1"#,
                #""op":"set","path":["map"],"value":{"a":{"b":[]}}"#,
                #""op":"set","path":["list"],"value":[1,"two",{"three":3},[4]]"#,
                #""op":"move","path":["list"],"from":3,"to":0"#,
                #""op":"splice","path":["text"],"index":0,"insert":"Grüße an 👩‍🚀""#,
                #""op":"splice","path":["text"],"index":5,"delete":3,"insert":" von""#,
                #""op":"increment","path":["counter"],"by":41"#,
                #""op":"increment","path":["counter"],"by":1"#,
                #""op":"make","path":["set"],"kind":"set""#, #""op":"add","path":["set"],"value":"x""#,
                #""op":"add","path":["set"],"value":2"#, #""op":"remove","path":["set"],"value":"x""#,
                #""op":"make","path":["kept"],"kind":"remove-wins-set""#,
                #""op":"add","path":["kept"],"value":"y""#, #""op":"add","path":["kept"],"value":"z""#,
                #""op":"remove","path":["kept"],"value":"z""#,
                #""op":"make","path":["order"],"kind":"ordered-set""#,
                #""op":"insert","path":["order"],"index":0,"values":["p","q","r"]"#,
                #""op":"insert","path":["order"],"index":0,"values":["r"]"#,
                #""op":"delete","path":["yes"]"#,
            ]
            for one in operations { try api.write("home", operation(one)) }
            try api.write("home", #"{"op":"make","document":"empty","path":[],"kind":"map"}"#)
            try api.write("home", #"{"op":"set","document":"ключ/ä é","path":["x"],"value":"\u0001\""}"#)
            try api.write("home", #"{"op":"set","document":"gone","path":["x"],"value":1}"#)
            try api.write("home", #"{"op":"delete","document":"gone","path":[]}"#)
        }

        /// A text of many changes, which has a snapshot, and a log that passes a boundary.
        private static func writeLong(_ api: ControlClient) throws {
            var state: UInt64 = 12
            for number in 0..<300 {
                var words = ""
                for _ in 0..<40 {
                    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    words += String(state >> 24, radix: 36) + " "
                }
                try api.write(
                    "home",
                    #"{"op":"splice","document":"long","path":["body"],"index":\#(number),"insert":"\#(words)"}"#
                )
            }
        }

        private static func writeAfterCursor(_ api: ControlClient) throws {
            for number in 0..<5 {
                try api.write(
                    "home", #"{"op":"set","document":"after/\#(number)","path":["x"],"value":\#(number)}"#,
                    #"{"op":"splice","document":"kinds","path":["text"],"index":0,"insert":"\#(number)"}"#)
            }
        }

        /// Two members that edit the same places apart: values that lost and stay readable.
        private static func share(_ a: Daemon, _ b: Daemon) throws {
            try b.api.join(try a.api.token("shared"))
            try a.api.write(
                "shared", #"{"op":"set","document":"d","path":[],"value":{"title":"t","list":["1","2"]}}"#)
            try MeshTests.converge([a, b], having: "title", of: "shared")
            for daemon in [a, b] { try daemon.stop() }
            for daemon in [a, b] {
                try daemon.start()
                try daemon.api.write(
                    "shared", #"{"op":"set","document":"d","path":["title"],"value":"of \#(daemon.name)"}"#,
                    #"{"op":"insert","document":"d","path":["list"],"index":1,"values":["\#(daemon.name)"]}"#,
                    #"{"op":"increment","document":"d","path":["views"],"by":3}"#)
                try daemon.stop()
            }
            try a.start()
            try b.start(peers: [a])
            try MeshTests.converge([a, b], having: #""views":6"#, of: "shared")
        }

        /// Two copies of one directory write at the same dots: the log is closed, and both branches are
        /// written again.
        private static func fork(_ a: Daemon, _ b: Daemon, in world: DaemonWorld) throws {
            func write(_ daemon: Daemon, _ names: [String]) throws {
                for name in names {
                    try daemon.api.write(
                        "shared", #"{"op":"add","document":"names","path":["all"],"value":"\#(name)"}"#)
                }
            }
            for daemon in [a, b] { try daemon.stop() }
            try forgetInstance(a.state)
            try FileManager.default.createDirectory(
                atPath: world.folder + "/other", withIntermediateDirectories: true)
            let clone = try world.daemon(KeptState.name, in: world.folder + "/other", at: KeptState.address)
            try world.copy(a.state, to: clone.state)
            try clone.start()
            try write(clone, ["clone-1", "clone-2", "clone-3"])
            try b.start(peers: [clone])
            try MeshTests.converge([clone, b], having: "clone-3", of: "shared")
            try clone.stop()
            try a.start()
            try write(a, (1...5).map { "north-\($0)" })
            try b.stop()
            try b.start(peers: [a])
            for daemon in [a, b] { try daemon.api.waitForAlarm("fork", within: 20) }
            try MeshTests.converge([a, b], having: "north-5", of: "shared")
            try b.stop()
            try a.stop()
            try clone.start()
            try b.start(peers: [clone])
            try eventually("the clone's branch to be written again", within: 60) {
                try String(decoding: b.api.export("shared"), as: UTF8.self).contains(
                    #"["clone-1","clone-2","clone-3","north-1","north-2","north-3","north-4","north-5"]"#)
            }
            try clone.stop()
            try b.stop()
            try a.start()
            try b.start(peers: [a])
            try MeshTests.converge([a, b], having: "clone-3", of: "shared")
        }
    }
}
