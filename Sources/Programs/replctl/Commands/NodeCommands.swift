// The node's spaces, and its config read again.

import ArgumentParser
import Bytes
import JSON
import ReplClient

struct ReloadCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "reload", abstract: "Have the daemon read its config file again.",
        discussion: "Says for each setting that differs whether it was applied or needs a restart.")
    @Flag(help: "Only say what would become of it.") var check = false
    @Flag(help: "Say nothing when it went well; the daemon's log tells it too.") var quiet = false
    @OptionGroup var common: DaemonOptions

    static func request(isCheck: Bool) -> ClientRequest {
        ClientRequest("POST", ["reload"], query: isCheck ? [("check", "true")] : [])
    }

    func run() async throws {
        let request = Self.request(isCheck: check)
        if quiet {
            _ = try await common.client.call(request)
            return
        }
        try await ask(request) { answer in
            let keys = { (name: Key) in answer.list(name).compactMap(\.text) }
            let applied = check ? "would be applied" : "applied"
            for key in keys("applied") { try console.writeLine("\(console.safe(key))  \(applied)") }
            for key in keys("needsRestart") { try console.writeLine("\(console.safe(key))  needs a restart") }
            if keys("applied").isEmpty && keys("needsRestart").isEmpty { console.complain("nothing changed") }
        }
    }
}

struct SpacesCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "spaces", abstract: "List the spaces that this node holds.")
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        try await ask(ClientRequest("GET", ["spaces"])) { answer in
            let spaces = answer.list("spaces")
            guard !spaces.isEmpty else {
                return console.complain("no spaces: replctl space create NAME, or replctl join TOKEN")
            }
            try console.write(Self.table(spaces, isWide: common.wide), isWide: common.wide)
        }
    }

    static func table(_ spaces: [PlainValue], isWide: Bool) -> Table {
        let hasSync = spaces.contains { $0["sync"] != nil }
        var table = Table(
            ["NAME", "ROLE", "MEMBERS", "DOCUMENTS"] + (hasSync ? ["SYNC"] : []) + (isWide ? ["ID"] : []),
            numbers: [2, 3])
        for space in spaces {
            table.row(
                ["name", "role", "members", "documents"].map { space.cell($0) }
                    + (hasSync ? [sync(of: space)] : []) + (isWide ? [space.cell("id")] : []))
        }
        return table
    }

    private static func sync(of space: PlainValue) -> String {
        space.string("state") == "removed" ? "removed" : SyncText.word(space["sync"])
    }
}
