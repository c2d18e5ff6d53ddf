// What `[access]` of the settings gives one user of this box: which spaces, which documents of them, to
// read or to write. Who is not named there has all that the socket gives; who is named has what is written
// and nothing else. Who that is the shell knows; the node judges the request, since it knows which space
// the words mean.

public import Bytes
import Causality

/// One entry: a space, or the documents of it whose keys begin with a prefix.
public struct AccessRule: Hashable, Sendable, CustomStringConvertible {
    /// Its name here, or its id.
    public let space: String
    /// Empty: the whole space.
    public let prefix: Key
    /// Who may write may read.
    public let mayWrite: Bool

    public init(space: String, prefix: Key = "", mayWrite: Bool) {
        (self.space, self.prefix, self.mayWrite) = (space, prefix, mayWrite)
    }

    /// `read:SPACE[/PREFIX]` or `write:SPACE[/PREFIX]`; nil for anything else.
    public init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] == "read" || parts[0] == "write" else { return nil }
        let place = parts[1].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let isName = place[0].utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
            case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
            default: false
            }
        }
        guard isName, 1...64 ~= place[0].utf8.count else { return nil }
        self.init(
            space: String(place[0]), prefix: place.count == 2 ? Key(String(place[1])) : "",
            mayWrite: parts[0] == "write")
    }

    public var description: String {
        "\(mayWrite ? "write" : "read"):\(space)" + (prefix.utf8Count == 0 ? "" : "/\(prefix)")
    }
}

/// What one caller may do; without rules nothing.
public struct AccessGrants: Hashable, Sendable {
    public let rules: [AccessRule]

    public init(_ rules: [AccessRule]) { self.rules = rules }

    /// Whether a rule names a space in these words.
    func names(_ space: String) -> Bool { rules.contains { $0.space == space } }

    /// Whether the caller may know of the space.
    func show(_ space: Space) -> Bool { !about(space).isEmpty }

    /// Those about one space.
    func about(_ space: Space) -> SpaceGrants {
        let id = space.id.description
        return SpaceGrants(
            space: space.name, rules: rules.filter { $0.space == space.name || $0.space == id })
    }
}

/// What one caller may do in one space.
struct SpaceGrants {
    /// Its name here.
    let space: String
    let rules: [AccessRule]

    var isEmpty: Bool { rules.isEmpty }
    var readsAll: Bool { rules.contains { $0.prefix.utf8Count == 0 } }
    var writesAll: Bool { rules.contains { $0.mayWrite && $0.prefix.utf8Count == 0 } }

    func mayRead(_ key: Key) -> Bool { rules.contains { key.hasPrefix($0.prefix) } }
    func mayWrite(_ key: Key) -> Bool { rules.contains { $0.mayWrite && key.hasPrefix($0.prefix) } }

    /// What of the documents with this prefix the caller may read, as one prefix; nil when it is none, or
    /// several: those would be several answers.
    func readable(of prefix: Key) -> Key? {
        if mayRead(prefix) { return prefix }
        let below = rules.map(\.prefix).filter { $0.hasPrefix(prefix) }
        return below.first { shortest in below.allSatisfy { $0.hasPrefix(shortest) } }
    }
}
