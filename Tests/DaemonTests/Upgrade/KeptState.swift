// The state directory of a release, kept with what that release said of it (Tests/Vectors/state). A release
// makes it once, by command; every later repld opens a copy of it and must say the same.
//
//   repld.db, device.key   the directory itself; the key is of a device that exists nowhere else
//   said.json              cursor, token, last change and the like, as its own release gave them
//   home.export …          what each space gave at the end: exports, logs, listings, forks, members
//
// The directory's database does not know its own file `instance`, as before a first start is through. So a
// copy goes on as the same node instead of opening a new incarnation: the one way to show, in a copy, that
// cursors resume and that logs are gone on with.

import Foundation
import Testing

/// A kept state directory, by the version of the program that wrote it.
struct KeptState {
    let version: String

    /// Where its node listened, as its invite says. Of all loopback addresses, one that nothing else uses.
    static let address: (host: String, port: UInt16) = ("127.77.12.7", 20_712)
    /// What its node was called, as its own lines say.
    static let name = "north"
    static let spaces = ["home", "shared"]
    /// What a space is asked for at the end, and compared in.
    static let questions = [
        (name: "export", target: "export?view=plain"), (name: "typed", target: "export?view=typed"),
        (name: "log", target: "log"), (name: "documents", target: "documents?limit=1000"),
        (name: "forks", target: "forks"), (name: "members", target: "members"),
    ]
    static let idempotencyKey = "kept-request"
    static let idempotent = #"{"op":"increment","document":"counted","path":["n"],"by":7}"#

    /// Beside the other vectors, which no target holds.
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Vectors/state").path

    var folder: String { "\(Self.root)/\(version)" }

    func text(_ name: String) throws -> String {
        try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
    }

    func said(_ name: String) throws -> String {
        try #require(JSON(text("said.json"))[name].string, "\(name)")
    }

    /// A node over a copy of it, not started.
    func daemon(in world: DaemonWorld) throws -> Daemon {
        let daemon = try world.daemon(Self.name, at: Self.address)
        try FileManager.default.createDirectory(
            atPath: daemon.state, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        for name in ["repld.db", "device.key"] {
            let copy = "\(daemon.state)/\(name)"
            try FileManager.default.copyItem(atPath: "\(folder)/\(name)", toPath: copy)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy)
        }
        return daemon
    }
}

/// What every later release must find again.
extension ControlClient {
    /// The lines that a change stream gives after the cursor, without the cursors in them: those are of the
    /// process that gave them.
    func lines(_ space: String, after cursor: String) throws -> [JSON] {
        let answer = try get("/v1/spaces/\(space)/changes?since=\(cursor)&follow=false")
        try #require(answer.status == 200, "\(answer)")
        return try answer.lines().map { line in
            .object(line.object.filter { $0.key != "cursor" })
        }
    }

    /// The answer to the one request that was made before with the same key.
    func repeated() throws -> JSON {
        let answer = try transact("home", [KeptState.idempotent], key: KeptState.idempotencyKey)
        try #require(answer.status == 200, "\(answer)")
        return try answer.json()
    }
}

extension JSON {
    /// True when everything of `other` stands here too; a later release may say more.
    func holds(_ other: JSON) -> Bool {
        switch (self, other) {
        case (.object(let mine), .object(let theirs)):
            theirs.allSatisfy { name, value in mine[name]?.holds(value) == true }
        case (.array(let mine), .array(let theirs)):
            mine.count == theirs.count && zip(mine, theirs).allSatisfy { $0.holds($1) }
        default: self == other
        }
    }
}
