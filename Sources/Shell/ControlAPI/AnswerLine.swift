// Answers that come line by line: stages of joining, the answers of a transaction stream, the change stream.
// A line is one JSON value and one LF; as a server-sent event it is the same value after `data:`, its cursor
// as the id.

import Bytes
import Causality
import Documents
import Identity
public import Node

/// One line of a streamed answer.
public enum AnswerLine {
    /// `{"stage":…}`, then `{"space":…}` or `{"error":…}`. Nil for an answer that is none of a join.
    public static func join(_ answer: NodeAnswer) -> [UInt8]? {
        var json = JSONWriter()
        switch answer {
        case .joinStage(let stage): json.object { $0.member("stage", stage) }
        case .joined(let space):
            json.object {
                $0.name("space")
                $0.space(space)
            }
        case .failed(let error): json.object { $0.error(APIError(error)) }
        default: return nil
        }
        return json.bytes + [0x0A]
    }

    /// The answer to one line of `transactions:stream`.
    public static func transaction(_ answer: NodeAnswer) -> [UInt8] {
        switch answer {
        case .transaction(let change, let version, _):
            var json = JSONWriter()
            json.transaction(change: change, version: version)
            return json.bytes + [0x0A]
        case .failed(let error): return line(APIError(error))
        default: preconditionFailure("a transaction is answered by a transaction or a failure")
        }
    }

    public static func line(_ error: APIError) -> [UInt8] { error.json + [0x0A] }

    // MARK: The change stream

    /// The first line of every change stream.
    public static func watching(cursor: String, asEvent: Bool) -> [UInt8] {
        var json = JSONWriter()
        json.object { $0.member("cursor", cursor) }
        return framed(json.bytes, cursor: cursor, asEvent: asEvent)
    }

    /// `units`: of the splices of texts. `isFiltered`: the stream has a filter, so the documents of its state
    /// match.
    public static func watch(
        _ line: WatchLine, asEvent: Bool, _ units: TextUnits = .scalars, isFiltered: Bool = false
    ) -> [UInt8] {
        var json = JSONWriter()
        let cursor: String
        switch line {
        case .change(let event):
            cursor = event.cursor
            json.change(event, units)
        case .state(let position, let key, let patches):
            cursor = position
            json.object {
                $0.member("cursor", position)
                let matches = isFiltered ? FilterMatches(before: false, after: true) : nil
                let document = ChangeEvent.DocumentPatches(key: key, patches: patches, matches: matches)
                $0.list("documents", [document]) {
                    $0.document($1, units)
                }
            }
        case .idle: return idle(asEvent: asEvent)
        case .resync(let position):
            cursor = position
            json.object {
                $0.member("resync", true)
                $0.member("cursor", position)
            }
        }
        return framed(json.bytes, cursor: cursor, asEvent: asEvent)
    }

    /// What is sent when nothing happened for 15 s: an empty line, or a comment.
    public static func idle(asEvent: Bool) -> [UInt8] { Array((asEvent ? ":\n\n" : "\n").utf8) }

    private static func framed(_ json: [UInt8], cursor: String, asEvent: Bool) -> [UInt8] {
        guard asEvent else { return json + [0x0A] }
        return Array("id: \(cursor)\ndata: ".utf8) + json + [0x0A, 0x0A]
    }
}

extension JSONWriter {
    fileprivate mutating func change(_ event: ChangeEvent, _ units: TextUnits) {
        object {
            $0.member("cursor", event.cursor)
            $0.member("change", event.change.description)
            $0.name("author")
            $0.object {
                $0.member("device", event.author.text)
                $0.member("name", event.authorName)
            }
            $0.member("timestamp", event.timestamp.milliseconds)
            if let cause = event.cause { $0.member("cause", cause) }
            $0.list("documents", event.documents) { $0.document($1, units) }
        }
    }

    fileprivate mutating func document(_ document: ChangeEvent.DocumentPatches, _ units: TextUnits) {
        object {
            $0.name("key")
            $0.string(document.key)
            $0.list("patches", document.patches) { $0.patch($1, units) }
            guard let matches = document.matches else { return }
            $0.name("matches")
            $0.object {
                $0.member("before", matches.before)
                $0.member("after", matches.after)
            }
        }
    }

    fileprivate mutating func patch(_ patch: Patch, _ units: TextUnits) {
        object {
            $0.list("path", patch.path) { $0.pathElement($1) }
            switch patch.change {
            case .set(let value):
                $0.name("set")
                $0.plain(value)
            case .delete: $0.member("delete", true)
            case .spliceText(let index, let delete, let insert):
                let wide = units == .utf16 ? patch.utf16 : nil
                $0.splice(wide?.index ?? index, wide?.delete ?? delete) { $0.string(insert) }
            case .spliceList(let index, let delete, let insert):
                $0.splice(index, delete) { $0.array(insert) { $0.plain($1) } }
            }
        }
    }

    private mutating func splice(_ index: Int, _ delete: Int, _ insert: (inout JSONWriter) -> Void) {
        name("splice")
        object {
            $0.member("index", index)
            $0.member("delete", delete)
            $0.name("insert")
            insert(&$0)
        }
    }

    mutating func pathElement(_ element: PathElement) {
        switch element {
        case .key(let key): string(key)
        case .index(let index): integer(index)
        case .element(let dot): object { $0.member("id", dot.description) }
        }
    }
}
