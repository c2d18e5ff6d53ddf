// The keys of a space: which epochs there are, and new ones by hand.

import ArgumentParser
import Bytes
import JSON
import ReplClient

struct SpaceKeys: Verb {
    static let configuration = CommandConfiguration(
        commandName: "keys", abstract: "Epochs of a space's keys; with --rotate, new keys.",
        discussion: """
            What is new is sealed under the current epoch. An epoch is good while all who can open it are \
            members that may: removing a member, or making one a relay, begins a new one by itself, and so \
            does an admin's box when a member left. --rotate is for admins, where a key may be known to \
            somebody else; it is refused while other boxes of the space are not known to run a version that \
            reads new keys. What was written before stays readable to members.
            Example: replctl space keys household --rotate
            """)
    @Argument(help: "Name or id.") var space: String
    @Flag(help: "Give the space new keys.") var rotate = false
    @Flag(help: "With --rotate: also while other members run an earlier version.") var force = false
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        if rotate {
            let query = [("force", force ? "true" : nil)]
            return try await ask(ClientRequest("POST", ["spaces", space, "keys"], query: query)) { answer in
                try console.writeLine(
                    "\(console.safe(space)) has new keys, epoch \(answer.cell("epoch")); "
                        + "its members get them when they are met")
            }
        }
        try await ask(ClientRequest("GET", ["spaces", space, "keys"])) { answer in
            try console.write(Self.table(of: answer, isWide: common.wide), isWide: common.wide)
        }
    }

    private static func table(of answer: PlainValue, isWide: Bool) -> Table {
        var table = Table(
            "EPOCH", "ID", "BEGUN", "BY", "GOOD", "CURRENT", whole: [0, 1, 2], wrapsLast: false)
        for epoch in answer.list("epochs") {
            let id = epoch.cell("id")
            table.row(
                epoch.cell("number"), isWide ? id : String(id.prefix(8)),
                epoch.integer("timestamp").map(Moment.text(milliseconds:)) ?? "-",
                DeviceText.name(epoch["author"], isWide: isWide), epoch.bool("good") == true ? "yes" : "no",
                epoch.bool("current") == true ? "yes" : "")
        }
        return table
    }
}
