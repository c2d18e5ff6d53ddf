// The manual pages: which there are, and how they are put together. Verbs, options and settings come from the
// programs and from Config/repld.toml (decision 0159), only what surrounds them is written here.

import ReplClient

struct ManualPage: Sendable {
    let name: String
    let section: Int
    /// One line, lower case, no full stop.
    let summary: String
    /// Sections that stand behind the generated ones: title, and paragraphs or examples (lines set in by two
    /// blanks).
    let closing: [(title: String, text: String)]
    /// Entries of SEE ALSO: name and section, in the order that mdoc wants.
    let related: [(name: String, section: Int)]

    static let all = [repld, replctl, replsim, notes, repldToml]

    init?(_ name: String) {
        guard let page = Self.all.first(where: { $0.name == name }) else { return nil }
        self = page
    }

    init(
        _ name: String, _ section: Int, _ summary: String, related: [(name: String, section: Int)],
        closing: [(title: String, text: String)]
    ) {
        (self.name, self.section, self.summary) = (name, section, summary)
        (self.related, self.closing) = (related, closing)
    }

    /// The page in mdoc. `source`: what the program prints with `--experimental-dump-help`, or the text of
    /// Config/repld.toml.
    func text(from source: [UInt8]) throws(ClientError) -> String {
        var out = ManualWriter()
        out.macro("Dd November 22, 2026")
        out.macro("Dt \(name.uppercased()) \(section)")
        out.macro("Os")
        out.section("NAME")
        out.macro("Nm \(name)")
        out.macro("Nd \(ManualWriter.escape(summary))")
        if section == 5 {
            settings(String(decoding: source, as: UTF8.self), &out)
        } else {
            program(try CommandTree.read(source), &out)
        }
        for part in closing {
            out.section(part.title)
            out.discussion(part.text)
        }
        out.section("SEE ALSO")
        // Not by the macro `Xr`: lint looks for the pages on the machine that it runs on.
        out.paragraph(related.map { "\($0.name)(\($0.section))" }.joined(separator: ", "))
        return out.text
    }

    // MARK: Programs

    private func program(_ tree: CommandTree, _ out: inout ManualWriter) {
        let verbs = tree.subcommands.filter { $0.isShown && $0.name != "help" }
        out.section("SYNOPSIS")
        out.macro("Nm")
        if !verbs.isEmpty {
            out.macro("Ar verb")
            out.macro("Op Ar argument ...")
        }
        synopsis(tree, &out)
        out.section("DESCRIPTION")
        out.paragraph(tree.abstract)
        if !tree.discussion.isEmpty {
            out.macro("Pp")
            out.discussion(tree.discussion)
        }
        let general = tree.arguments + (verbs.first.map { Self.general(of: $0) } ?? [])
        if !verbs.isEmpty {
            out.section("VERBS")
            for verb in verbs { self.verb(verb, behind: tree.name, &out) }
            out.section("OPTIONS OF EVERY VERB")
        } else {
            out.section("OPTIONS")
        }
        var seen: [String] = []
        out.macro("Bl -tag -width Ds")
        for argument in general where argument.isShown && !seen.contains(where: argument.names.contains) {
            seen += argument.names
            item(argument, &out)
        }
        out.macro("El")
    }

    /// What every verb takes.
    private static let generalNames = ["--socket", "--json", "--version", "--help"]

    private static func general(of verb: CommandTree) -> [CommandTree.Argument] {
        verb.arguments.filter { $0.names.contains(where: generalNames.contains) }
    }

    private func synopsis(_ tree: CommandTree, _ out: inout ManualWriter) {
        for argument in tree.arguments where argument.isShown {
            let value = ManualWriter.word(argument.valueName)
            switch argument.kind {
            case .positional:
                let dots = argument.isRepeating ? " ..." : ""
                out.macro((argument.isOptional ? "Op " : "") + "Ar \(value)" + dots)
            case .option:
                let flag = "Fl \(Self.flag(argument))"
                out.macro((argument.isOptional ? "Op " : "") + flag + " Ar \(value)")
            case .flag: out.macro("Op Fl \(Self.flag(argument))")
            }
        }
    }

