// The verbs of a program with what they take, as the argument parser describes them. Completion and manual
// pages are made from it (decision 0159): what a program accepts and what they say of it cannot differ.

import ArgumentParser
import Bytes
import JSON
import ReplClient

/// A verb, and the verbs below it.
struct CommandTree: Sendable {
    enum Kind: String {
        case positional, option, flag
    }

    /// What a verb takes in one place or behind one name.
    struct Argument: Sendable {
        let kind: Kind
        /// With their dashes; none of a positional argument.
        let names: [String]
        let valueName: String
        let abstract: String
        let discussion: String
        let defaultValue: String?
        /// What it may be, when that is a closed list.
        let values: [String]
        let isOptional: Bool
        let isRepeating: Bool
        let isShown: Bool
        let isFile: Bool
        let isDirectory: Bool
    }

    let name: String
    let aliases: [String]
    let abstract: String
    let discussion: String
    let isShown: Bool
    let subcommands: [CommandTree]
    let arguments: [Argument]

    /// That of replctl itself.
    static func own() throws(ClientError) -> CommandTree { try read(Array(Replctl._dumpHelp().utf8)) }

    /// `description`: what a program prints with `--experimental-dump-help`.
    static func read(_ description: [UInt8]) throws(ClientError) -> CommandTree {
        guard let command = try ClientAnswer.json(description)["command"] else {
            throw ClientError.malformed("a description of no command")
        }
        return CommandTree(command)
    }

    private init(_ json: PlainValue) {
        name = json.string("commandName") ?? ""
        aliases = json.list("aliases").compactMap(\.text)
        abstract = json.string("abstract") ?? ""
        discussion = json.string("discussion") ?? ""
        isShown = json.bool("shouldDisplay") ?? true
        subcommands = json.list("subcommands").map { CommandTree($0) }
        arguments = json.list("arguments").map { Argument($0) }
    }

    func subcommand(_ word: String) -> CommandTree? {
        subcommands.first { $0.name == word || $0.aliases.contains(word) }
    }

    /// The option or flag of this name, dashes and all.
    func argument(_ name: String) -> Argument? { arguments.first { $0.names.contains(name) } }

    var positionals: [Argument] { arguments.filter { $0.kind == .positional } }
}

extension CommandTree.Argument {
    init(_ json: PlainValue) {
        kind = json.string("kind").flatMap(CommandTree.Kind.init) ?? .positional
        names = json.list("names").compactMap { name in
            let dashes = name.string("kind") == "long" ? "--" : "-"
            return name.string("name").map { dashes + $0 }
        }
        valueName = json.string("valueName") ?? ""
        abstract = json.string("abstract") ?? ""
        discussion = json.string("discussion") ?? ""
        defaultValue = json.string("defaultValue")
        let completion = json["completionKind"]
        let listed = completion?["list"]?.list("values").compactMap(\.text) ?? []
        let all = json.list("allValues").compactMap(\.text)
        values = all.isEmpty ? listed : all
        isOptional = json.bool("isOptional") ?? false
        isRepeating = json.bool("isRepeating") ?? false
        isShown = json.bool("shouldDisplay") ?? true
        isFile = completion?["file"] != nil
        isDirectory = completion?["directory"] != nil
    }
}
