// The walks of Sources/README.md: each names a file and a function in it. Who moves a function mends the map.

import Testing

@Suite struct WalkTests {
    /// A step of a walk.
    struct Step: Sendable, CustomTestStringConvertible {
        let path: String
        let function: String
        var testDescription: String { "\(path): \(function)" }
    }

    /// The numbered lists of the map, in order.
    private static let walks: [[Step]] = {
        var walks: [[Step]] = []
        let map = (try? SourceTree.text("Sources/README.md")) ?? ""
        for line in map.split(separator: "\n") {
            let parts = line.split(separator: "`", omittingEmptySubsequences: false)
            guard let number = line.split(separator: ".").first.flatMap({ Int($0) }), parts.count >= 4 else {
                continue
            }
            if number == 1 { walks.append([]) }
            walks[walks.count - 1].append(Step(path: String(parts[1]), function: String(parts[3])))
        }
        return walks
    }()

    @Test("there are two walks, of at most 16 files each")
    func lengths() {
        #expect(Self.walks.count == 2)
        for walk in Self.walks {
            #expect((8...16).contains(walk.count) && Set(walk.map(\.path)).count == walk.count)
        }
    }

    @Test("each step names a file that is there and a function in it", arguments: walks.flatMap(\.self))
    func steps(step: Step) throws {
        let file = try #require(SourceTree.sources.first { $0.path == step.path }, "there is no \(step.path)")
        #expect(
            file.text.contains("func \(step.function)(") || file.text.contains("func \(step.function)<"),
            "\(step.path) has no function \(step.function)")
    }

    @Test("the walks end in one road: both execute, and both commit")
    func oneRoad() {
        for function in ["execute", "commit"] {
            #expect(Self.walks.allSatisfy { walk in walk.contains { $0.function == function } })
        }
    }
}