    /// Its name as the macro `Fl` takes it, which writes the first dash.
    private static func flag(_ argument: CommandTree.Argument) -> String {
        let name = argument.names.first { $0.hasPrefix("--") } ?? argument.names.first ?? ""
        return String(name.dropFirst())
    }

    private func verb(_ verb: CommandTree, behind name: String, _ out: inout ManualWriter) {
        let below = verb.subcommands.filter { $0.isShown && $0.name != "help" }
        guard below.isEmpty else {
            for one in below { self.verb(one, behind: name + " " + verb.name, &out) }
            return
        }
        let whole = ManualWriter.escape(name + " " + verb.name)
        out.macro("Ss " + whole)
        out.macro("Nm " + whole)
        for argument in verb.positionals where argument.isShown {
            let word = ManualWriter.word(argument.valueName.uppercased())
            out.macro(
                (argument.isOptional ? "Op " : "") + "Ar \(word)" + (argument.isRepeating ? " ..." : ""))
        }
        out.macro("Pp")
        out.paragraph(verb.abstract)
        if !verb.discussion.isEmpty {
            out.macro("Pp")
            out.discussion(verb.discussion)
        }
        let own = verb.arguments.filter { argument in
            argument.isShown && !argument.names.contains(where: Self.generalNames.contains)
        }
        guard !own.isEmpty else { return }
        out.macro("Bl -tag -width Ds")
        for argument in own { item(argument, &out) }
        out.macro("El")
    }

    private func item(_ argument: CommandTree.Argument, _ out: inout ManualWriter) {
        let value = ManualWriter.word(argument.valueName)
        switch argument.kind {
        case .positional: out.macro("It Ar \(value.uppercased())")
        case .option, .flag:
            let names = argument.names.map { "Fl \($0.dropFirst())" }.joined(separator: " , ")
            out.macro("It " + names + (argument.kind == .option ? " Ar \(value)" : ""))
        }
        if !argument.abstract.isEmpty { out.paragraph(argument.abstract) }
        if !argument.discussion.isEmpty { out.discussion(argument.discussion) }
        if !argument.values.isEmpty {
            out.paragraph("One of: " + argument.values.joined(separator: ", ") + ".")
        }
        if let value = argument.defaultValue { out.paragraph("Default: \(value).") }
    }

    // MARK: Settings

    /// Blocks between empty lines: comments, then settings that are commented out. The first block is about
    /// the file.
    private func settings(_ source: String, _ out: inout ManualWriter) {
        out.section("DESCRIPTION")
        var isOpen = false
        for block in source.split(separator: "\n\n") {
            let lines = block.split(separator: "\n")
            let words = lines.filter { $0.hasPrefix("# ") || $0 == "#" }.map { $0.dropFirst(2) }
            let entries = lines.filter { !($0.hasPrefix("# ") || $0 == "#") }.map {
                $0.hasPrefix("#") ? String($0.dropFirst()) : String($0)
            }
            if entries.isEmpty || entries[0].hasPrefix("[") {
                if isOpen { out.macro("El") }
                isOpen = false
                if let table = entries.first {
                    out.section("TABLE " + table.filter { $0.isLetter || $0 == "-" }.uppercased())
                }
                out.paragraph(words.joined(separator: " "))
                if entries.isEmpty {
                    out.section("SETTINGS")
                } else if entries.count > 1 {
                    out.example(Array(entries.dropFirst()))
                }
                continue
            }
            if !isOpen { out.macro("Bl -tag -width Ds") }
            isOpen = true
            for entry in entries { out.macro("It Li \(ManualWriter.word(entry))") }
            out.paragraph(words.joined(separator: " "))
        }
        if isOpen { out.macro("El") }
    }
}
