// Scenarios: what repld promises, in lines that a person reads and writes, in the manner of etcd-raft's
// testdata. Each line is a command to a node or to the network, or what somebody expects; the nodes are those
// of the simulator's world. Tests/Scenarios has them, and README.md there all commands.

import Causality

/// A file of commands and expectations.
public struct Scenario: Sendable {
    /// How it is named in faults.
    public let file: String
    let lines: [ScenarioLine]

    public init(file: String, text: String) {
        self.file = file
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap {
            ScenarioLine($0.element, number: $0.offset + 1)
        }
    }

    /// Lines that expect something: an outcome of a node, or a refusal.
    public var expectationCount: Int {
        lines.count { ["expect", "eventually", "settle"].contains($0.words.first) || $0.refusal != nil }
    }

    /// Plays all lines in a world of its own; the first one that does not hold ends it.
    public func run() throws(ScenarioFault) {
        var seed: UInt64 = 1
        var rest = lines[...]
        if let first = rest.first, first.words.first == "seed", first.words.count == 2 {
            guard let number = UInt64(first.words[1]) else { throw fault(first, .malformed("seed NUMBER")) }
            seed = number
            rest = rest.dropFirst()
        }
        var stage = ScenarioStage(seed: seed)
        for line in rest {
            do throws(ScenarioFault.Reason) {
                try stage.play(line)
            } catch {
                throw fault(line, error)
            }
        }
    }

    private func fault(_ line: ScenarioLine, _ reason: ScenarioFault.Reason) -> ScenarioFault {
        ScenarioFault(file: file, line: line.number, text: line.text, reason: reason)
    }
}
