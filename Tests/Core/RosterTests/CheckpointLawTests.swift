// Agreement in larger meshes, drawn by seed: five devices, of which some come and go, propose anything,
// acknowledge what they may, and hear of each other. `REPL_CHECKPOINT_SEEDS=N` draws N (TESTING.md).

import Bytes
import Causality
import CheckpointModel
import Foundation
import Roster
import Testing
import Wire

@Suite struct CheckpointLawTests {
    private static let seeds = UInt64(
        ProcessInfo.processInfo.environment["REPL_CHECKPOINT_SEEDS"].flatMap { Int($0) } ?? 30)

    /// What somebody who was told these things in this order says of everything.
    private func answers(_ told: [CheckpointMesh.Facts.Told], _ facts: CheckpointMesh.Facts) -> [String] {
        var checkpoints = Checkpoints(founder: CheckpointMesh.Facts.devices[0])
        for one in told {
            checkpoints.hear(one)
            checkpoints.checkInvariants()
        }
        var answers = [
            "newest \(String(describing: checkpoints.newest))", "open \(checkpoints.open.map(\.id))",
        ]
        for number in facts.proposals.keys.sorted() {
            guard let id = facts.id(number) else { continue }
            answers.append("\(number) \(checkpoints.verdict(on: id)) \(checkpoints.stands(id))")
            answers += (0..<5).map {
                let refusal = checkpoints.refusal(to: id, by: CheckpointMesh.Facts.devices[$0])
                return "\(number) \($0) \(String(describing: refusal))"
            }
        }
        answers += (0..<5).map { "\($0) \(checkpoints.choice(of: CheckpointMesh.Facts.devices[$0]))" }
        return answers
    }

    /// Another order in which the same can come: a checkpoint after those in its view, the rest after it.
    private func shuffled(
        _ facts: CheckpointMesh.Facts, _ random: inout SeededGenerator
    ) -> [CheckpointMesh.Facts.Told] {
        var waiting = facts.told.shuffled(using: &random)
        var told: [CheckpointMesh.Facts.Told] = []
        var known: Set<Bytes32> = []
        while !waiting.isEmpty {
            let index = waiting.firstIndex { one in
                switch one {
                case .proposal(let proposal):
                    facts.proposals.contains { number, record in
                        facts.id(number) == proposal.id
                            && record.seen.allSatisfy { facts.id($0).map(known.contains) ?? true }
                    }
                case .table(_, let id): known.contains(id)
                case .acknowledgement(let one): known.contains(one.checkpoint)
                }
            }
            guard let index else { preconditionFailure("\(waiting) wait for ever") }
            if case .proposal(let proposal) = waiting[index] { known.insert(proposal.id) }
            told.append(waiting.remove(at: index))
        }
        return told
    }

    private func draw(_ random: inout SeededGenerator, steps: Int) -> CheckpointMesh {
        let members: [Set<Int>] = [[0, 1, 2], [0, 1, 2, 3], [0, 1, 2, 3, 4], [0, 1, 3, 4]]
        var mesh = CheckpointMesh(devices: 5, members: members)
        if Bool.random(using: &random) { mesh.found() }
        for _ in 0..<steps {
            let device = Int.random(in: 0..<5, using: &random)
            if Int.random(in: 0..<3, using: &random) > 0 {
                mesh.held[device].join(mesh.held[Int.random(in: 0..<5, using: &random)])
            }
            let facts = mesh.facts(mesh.held[device])
            let checkpoints = facts.checkpoints()
            let member = CheckpointMesh.Facts.devices[device]
            let now = members[mesh.held[device].steps]
            switch Int.random(in: 0..<8, using: &random) {
            case 0 where mesh.proposals.count < 9 && now.contains(device):
                let previous = mesh.held[device].proposals.sorted().randomElement(using: &random)
                let absent = now.subtracting([device]).filter { _ in
                    Int.random(in: 0..<3, using: &random) == 0
                }
                mesh.propose(
                    device, following: previous, absent: Set(absent),
                    rank: Int.random(in: 0...2, using: &random))
            case 1 where device == 0: mesh.held[0].steps = min(members.count - 1, mesh.held[0].steps + 1)
            default:
                let choices = facts.proposals.keys.sorted().filter { number in
                    facts.id(number).map { checkpoints.refusal(to: $0, by: member) == nil } ?? false
                }
                if let number = choices.randomElement(using: &random) { mesh.acknowledge(number, device) }
            }
        }
        return mesh
    }

    @Test("in drawn meshes no two rivals stand, and the code says what the model says, in any order")
    func drawn() {
        var (stood, rivals) = (0, 0)
        for seed in 0..<Self.seeds {
            var random = SeededGenerator(seed: seed)
            let mesh = draw(&random, steps: 90)
            for held in mesh.held + [mesh.everything] {
                let facts = mesh.facts(held)
                let (code, model) = (facts.checkpoints(), facts.model())
                let standing = facts.proposals.keys.filter { model.stands($0) }
                stood += standing.count
                for number in facts.proposals.keys {
                    guard let id = facts.id(number) else { continue }
                    rivals += standing.count { model.areRivals($0, number) }
                    #expect(code.stands(id) == model.stands(number), "seed \(seed): \(facts.described)")
                    for device in 0..<5 {
                        let may = code.refusal(to: id, by: CheckpointMesh.Facts.devices[device]) == nil
                        #expect(
                            may == model.mayAcknowledge(number, device), "seed \(seed): \(facts.described)")
                    }
                }
                for one in standing {
                    #expect(
                        !standing.contains { model.areRivals(one, $0) }, "seed \(seed): \(facts.described)")
                }
                #expect(
                    answers(facts.told, facts) == answers(shuffled(facts, &random), facts),
                    "seed \(seed): \(facts.described)")
            }
        }
        #expect(stood > 0 && rivals > 0, "nothing was at odds")
        print("\(Self.seeds) meshes: \(stood) stood, beside \(rivals) rivals")
    }
}
