// What happens between nodes: the network, time, and that all come to the same.

import Node
import Simulator
import Wire

extension ScenarioStage {
    static let worldForm = """
        node NAME… | in SPACE | cut A B | cut A > B | separate A… | heal [A B] | lan A… | \
        delay TIME TIME | wait TIME | settle [A…] | expect … | eventually … | or a node and what it does
        """

    mutating func playWorld(_ verb: String, _ words: [String]) throws(ScenarioFault.Reason) {
        switch (verb, words.count) {
        case ("node", 1...):
            for name in words {
                guard nodes[name] == nil else { throw .malformed("a node is called \(name)") }
                nodes[name] = world.addNode()
            }
        case ("in", 1): space = words[0]
        case ("cut", 2):
            let (a, b) = (try index(words[0]), try index(words[1]))
            world.block(Direction(from: a, to: b))
            world.block(Direction(from: b, to: a))
        case ("cut", 3) where words[1] == ">":
            world.block(Direction(from: try index(words[0]), to: try index(words[2])))
        case ("separate", 1...): world.separate(Set(try indices(words)))
        case ("heal", 0): world.reunite()
        case ("heal", 2):
            let (a, b) = (try index(words[0]), try index(words[1]))
            world.unblock(Direction(from: a, to: b))
            world.unblock(Direction(from: b, to: a))
        case ("lan", 1...): for index in try indices(words) { world.putOnLan(index, 1) }
        case ("delay", 2):
            guard let low = ScenarioWord.milliseconds(words[0]),
                let high = ScenarioWord.milliseconds(words[1]),
                low <= high
            else { throw .malformed("delay TIME TIME") }
            world.weather.delay = low...high
        case ("wait", 1):
            guard let time = ScenarioWord.milliseconds(words[0]) else { throw .malformed("wait TIME") }
            world.run(milliseconds: time)
        default: throw .malformed(Self.worldForm)
        }
    }

    // MARK: Settling

    /// Waits until these nodes, or all that run and may read the space, hold and show the same.
    mutating func settle(_ chosen: [Int]) throws(ScenarioFault.Reason) {
        let end = world.time + Self.patience
        while true {
            let members = chosen.isEmpty ? readers() : chosen
            guard let first = members.first else { throw .malformed("nobody is in space \(space)") }
            let state = self.state(of: first)
            let other = members.dropFirst().first { self.state(of: $0) != state }
            guard let other else { return }
            if world.time >= end {
                throw .differs(
                    expected: "\(name(of: first)) holds \(state)",
                    found: "\(name(of: other)) holds \(self.state(of: other))")
            }
            world.run(milliseconds: Self.pause)
        }
    }

    /// Nodes that run and have the right to read the space.
    private mutating func readers() -> [Int] {
        var found: [Int] = []
        for index in world.nodes.indices where world.nodes[index].node != nil {
            if case .space(let report) = world.ask(index, .space(SpaceReference(space))), report.role > .relay
            {
                found.append(index)
            }
        }
        return found
    }

    /// Everything that a node shows: conflicts and ids of elements too.
    mutating func state(of index: Int) -> String {
        guard world.nodes[index].node != nil else { return "nothing: it does not run" }
        guard case .reading(let job, _) = world.ask(index, .export(SpaceReference(space), view: .typed))
        else {
            return "nothing: it is not in space \(space)"
        }
        var bytes: [UInt8] = []
        do throws(StoreFailure) {
            while let piece = try job.next() { bytes += piece }
        } catch {
            return "nothing that can be read: \(error)"
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
