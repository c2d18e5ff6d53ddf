// The arguments of `find`: those with an operator are comparisons, the one without is the prefix of the keys.
// A shell takes `tags has '"work"'` apart and a person does not notice, so words that stand alone are put
// together again. What the comparisons mean is the daemon's business; where one is wrong, it says at which
// character.

import Bytes
import JSON
import ReplClient

struct FilterTerms: Equatable {
    let prefix: String?
    /// The whole of them as the API takes it.
    let filter: String

    init(_ arguments: [String]) throws(CommandFailure) {
        var prefix: String?
        var comparisons: [String] = []
        for term in Self.joined(arguments) {
            if Self.hasOperator(term) {
                comparisons.append(term)
            } else if let prefix {
                throw CommandFailure(
                    .badInput, "\"\(prefix)\" and \"\(term)\" have no operator, and only one prefix is taken",
                    hint: "compare a path with a value: done=false, 'title~\"milk\"', 'due exists'")
            } else {
                prefix = term
            }
        }
        guard !comparisons.isEmpty else {
            throw CommandFailure(
                .badInput, "there is nothing to look for",
                hint: "compare a path with a value: done=false; replctl ls lists all documents")
        }
        self.prefix = prefix
        filter = comparisons.joined(separator: " and ")
    }

    private static let binary: Set<String> = ["=", "!=", "<", "<=", ">", ">=", "~", "has"]

    /// Operators that are arguments of their own, with what stands beside them; an "and" between is implied.
    private static func joined(_ arguments: [String]) -> [String] {
        var terms: [String] = []
        var wantsValue = false
        for argument in arguments {
            if wantsValue, let last = terms.popLast() {
                terms.append(last + " " + argument)
                wantsValue = false
            } else if binary.contains(argument), let last = terms.popLast() {
                terms.append(last + " " + argument)
                wantsValue = true
            } else if argument == "exists" || argument == "missing", let last = terms.popLast() {
                terms.append(last + " " + argument)
            } else if argument != "and" {
                terms.append(argument)
            }
        }
        return terms
    }

    /// A symbol that no backslash stands before, or one of the words behind a space.
    private static func hasOperator(_ term: String) -> Bool {
        var isEscaped = false
        for scalar in term.unicodeScalars {
            if isEscaped {
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
            } else if "=<>~".unicodeScalars.contains(scalar) {
                return true
            }
        }
        return term.contains(" has ") || term.hasSuffix(" has") || term.hasSuffix(" exists")
            || term.hasSuffix(" missing")
    }

    /// A mistake in the filter, shown below it.
    static func pointing(at filter: String, _ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let error as ClientError {
            let failure = CommandFailure(error)
            guard failure.name == "bad-where",
                case .scalar(.integer(let position))? = failure.details.first(where: {
                    $0.key == "position"
                })?.value, (0...Int64(filter.unicodeScalars.count)).contains(position)
            else { throw error }
            throw failure.with(excerpt: [filter, String(repeating: " ", count: Int(position)) + "^"])
        }
    }
}
