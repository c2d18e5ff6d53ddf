// cp and mv: a document under another key, in one transaction. What somebody else wrote meanwhile, and what
// lost, has no place in the copy: that is said.

import ArgumentParser
import Bytes
import JSON
import ReplClient

struct CopyCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "cp", abstract: "Copy a document to another key.",
        discussion: """
            Kinds stay: texts, counters and sets go on as such. Conflicts, ids of elements and the history \
            stay with the old document. A document that is there already is replaced with --force only.
            Example: replctl cp household note/1 note/2
            """)
    @OptionGroup var copying: CopyArguments
    @OptionGroup var common: DaemonOptions

    func run() async throws { try await copy(copying, isMove: false) }
}

struct MoveDocumentCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "mv", abstract: "Give a document another key.",
        discussion: """
            A copy, and the old document deleted, in one transaction. What others write to the old key \
            before they hear of it is not carried over: the old document shows again with it. A document \
            with conflicts is moved with --force only, which gives up what lost.
            Example: replctl mv household note/1 archive/1
            """)
    @OptionGroup var copying: CopyArguments
    @OptionGroup var common: DaemonOptions

    func run() async throws { try await copy(copying, isMove: true) }
}

struct CopyArguments: ParsableArguments {
    @Argument(help: "Name or id.") var space: String
    @Argument(help: "The document's key.") var key: String
    @Argument(help: ArgumentHelp("The other key.", valueName: "destination")) var newKey: String
    @Flag(help: "Replace a document that is there already; mv: give conflicts up.") var force = false
}

extension Verb {
    /// How often a copy follows a document that others write at the same time.
    private var triesMax: Int { 5 }

    fileprivate func copy(_ copying: CopyArguments, isMove: Bool) async throws {
        guard copying.key != copying.newKey else {
            throw CommandFailure(.badInput, "both keys are \"\(copying.key)\"", hint: "name another key")
        }
        let client = common.client
        for attempt in 1... {
            let read = ClientRequest(
                "GET", ["spaces", copying.space, "documents", copying.key], query: [("view", "typed")])
            let document = try await client.call(read).json()
            guard let version = document.string("version") else {
                throw ClientError.malformed("a document without version")
            }
            let lost = document["value"].map { LostValues.count(in: $0) } ?? 0
            if isMove, lost > 0, !copying.force { throw Self.hasConflicts(copying, lost) }
            do {
                try await transact(
                    copying.space, body: CopyTransaction.body(copying, version: version, isMove: isMove))
                return tell(copying, lost: lost, isMove: isMove)
            } catch let failure as CommandFailure {
                guard failure.name == "condition-failed" else { throw failure }
                if !copying.force, try await isThere(copying.newKey, in: copying.space) {
                    throw CommandFailure(
                        .refused, "document \"\(copying.newKey)\" is there already; nothing was written",
                        hint: "choose another key, or replace it with --force", name: "document-exists")
                }
                guard attempt < triesMax else { throw failure }
            }
        }
    }

    private static func hasConflicts(_ copying: CopyArguments, _ lost: Int) -> CommandFailure {
        CommandFailure(
            .refused, "document \"\(copying.key)\" has \(LostValues.text(lost)), which a move would give up",
            hint: "end them first, see " + ShellWord.command("conflicts", copying.space, copying.key)
                + ", or move it with --force", name: "has-conflicts")
    }

    private func isThere(_ key: String, in space: String) async throws -> Bool {
        do throws(ClientError) {
            _ = try await common.client.call(ClientRequest("GET", ["spaces", space, "documents", key]))
            return true
        } catch {
            if case .refused(let refusal, _) = error, refusal.code == "no-such-document" { return false }
            throw error
        }
    }

    /// What the copy does not have.
    private func tell(_ copying: CopyArguments, lost: Int, isMove: Bool) {
        if lost > 0 {
            console.complain(
                isMove
                    ? "note: given up with the old document: \(LostValues.text(lost))"
                    : "note: not copied, and still with the old document: \(LostValues.text(lost))")
        }
        let old = console.safe(copying.key)
        console.complain(
            isMove
                ? "note: what others write to \(old) before they hear of this is not carried over: \(old) "
                    + "shows again with it"
                : "note: what others write to \(old) meanwhile is in \(old) only")
    }
}

/// The transaction of a copy.
enum CopyTransaction {
    /// Only what was read is copied, and only to where nothing is, unless it is forced.
    static func body(_ copying: CopyArguments, version: String, isMove: Bool) -> [UInt8] {
        let copy = OperationText("copy", copying.newKey, .root) { $0.member("from", copying.key) }
        let delete = OperationText("delete", copying.key, .root)
        var conditions = [
            condition(on: copying.key) { $0.member("version", version) }
        ]
        if !copying.force {
            conditions.append(
                condition(on: copying.newKey) {
                    $0.name("path")
                    $0.plain(.array([]))
                    $0.member("exists", false)
                })
        }
        return OperationText.transaction(isMove ? [copy, delete] : [copy], conditions: conditions)
    }

    private static func condition(on key: String, _ test: (inout JSONWriter) -> Void) -> [UInt8] {
        var json = JSONWriter()
        json.object {
            $0.member("document", key)
            test(&$0)
        }
        return json.bytes
    }
}

/// Values of a typed view that lost to concurrent ones.
enum LostValues {
    static func text(_ count: Int) -> String { count == 1 ? "1 conflict" : "\(count) conflicts" }

    /// How many there are in a slot and in what it shows.
    static func count(in slot: PlainValue) -> Int {
        var count = 0
        // A stack and no recursion: a document may be 32 levels deep, and is somebody else's.
        var left = [slot]
        while let next = left.popLast() {
            count += next.list("conflicts").count
            if next.string("kind") == "map", case .object(let members)? = next["value"] {
                left += members.map(\.value)
            }
            left += next.list("elements")
        }
        return count
    }
}
