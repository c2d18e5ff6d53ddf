// The space and the document that a command was about, so that a hint is a command that can be typed as it
// stands.

import ArgumentParser

/// What a command line named; nil where it named nothing.
struct NamedSubject: Equatable {
    private var space: String?
    private var key: String?

    init() {}

    /// Of a parsed command: its arguments `space` and `key`, also those in a group.
    init(of command: any ParsableCommand) { read(Mirror(reflecting: command)) }

    private mutating func read(_ mirror: Mirror) {
        for child in mirror.children {
            switch (child.label, child.value) {
            case ("_space", let argument as Argument<String>): space = argument.wrappedValue
            case ("_key", let argument as Argument<String>): key = argument.wrappedValue
            case (_, let group as OptionGroup<PlaceArguments>):
                read(Mirror(reflecting: group.wrappedValue))
            default: break
            }
        }
    }

    /// `hint` with SPACE and KEY as they were named.
    func filled(_ hint: String) -> String {
        hint.split(separator: " ", omittingEmptySubsequences: false).map { word in
            for (name, value) in [("SPACE", space), ("KEY", key)] where word.hasPrefix(name) {
                return value.map(ShellWord.quoted).map { $0 + word.dropFirst(name.count) } ?? String(word)
            }
            return String(word)
        }.joined(separator: " ")
    }
}
