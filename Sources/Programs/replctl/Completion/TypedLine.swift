// A command line that is not finished: which verb it has come to, what was given to it, and what its last
// word can be.

/// The words typed behind the program's name, read along the tree of verbs.
struct TypedLine {
    /// What the last word can be.
    enum Expected {
        case subcommand(of: CommandTree)
        /// A name of an option or flag.
        case name(of: CommandTree)
        /// A value; `opening` stands before it in the same word, as in --role=wr.
        case value(CommandTree.Argument, opening: String)
        case nothing
    }

    /// The verbs, the program itself first.
    private(set) var verbs: [CommandTree]
    /// Values by the name that the help gives them: "space", "key".
    private(set) var values: [String: String] = [:]
    /// How many stand for each positional argument so far.
    private var positionalCount = 0
    /// Names of options and flags that were used.
    private(set) var used: [String] = []
    private(set) var expected = Expected.nothing
    /// The part of the last word that is to be completed.
    private(set) var current = ""
    private var pending: CommandTree.Argument?
    private var isPastDashes = false

    var verb: CommandTree { verbs[verbs.count - 1] }

    /// `words`: unquoted; the last one, which may be empty, is being typed.
    init(_ words: [String], in tree: CommandTree) {
        verbs = [tree]
        for word in words.dropLast() { read(word) }
        expect(words.last ?? "")
    }

    private mutating func read(_ word: String) {
        if let option = pending {
            take(word, as: option)
            pending = nil
        } else if word == "--", !isPastDashes {
            isPastDashes = true
        } else if isName(word) {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let argument = argument(String(parts[0])) else { return }
            used += argument.names
            guard argument.kind == .option else { return }
            if parts.count == 2 { take(String(parts[1]), as: argument) } else { pending = argument }
        } else if let below = verb.subcommand(word), positionalCount == 0 {
            verbs.append(below)
        } else {
            if let place = positional { take(word, as: place) }
            positionalCount += 1
        }
    }

    private mutating func expect(_ word: String) {
        current = word
        if let option = pending {
            expected = .value(option, opening: "")
        } else if isName(word) || (word == "-" && !isPastDashes) {
            guard let equals = word.firstIndex(of: "=") else { return expected = .name(of: verb) }
            guard let option = argument(String(word[..<equals])), option.kind == .option else { return }
            current = String(word[word.index(after: equals)...])
            expected = .value(option, opening: String(word[...equals]))
        } else if !verb.subcommands.isEmpty, positionalCount == 0 {
            expected = .subcommand(of: verb)
        } else if let place = positional {
            expected = .value(place, opening: "")
        }
    }

    /// A name, and not a negative number.
    private func isName(_ word: String) -> Bool {
        guard !isPastDashes, word.utf8.first == UInt8(ascii: "-"), word.utf8.count > 1 else { return false }
        return !word.utf8.dropFirst().allSatisfy { $0 &- 0x30 <= 9 || $0 == UInt8(ascii: ".") }
    }

    /// What every verb takes may stand before it.
    private func argument(_ name: String) -> CommandTree.Argument? {
        verb.argument(name) ?? verbs[0].subcommands.first?.argument(name)
    }

    /// The positional argument that the next word is for.
    private var positional: CommandTree.Argument? {
        let all = verb.positionals
        if positionalCount < all.count { return all[positionalCount] }
        guard let last = all.last, last.isRepeating else { return nil }
        return last
    }

    private mutating func take(_ word: String, as argument: CommandTree.Argument) {
        // --socket PATH and a positional PATH have one word in the help.
        let name = argument.kind == .option ? argument.names.last ?? "" : argument.valueName
        if values[name] == nil { values[name] = word }
    }
}
