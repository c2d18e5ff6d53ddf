// Why a scenario fails. Each fault names the file and the line, what the line expected, and what was found.

/// A line of a scenario that does not hold, or that nobody understands.
public struct ScenarioFault: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Reason: Error, Hashable, Sendable {
        /// The line is no command; what would be one.
        case malformed(String)
        /// A command was refused that should not be, or otherwise than expected; `nil`: it is accepted.
        case outcome(expected: String?, found: String?)
        /// Something is otherwise than expected.
        case differs(expected: String, found: String)
    }

    public let file: String
    /// From 1.
    public let line: Int
    public let text: String
    public let reason: Reason

    public var description: String {
        let (expected, found): (String, String)
        switch reason {
        case .malformed(let message): return "\(file):\(line): \(text)\n  \(message)"
        case .outcome(let wanted, let got):
            (expected, found) = (
                wanted.map { "refused: \($0)" } ?? "done", got.map { "refused: \($0)" } ?? "done"
            )
        case .differs(let wanted, let got): (expected, found) = (wanted, got)
        }
        return "\(file):\(line): \(text)\n  expected  \(expected)\n  found     \(found)"
    }
}
