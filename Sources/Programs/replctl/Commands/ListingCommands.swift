// Many documents at once: all, or those that match.

import ArgumentParser
import ReplClient

struct ListCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "ls", abstract: "List documents: their keys, and with --values what is in them.",
        discussion: """
            All that is listed is of one moment, however long it takes.
            Examples:
              replctl ls household note/
              replctl ls household note/ --values
              replctl ls household --order due --limit 10     the ten that are due first
              replctl ls household --reverse --limit 1 --json
            """)
    @Argument(help: "Name or id.") var space: String
    @Argument(help: "What the keys begin with.") var prefix: String?
    @OptionGroup var listing: ListingOptions
    @OptionGroup var wait: AtLeastOptions
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        try await listing.list(space, prefix: prefix, filter: nil, wait, common)
    }
}

struct FindCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "find", abstract: "List the documents in which something stands.",
        discussion: """
            WHERE compares a PATH with a JSON value; all that are given must hold:
              done=false   qty>=3   owner!=null   'due exists'   'due missing'
              'title~"milk"' (contains)   'tags has "work"'
            = compares type and value: 1 is no "1", and a string stands in quotes. != holds where the path \
            exists and = does not. < <= > >= hold within numbers and within strings. ~ minds case. has looks \
            into sets, ordered sets and lists. The argument without an operator is the PREFIX of the keys.
            Examples:
              replctl find household done=false
              replctl find household todo/ done=false 'qty>=3' --values
              replctl find household 'owner="ann"' --order due --desc --limit 10
              replctl find household 'tags has "work"' --explain
            """)
    @Argument(help: "Name or id.") var space: String
    @Argument(
        help: ArgumentHelp(
            "What has to hold; without an operator: what the keys begin with.", valueName: "where"))
    var terms: [String]
    @OptionGroup var listing: ListingOptions
    @OptionGroup var wait: AtLeastOptions
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        let terms = try FilterTerms(terms)
        try await FilterTerms.pointing(at: terms.filter) {
            try await listing.list(space, prefix: terms.prefix, filter: terms.filter, wait, common)
        }
    }
}
