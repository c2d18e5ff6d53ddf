// What may stand at the end of an unfinished command line. Who presses Tab waits: without a daemon there are
// no names of things, and nothing is said about it.

import JSON
import ReplClient

/// A way to go on.
struct Candidate: Hashable {
    /// The whole word, unquoted. One that ends with `/` or `=` is not finished with it.
    let word: String
    var note = ""
}

/// What a shell is to offer.
struct Completion {
    var candidates: [Candidate] = []
    var hasFiles = false
    var hasDirectories = false

    static let roles = [
        Candidate(word: "relay", note: "passes on what it cannot read"),
        Candidate(word: "reader", note: "reads"), Candidate(word: "writer", note: "reads and writes"),
        Candidate(word: "admin", note: "invites and removes too"),
    ]
    static let kinds = ["map", "list", "ordered-set", "set", "remove-wins-set", "text", "counter"]
    /// What a register can be converted to.
    static let convertible = ["text", "counter", "set", "list", "ordered-set"]
    static let times = ["30s", "10m", "1h", "24h", "7d"]

    /// The candidates for the last word, all of which begin with it, in the order in which they are shown.
    static func of(_ words: [String], console: Console) async throws(ClientError) -> Completion {
        let tree = try CommandTree.own()
        let line = TypedLine(words, in: tree)
        var completion = Completion()
        var opening = ""
        switch line.expected {
        case .nothing: break
        case .subcommand(let verb):
            completion.candidates = verb.subcommands.filter(\.isShown).map {
                Candidate(word: $0.name, note: $0.abstract)
            }
        case .name(let verb):
            for argument in verb.arguments where argument.isShown && argument.kind != .positional {
                if !argument.isRepeating, argument.names.contains(where: line.used.contains) { continue }
                completion.candidates += argument.names.filter { $0.hasPrefix("--") }.map {
                    Candidate(word: $0, note: argument.abstract)
                }
            }
        case .value(let argument, let text):
            opening = text
            completion = await values(of: argument, line, tree, console)
        }
        completion.candidates = completion.candidates.filter { candidate in
            // What would steer a terminal, or end the line, is left to who types it.
            candidate.word.hasPrefix(line.current)
                && !candidate.word.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
        }.map { Candidate(word: opening + $0.word, note: $0.note) }
        return completion
    }

    private static func values(
        of argument: CommandTree.Argument, _ line: TypedLine, _ tree: CommandTree, _ console: Console
    ) async -> Completion {
        if !argument.values.isEmpty {
            return Completion(candidates: argument.values.map { Candidate(word: $0) })
        }
        if argument.isFile || argument.isDirectory {
            return Completion(hasFiles: argument.isFile, hasDirectories: argument.isDirectory)
        }
        let names = DaemonNames(line, console)
        switch CompletionSource.of(argument, of: line.verb.name) {
        case .nothing: return Completion()
        case .spaces: return Completion(candidates: await names.spaces())
        case .keys: return Completion(candidates: await names.keys())
        case .paths: return Completion(candidates: await names.paths(ending: ""))
        case .assignments: return Completion(candidates: await names.paths(ending: "="))
        case .members: return Completion(candidates: await names.members())
        case .invites: return Completion(candidates: await names.invites())
        case .indexes: return Completion(candidates: await names.indexes())
        case .words(let words): return Completion(candidates: words)
        case .verbs:
            // What stands behind `help` is a way through the tree.
            let typed = line.values["subcommands"].flatMap(tree.subcommand)
            let words = (typed ?? tree).subcommands.filter { $0.isShown && $0.name != "help" }
            let pages =
                typed == nil ? [Candidate(word: "kinds", note: "Which kind a place should be of.")] : []
            return Completion(
                candidates: words.map { Candidate(word: $0.name, note: $0.abstract) } + pages)
        }
    }
}

/// Where the values of an argument come from.
enum CompletionSource {
    case nothing, spaces, keys, paths, assignments, members, invites, indexes, verbs
    case words([Candidate])

    /// By the word that the help has for the value, which is the same in all verbs.
    static func of(_ argument: CommandTree.Argument, of verb: String) -> CompletionSource {
        let isOption = argument.kind == .option
        switch argument.valueName.lowercased() {
        case "space": return .spaces
        case "key" where isOption: return .nothing
        case "after": return verb == "log" ? .nothing : .keys
        case "key", "new-key", "document", "from", "to", "source", "target", "destination":
            // `mv SPACE KEY KEY`, and `move SPACE KEY PATH FROM TO`.
            return verb == "move" && argument.valueName != "key" ? .nothing : .keys
        case "prefix": return .keys
        case "path", "order": return .paths
        case "assignments", "path=value", "terms": return .assignments
        case "member", "members", "device", "peer": return .members
        case "id" where verb == "revoke": return .invites
        case "name" where verb == "drop": return .indexes
        case "role": return .words(Completion.roles)
        case "kind":
            let kinds = verb == "convert" ? Completion.convertible : Completion.kinds
            return .words(kinds.map { Candidate(word: $0) })
        case "expires", "timeout": return .words(Completion.times.map { Candidate(word: $0) })
        case "subcommands": return .verbs
        default: return .nothing
        }
    }
}
