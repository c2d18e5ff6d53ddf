// A line of the change stream for people: who changed what, one patch a line.

import Bytes
import JSON

enum PatchText {
    static func lines(of value: PlainValue) -> [String] {
        if value.bool("resync") == true {
            return ["-- changes were missed: read the documents again, then go on from here --"]
        }
        if let line = CheckpointText.collected(value, isWide: false) { return [line] }
        var origin = ""
        if let time = value.integer("timestamp") { origin += Moment.text(milliseconds: time) + "  " }
        if let author = value["author"] {
            let name = author.string("name") ?? ""
            origin += Printable.line(name.isEmpty ? author.cell("device") : name) + "  "
        }
        if let cause = value.string("cause") { origin += "(rebuilt: \(Printable.line(cause)))  " }
        var lines: [String] = []
        for document in value.list("documents") {
            let place = origin + mark(document["matches"]) + Printable.line(document.cell("key")) + "  "
            let patches = document.list("patches")
            if patches.isEmpty { lines.append(place + "{}") }
            for patch in patches { lines.append(place + text(patch)) }
        }
        return lines
    }

    /// Of a filtered stream: whether the document begins or ceases to match.
    private static func mark(_ matches: PlainValue?) -> String {
        guard let matches else { return "" }
        switch (matches.bool("before"), matches.bool("after")) {
        case (false?, true?): return "+ "
        case (true?, false?): return "- "
        default: return "  "
        }
    }

    private static func text(_ patch: PlainValue) -> String {
        let steps = patch.list("path")
        let path = dotted(steps)
        if patch.bool("delete") == true { return steps.isEmpty ? "deleted" : "\(path) deleted" }
        if let value = patch["set"] { return "\(path) = \(json(value))" }
        guard let splice = patch["splice"] else { return json(patch) }
        let (deleted, inserted) = (splice.integer("delete") ?? 0, splice["insert"])
        var text = "\(path) at \(splice.integer("index") ?? 0):"
        if deleted > 0 { text += " -\(deleted)" }
        if let inserted, inserted != .array([]), inserted != .scalar(.string("")) {
            text += " +\(json(inserted))"
        }
        return text
    }

    /// As PATH is typed.
    static func dotted(_ path: [PlainValue]) -> String {
        path.map { step in
            switch step {
            case .scalar(.string(let key)): return Printable.line(DottedPath.escaped(key.string))
            case .scalar(.integer(let index)): return "\(index)"
            default: return step.string("id").map { "@" + $0 } ?? "?"
            }
        }.joined(separator: ".")
    }

    private static func json(_ value: PlainValue) -> String { Printable.json(PrettyJSON.compact(value)) }
}
