// A state directory that an earlier release wrote opens, and gives what it gave: documents, logs, cursors,
// answers to repeated requests, invites. And one that a later release wrote is refused before anything of it
// is changed. Kept files, because no test can make what a program that is gone wrote.

import Foundation
import Testing

extension DaemonTests {
    @Suite struct KeptStateTests {
        static let kept = [KeptState(version: "0.1.0")]

        @Test(
            "a kept state gives the same exports, logs and listings, and goes on where it stood",
            arguments: kept)
        func same(kept: KeptState) throws {
            try DaemonWorld.run { world in
                let a = try kept.daemon(in: world).start()
                // First, as the sweep a minute after the start forgets keys that are over.
                let answer = try a.api.repeated()
                #expect(answer == (try JSON(kept.said("idempotent"))), "the same answer, and nothing written")
                #expect(try a.api.json("/v1/status")["device"].string == kept.said("device"))
                for space in KeptState.spaces {
                    for question in KeptState.questions {
                        try expectSame(a, space, question, kept)
                    }
                }
                // The lines since the cursor, with the write after them that the cursor's file does not have.
                let lines = try a.api.lines("home", after: kept.said("cursor"))
                let wanted = try kept.text("home.after-cursor").split(separator: "\n").map {
                    try JSON(String($0))
                }
                #expect(lines.count == wanted.count)
                for (line, want) in zip(lines, wanted) { #expect(line.holds(want), "\(want)") }
                // The log goes on: the same replica, the next number.
                let written = try a.api.write(
                    "home", #"{"op":"set","document":"new","path":["x"],"value":1}"#)
                let (new, last) = (try #require(written["change"].string), try kept.said("last"))
                #expect(new.split(separator: ":").first == last.split(separator: ":").first)
                #expect(try number(new) == number(last) + 1)
                // And again after a restart of the new program.
                try a.stop()
                try a.start()
                #expect(try a.api.export("shared") == Array(kept.text("shared.export").utf8))
                #expect(try a.api.lines("home", after: kept.said("cursor")).count == wanted.count + 1)
            }
        }

        private func expectSame(
            _ daemon: Daemon, _ space: String, _ question: (name: String, target: String), _ kept: KeptState
        ) throws {
            let answer = try daemon.api.get("/v1/spaces/\(space)/\(question.target)")
            let wanted = try kept.text("\(space).\(question.name)")
            switch question.name {
            case "export", "typed": #expect(answer.text == wanted, "\(space) \(question.name)")
            case "log":
                let lines = try wanted.split(separator: "\n").map { try JSON(String($0)) }
                let found = try answer.lines()
                #expect(found.count == lines.count)
                for (line, want) in zip(found, lines) {
                    // Before 0.2 the author was the device alone.
                    let author = want["author"]["device"].string ?? want["author"].string
                    #expect(author != nil && line["author"]["device"].string == author)
                    for name in ["change", "context", "first", "last", "status", "timestamp"] {
                        #expect(line[name] == want[name], "\(space): \(want)")
                    }
                }
            case "members":
                // The rest of a line is of the moment: who is linked, and since when.
                let (found, want) = (try answer.json()["members"].array, try JSON(wanted)["members"].array)
                #expect(found.count == want.count)
                for (member, other) in zip(found, want) {
                    for name in ["device", "name", "role", "state"] { #expect(member[name] == other[name]) }
                }
            default:
                #expect(try answer.json().holds(JSON(wanted)), "\(space) \(question.name): \(answer)")
            }
        }

        private func number(_ change: String) throws -> Int {
            try #require(Int(change.split(separator: ":")[1]))
        }

        @Test(
            "a kept state has a closed fork, void changes, a boundary's worth of log and every kind",
            arguments: kept)
        func rich(kept: KeptState) throws {
            #expect(try JSON(kept.text("shared.forks"))["forks"].array.count == 1)
            #expect(try kept.text("shared.log").contains(#""status":"void""#))
            #expect(try kept.text("home.log").split(separator: "\n").count > 300)
            let typed = try kept.text("home.typed") + kept.text("shared.typed")
            for kind in [
                "map", "list", "ordered-set", "set", "remove-wins-set", "text", "counter", "register",
            ] {
                #expect(typed.contains(#""kind":"\#(kind)""#), "\(kind)")
            }
            #expect(try kept.text("shared.typed").contains(#""conflicts":[{"#))
        }

        @Test(
            "an invite that an earlier release gave out is good",
            .enabled(
                if: FakeClock.obstacle == nil, Comment(rawValue: FakeClock.obstacle ?? "clocks can be set")),
            arguments: kept)
        func invite(kept: KeptState) throws {
            try DaemonWorld.run { world in
                let (a, b) = (try kept.daemon(in: world), try world.daemon("b"))
                // Invites end after 30 days, so both live on the day on which it was made.
                let made = try #require(Double(kept.said("wallMs"))) / 1_000
                for daemon in [a, b] {
                    try FakeClock(daemon).set(made + 60 - Date().timeIntervalSince1970)
                    try daemon.start()
                }
                #expect(try b.api.join(kept.said("token"))["name"] == "home")
                try MeshTests.converge([a, b], having: "after/4", of: "home")
                #expect(try b.api.export("home") == Array(kept.text("home.export").utf8))
                try b.api.write("home", #"{"op":"set","document":"of b","path":["x"],"value":1}"#)
                try MeshTests.converge([a, b], having: "of b", of: "home")
            }
        }

        @Test(
            "a state of a later release is refused by a message, and nothing of it is changed",
            arguments: kept)
        func later(kept: KeptState) throws {
            try DaemonWorld.run { world in
                let a = try kept.daemon(in: world)
                try LaterState.make(a.state)
                let before = try Data(contentsOf: URL(fileURLWithPath: "\(a.state)/repld.db"))
                try LaterState.expectRefused(a)
                #expect(try Data(contentsOf: URL(fileURLWithPath: "\(a.state)/repld.db")) == before)
            }
        }
    }
}

/// A state directory as a release to come would leave it.
enum LaterState {
    /// Bytes 60 to 63 of SQLite's file: the number that the program gives its schema, big-endian.
    static func make(_ state: String) throws {
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: "\(state)/repld.db"))
        defer { file.closeFile() }
        file.seek(toFileOffset: 60)
        file.write(Data([0, 0, 0, 99]))
    }

    /// `isOld`: a program that may be from before exit code 78.
    static func expectRefused(_ daemon: Daemon, isOld: Bool = false) throws {
        let end = try daemon.launch(daemon.arguments).waitForEnd(within: 10, "a start on a later state")
        #expect(
            end == .exit(78) || isOld && end == .exit(1), "\(daemon.log)")
        #expect(
            daemon.log.contains("has schema 99, this repld knows up to"),
            "\(daemon.log)")
        #expect(daemon.log.contains("start a newer repld"), "\(daemon.log)")
    }
}
