// `replbench road`: what judging members costs the road of a change, from the segment that brings it to the
// commit. Two nodes with stores in memory, so that what is measured is the node's own work.

import ArgumentParser
import Bytes
import Causality
import Crypto
import Documents
import Identity
import Node
import Simulator
import Wire

struct RoadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "road",
        abstract: "Measures a catch-up in a space without removals and in one with some, in turn.",
        discussion: """
            One node writes --changes, another one is off, starts and catches up. Prints a JSON line: \
            microseconds of processor time of both nodes a change, the least and the median of all rounds, \
            where nobody was ever restricted, where --removed members were removed that wrote nothing, and \
            the ratio of the least.
            """)

    @Option(help: "Changes to catch up with.")
    var changes = 100_000
    @Option(help: "Members that were removed before.")
    var removed = 10
    @Option(help: "Rounds, each of both.")
    var rounds = 7

    func validate() throws {
        guard (100...1_000_000).contains(changes), (1...200).contains(removed), (1...100).contains(rounds)
        else {
            throw ValidationError("--changes is 100 to 1000000, --removed 1 to 200, --rounds 1 to 100")
        }
    }

    func run() throws {
        var times: [Bool: [Double]] = [:]
        for round in 0..<rounds {
            for isRestricted in [round % 2 == 0, round % 2 == 1] {
                let bench = RoadBench(changes: changes, removed: removed, isRestricted: isRestricted)
                times[isRestricted, default: []].append(try bench.measure())
            }
        }
        let (free, restricted) = (times[false, default: []].sorted(), times[true, default: []].sorted())
        print(
            """
            {"bench":"road","changes":\(changes),"rounds":\(rounds),\
            "unrestrictedUs":\(rounded(free[0])),"unrestrictedMedianUs":\(rounded(free[free.count / 2])),\
            "removed":\(removed),"restrictedUs":\(rounded(restricted[0])),\
            "restrictedMedianUs":\(rounded(restricted[restricted.count / 2])),\
            "ratio":\((restricted[0] / free[0] * 1_000).rounded() / 1_000)}
            """)
    }

    private func rounded(_ microseconds: Double) -> Double { (microseconds * 100).rounded() / 100 }
}

private struct RoadBench {
    let changes: Int
    let removed: Int
    let isRestricted: Bool

    /// Microseconds of processor time for each change that is caught up with.
    func measure() throws -> Double {
        var world = World(seed: 1)
        world.weather.pieceBytesMax = 1 << 16
        // The roster has as many members in both cases.
        let gone = 2..<2 + removed
        guard let id = world.addMembers(2 + removed, of: "road") else {
            throw BenchFailure("the roster was refused")
        }
        for index in gone { world.crash(index) }
        if isRestricted {
            for index in gone {
                let device = DeviceID(publicKey: world.nodes[index].deviceKey.publicKey)
                let request = NodeRequest.removeMember(space, MemberReference(device.text), isDryRun: false)
                let answer = world.ask(0, request)
                guard case .memberRemoved? = answer else { throw BenchFailure("not removed: \(say(answer))") }
            }
        }
        let isKnown = world.run(within: 600_000) { world in
            guard case .members(let list)? = world.ask(1, .members(space)) else { return false }
            return list.count { $0.state == "removed" } == (isRestricted ? removed : 0)
        }
        guard isKnown else { throw BenchFailure("the other node does not know of the removals") }
        world.run(milliseconds: 10_000)
        world.crash(1)
        for number in 0..<changes {
            let operation = OperationRequest(
                document: Key("record/\(number % 1_000)"), path: [.key("n")],
                verb: .set(.scalar(.integer(Int64(number)))))
            let transaction = Transaction(operations: [operation], conditions: [], idempotency: nil)
            let answer = world.ask(0, .transact(space, transaction))
            guard case .transaction? = answer else { throw BenchFailure("not written: \(say(answer))") }
        }
        let start = ProcessorClock.milliseconds()
        // With its start, which opens roster and keys: of many changes a small part.
        world.start(1)
        let isLevel = world.run(within: 600_000) { world in
            guard let first = world.nodes[0].node, let second = world.nodes[1].node else { return false }
            let (mine, theirs) = (try? first.store.heads(id), try? second.store.heads(id))
            return mine != nil && mine == theirs
        }
        guard isLevel else { throw BenchFailure("the other node has not caught up in ten simulated minutes") }
        return (ProcessorClock.milliseconds() - start) * 1_000 / Double(changes)
    }

    private var space: SpaceReference { SpaceReference("road") }

    private func say(_ answer: NodeAnswer?) -> String { answer.map { "\($0)" } ?? "no answer" }
}
