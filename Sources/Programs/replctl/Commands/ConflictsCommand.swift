// conflicts: values that lost to a concurrent one and can still be read, found in the typed view.

import ArgumentParser
import Bytes
import JSON
import ReplClient

struct ConflictsCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "conflicts",
        abstract: "List what two wrote at the same time: the value that shows, and those that lost to it.",
        discussion: """
            A conflict is gone when its place is written again: `replctl set` with the value that shall stay.
            Examples:
              replctl conflicts household
              replctl conflicts household note/groceries
            With --json a line for each place: {"key","path","value","conflicts":[…]}.
            """)
    @Argument(help: "Name or id.") var space: String
    @Argument(help: "Only this document.") var key: String?
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        var places: [ConflictPlace] = []
        if let key {
            let request = ClientRequest(
                "GET", ["spaces", space, "documents", key], query: [("view", "typed")])
            let document = try await common.client.call(request).json()
            guard let value = document["value"] else {
                throw ClientError.malformed("a document without value")
            }
            places = ConflictPlace.all(in: value, of: key)
            if common.json { return try console.write(places.flatMap(\.line)) }
        } else {
            let request = ClientRequest(
                "GET", ["spaces", space, "export"], query: [("view", "typed")], timeoutSeconds: nil)
            try await common.client.stream(request) { stream in
                for try await line in stream.lines where !line.isEmpty {
                    let document = try ClientAnswer.json(line)
                    if let refusal = ClientError.Refusal(document, status: 200) {
                        throw ClientError.refused(refusal, body: line)
                    }
                    guard let key = document.string("key"), let value = document["value"] else {
                        throw ClientError.malformed("a line without key and value")
                    }
                    let found = ConflictPlace.all(in: value, of: key)
                    if common.json { try console.write(found.flatMap(\.line)) } else { places += found }
                }
            }
            if common.json { return }
        }
        guard !places.isEmpty else { return console.complain("no conflicts") }
        try console.write(Self.table(places))
    }

    static func table(_ places: [ConflictPlace]) -> Table {
        var table = Table("KEY", "PATH", "SHOWS", "LOST", "BY", "WRITTEN")
        for place in places {
            for lost in place.conflicts {
                table.row(
                    place.key, place.dotted, ConflictPlace.short(place.shown), ConflictPlace.short(lost),
                    lost.cell("author"),
                    lost.integer("timestamp").map { Moment.text(milliseconds: $0) } ?? "-")
            }
        }
        return table
    }
}

/// A slot with conflicts.
struct ConflictPlace: Equatable {
    let key: String
    /// Keys, and indexes of list elements.
    let path: [PlainValue]
    /// The slot in the typed view.
    let shown: PlainValue
    let conflicts: [PlainValue]

    /// Those of a document, in the order of its typed view: a slot before what is in it.
    static func all(in value: PlainValue, of key: String) -> [ConflictPlace] {
        var found: [ConflictPlace] = []
        // A stack and no recursion: a document may be 32 levels deep, and is somebody else's.
        var left: [(slot: PlainValue, path: [PlainValue])] = [(value, [])]
        while let (slot, path) = left.popLast() {
            let conflicts = slot.list("conflicts")
            if !conflicts.isEmpty {
                found.append(ConflictPlace(key: key, path: path, shown: slot, conflicts: conflicts))
            }
            var inside: [(PlainValue, [PlainValue])] = []
            if slot.string("kind") == "map", case .object(let members)? = slot["value"] {
                inside = members.map { ($0.value, path + [.scalar(.string($0.key))]) }
            } else {
                inside = slot.list("elements").enumerated().map {
                    ($1, path + [.scalar(.integer(Int64($0)))])
                }
            }
            left += inside.reversed()
        }
        return found
    }

    var dotted: String { PatchText.dotted(path) }

    /// As one line of JSON.
    var line: [UInt8] {
        var json = JSONWriter()
        json.object {
            $0.member("key", key)
            $0.name("path")
            $0.plain(.array(path))
            $0.name("value")
            $0.plain(shown["value"] ?? .scalar(.null))
            $0.name("conflicts")
            $0.plain(.array(conflicts))
        }
        return json.bytes + [0x0A]
    }

    /// A value in a cell; of a container its kind too.
    static func short(_ slot: PlainValue) -> String {
        let value = PrettyJSON.compact(slot["value"] ?? .scalar(.null))
        let kind = slot.string("kind") ?? "register"
        let text = kind == "register" ? value : "\(kind) \(value)"
        return text.unicodeScalars.count <= 40
            ? text : String(String.UnicodeScalarView(text.unicodeScalars.prefix(39))) + "…"
    }
}
