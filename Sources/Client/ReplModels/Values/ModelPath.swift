// The way to a slot inside a document.

import Bytes
import JSON

/// Names of maps' members and places in lists, outermost first.
public struct ModelPath: Hashable, Sendable, CustomStringConvertible {
    public enum Step: Hashable, Sendable {
        case key(String)
        case index(Int)
    }

    public private(set) var steps: [Step] = []

    public init(_ steps: [Step] = []) { self.steps = steps }

    func appending(_ step: Step) -> ModelPath {
        var path = self
        path.steps.append(step)
        return path
    }

    func write(to json: inout JSONWriter) {
        json.array(steps) { json, step in
            switch step {
            case .key(let name): json.string(name)
            case .index(let index): json.integer(index)
            }
        }
    }

    /// As replctl writes it: dotted, `\.` for a dot in a name.
    public var description: String {
        steps.map { step in
            switch step {
            case .index(let index): String(index)
            case .key(let name): name.reduce(into: "") { $0 += $1 == "." ? "\\." : String($1) }
            }
        }.joined(separator: ".")
    }
}
