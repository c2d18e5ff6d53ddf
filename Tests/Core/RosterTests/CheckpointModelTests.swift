// Agreement on checkpoints, exhaustively: a few devices, so many proposals by anybody, following anything,
// with anybody absent, acknowledgements wherever `Checkpoints` allows one, and each device hearing of the
// others whenever it likes. In each state the code says what the small model says, no two rivals stand, and
// the devices that are left can go on. `REPL_CHECKPOINT_MODEL=N` makes it N proposals beyond the
// first (TESTING.md has what larger numbers found).

import Bytes
import Causality
import CheckpointModel
import Foundation
import Roster
import Testing
import Wire

/// What follows from some facts.
private struct CheckpointAnswers {
    var permitted: [Int: [Int]] = [:]
    var standing: Set<Int> = []
    var newest: Int?
    var owed: [Int: Int] = [:]
    var difference: String?

    init(_ facts: CheckpointMesh.Facts, devices: Int) {
        let (code, model) = (facts.checkpoints(), facts.model())
        code.checkInvariants()
        for (number, proposal) in facts.proposals {
            let id = CheckpointMesh.Facts.id(number, proposal)
            if code.stands(id) { standing.insert(number) }
            if code.newest == id { newest = number }
            check(code.stands(id) == model.stands(number), "stands", number)
            check(code.isAbandoned(id) == model.isAbandoned(number), "abandoned", number)
            if facts.isHeld(proposal) {
                check((code.verdict(on: id) == .valid) == model.isValid(number), "valid", number)
            }
            for device in 0..<devices {
                let may = code.refusal(to: id, by: CheckpointMesh.Facts.devices[device]) == nil
                check(may == model.mayAcknowledge(number, device), "may \(device)", number)
                if may { permitted[device, default: []].append(number) }
            }
        }
        check(newest == model.newest, "newest", model.newest ?? -1)
        for device in 0..<devices {
            let (log, member) = (CheckpointMesh.Facts.replicas[device], CheckpointMesh.Facts.devices[device])
            let owed = code.owed(by: log, of: member)
            check(owed == model.owed(by: device).flatMap { facts.id($0) }, "owed by \(device)", -1)
            if let number = model.owed(by: device), facts.proposals[number].map(facts.isHeld) == true {
                self.owed[device] = number
            }
            let greatest = code.toAcknowledge(by: CheckpointMesh.Facts.devices[device])
            let ids = (permitted[device] ?? []).compactMap { facts.id($0) }
            check(greatest.map { ids.contains($0) } ?? ids.isEmpty, "greatest of \(device)", -1)
        }
    }

    private mutating func check(_ holds: Bool, _ what: String, _ number: Int) {
        if !holds, difference == nil { difference = "\(what) of \(number)" }
    }
}

/// Walks all that can happen.
private final class Walk {
    private var answers: [CheckpointMesh.Facts: CheckpointAnswers] = [:]
    private var settled: Set<End> = []

    private struct End: Hashable {
        let facts: CheckpointMesh.Facts
        let gone: Int?
    }

    private let proposalsMax: Int
    private let hearsRosterAlone: Bool
    private let canDie: Bool
    /// Device 0's first checkpoint stands, so nothing that rivals it is of interest.
    private let isFounded: Bool
    var states = 0
    var factsCount: Int { answers.count }
    var stood = 0
    var ended = 0
    var findings: [String] = []

    init(proposals: Int, hearsRosterAlone: Bool, canDie: Bool = true, isFounded: Bool = true) {
        (proposalsMax, self.hearsRosterAlone) = (proposals, hearsRosterAlone)
        (self.canDie, self.isFounded) = (canDie, isFounded)
    }

    func run(from start: CheckpointMesh) {
        var seen: Set<CheckpointMesh> = [start]
        var open = [start]
        while let mesh = open.popLast(), findings.count < 5 {
            states += 1
            check(mesh)
            for next in nexts(of: mesh) where seen.insert(next).inserted { open.append(next) }
        }
    }

    private func answer(_ mesh: CheckpointMesh, _ held: CheckpointMesh.Held) -> CheckpointAnswers {
        let facts = mesh.facts(held)
        if let known = answers[facts] { return known }
        let answer = CheckpointAnswers(facts, devices: mesh.held.count)
        answers[facts] = answer
        if let difference = answer.difference { findings.append("\(difference) in \(facts.described)") }
        return answer
    }

    private func check(_ mesh: CheckpointMesh) {
        for held in mesh.held { _ = answer(mesh, held) }
        let all = answer(mesh, mesh.everything)
        let model = mesh.facts(mesh.everything).model()
        for one in all.standing {
            for other in all.standing where model.areRivals(one, other) {
                findings.append("rivals \(one) and \(other) stand in \(mesh.described)")
            }
        }
        if all.standing.count > 1 { stood += 1 }
        // Everybody is there, or one is gone with all that nobody else holds.
        for gone in [nil] + (canDie ? mesh.held.indices.map { $0 as Int? } : []) {
            settle(mesh, without: gone)
        }
    }

    // MARK: What can happen

    /// A device hears of some of the others and then acts: what it heard matters only by that.
    private func nexts(of mesh: CheckpointMesh) -> [CheckpointMesh] {
        mesh.held.indices.flatMap { device in
            hearings(mesh, device).flatMap { held in
                var mesh = mesh
                mesh.held[device] = held
                return acts(mesh, device)
            }
        }
    }

    private func acts(_ mesh: CheckpointMesh, _ device: Int) -> [CheckpointMesh] {
        let answer = answer(mesh, mesh.held[device])
        var nexts: [CheckpointMesh] = []
        for proposal in (answer.permitted[device] ?? []) + (answer.owed[device].map { [$0] } ?? []) {
            var next = mesh
            next.acknowledge(proposal, device)
            nexts.append(next)
        }
        if device == 0, mesh.held[0].steps < mesh.members.count - 1 {
            var next = mesh
            next.held[0].steps += 1
            nexts.append(next)
        }
        if mesh.proposals.count < proposalsMax { nexts += proposing(mesh, device) }
        return nexts
    }

    /// What the device may hold after it heard of each other device nothing, its roster, or all.
    private func hearings(_ mesh: CheckpointMesh, _ device: Int) -> Set<CheckpointMesh.Held> {
        var hearings: Set<CheckpointMesh.Held> = [mesh.held[device]]
        for other in mesh.held.indices where other != device {
            for held in hearings {
                var all = held
                all.join(mesh.held[other])
                hearings.insert(all)
                guard hearsRosterAlone else { continue }
                var roster = held
                roster.proposals.formUnion(mesh.held[other].proposals)
                roster.steps = max(held.steps, mesh.held[other].steps)
                hearings.insert(roster)
            }
        }
        return hearings
    }

    private func proposing(_ mesh: CheckpointMesh, _ author: Int) -> [CheckpointMesh] {
        let members = mesh.members[mesh.held[author].steps]
        guard members.contains(author) else { return [] }
        let others = members.subtracting([author]).sorted()
        var nexts: [CheckpointMesh] = []
        for bits in 0..<(1 << others.count) {
            let absent = Set(others.indices.filter { bits >> $0 & 1 == 1 }.map { others[$0] })
            for previous in mesh.held[author].proposals.sorted().map({ $0 as Int? })
                + (mesh.proposals.isEmpty || !isFounded ? [nil] : [])
            {
                // One of the same depth that the author does not know may be greater or less.
                let depth = mesh.depth(by: author)
                let hasEqual = mesh.proposals.contains { $0.depth == depth }
                for rank in hasEqual ? [0, 2] : [1] {
                    var next = mesh
                    next.propose(author, following: previous, absent: absent, rank: rank)
                    let number = next.proposals.count - 1
                    // The others say nothing: they are looked at once, in the tests of faults.
                    if next.facts(next.held[author]).model().isPossible(number) { nexts.append(next) }
                }
            }
        }
        return nexts
    }

    // MARK: Going on

    /// Those that are left tell each other everything, acknowledge what they may, and propose what they may.
    private func settle(_ mesh: CheckpointMesh, without gone: Int?) {
        var mesh = mesh
        let left = mesh.held.indices.filter { $0 != gone }
        level(&mesh, left)
        guard settled.insert(End(facts: mesh.facts(mesh.held[left[0]]), gone: gone)).inserted else { return }
        let before = answer(mesh, mesh.held[left[0]]).newest
        for _ in 0..<8 {
            while acknowledgeOnce(&mesh, left) {}
            if answer(mesh, mesh.held[left[0]]).newest != before { return ended += 1 }
            guard let author = left.first(where: { propose(&mesh, $0, without: gone) }) else { break }
            level(&mesh, left + [author])
        }
        findings.append("stuck without \(gone.map { "\($0)" } ?? "nobody") in \(mesh.described)")
    }

    private func level(_ mesh: inout CheckpointMesh, _ left: [Int]) {
        var all = mesh.held[left[0]]
        for device in left { all.join(mesh.held[device]) }
        for device in left { mesh.held[device] = all }
    }

    private func acknowledgeOnce(_ mesh: inout CheckpointMesh, _ left: [Int]) -> Bool {
        for device in left {
            let facts = mesh.facts(mesh.held[device])
            let greatest = facts.checkpoints().toAcknowledge(by: CheckpointMesh.Facts.devices[device])
            let number =
                answer(mesh, mesh.held[device]).owed[device]
                ?? facts.proposals.keys.first { facts.id($0) == greatest }
            guard let number else { continue }
            mesh.acknowledge(number, device)
            level(&mesh, left)
            return true
        }
        return false
    }

    private func propose(_ mesh: inout CheckpointMesh, _ author: Int, without gone: Int?) -> Bool {
        let facts = mesh.facts(mesh.held[author])
        let checkpoints = facts.checkpoints()
        let previous = checkpoints.choice(of: CheckpointMesh.Facts.devices[author]).previous
        let number = facts.proposals.keys.first { facts.id($0) == previous }
        let members = mesh.members[mesh.held[author].steps]
        let devices = Set(members.map { CheckpointMesh.Facts.devices[$0] })
        var absent = Set(
            checkpoints.absentees(of: devices, following: previous).compactMap {
                CheckpointMesh.Facts.devices.firstIndex(of: $0)
            })
        if let gone { absent.insert(gone) }
        let required = Set(members.subtracting(absent).map { CheckpointMesh.Facts.devices[$0] })
        guard members.contains(author), !absent.contains(author),
            checkpoints.isMajority(required, following: previous)
        else { return false }
        mesh.propose(author, following: number, absent: absent.intersection(members), rank: 0)
        return true
    }
}

@Suite struct CheckpointModelTests {
    private static let proposals =
        ProcessInfo.processInfo.environment["REPL_CHECKPOINT_MODEL"].flatMap { Int($0) } ?? 1

    private func walk(_ walk: Walk, from mesh: CheckpointMesh, _ name: String) {
        walk.run(from: mesh)
        print(
            "\(name): \(walk.states) states, \(walk.factsCount) sets of facts, \(walk.ended) ends; "
                + "two stand in \(walk.stood)")
        #expect(walk.findings.isEmpty, "\(walk.findings.joined(separator: "\n"))")
        #expect(walk.ended > 0 && (walk.stood > 0 || mesh.proposals.isEmpty), "nothing was agreed on")
    }

    @Test("three members, of whom one may be gone: no two rivals stand, and the others go on")
    func three() {
        var mesh = CheckpointMesh(devices: 3, members: [[0, 1, 2]])
        mesh.found()
        walk(Walk(proposals: Self.proposals + 1, hearsRosterAlone: false), from: mesh, "three members")
    }

    @Test("the same where rosters may be ahead of logs")
    func rosterAhead() {
        var mesh = CheckpointMesh(devices: 3, members: [[0, 1, 2]])
        mesh.found()
        walk(Walk(proposals: Self.proposals + 1, hearsRosterAlone: true), from: mesh, "rosters ahead")
    }

    @Test("a space from its beginning, to which two come: no two rivals stand, and together they go on")
    func beginning() {
        let mesh = CheckpointMesh(devices: 3, members: [[0], [0, 1, 2]])
        walk(
            Walk(proposals: Self.proposals, hearsRosterAlone: false, canDie: false, isFounded: false),
            from: mesh, "a beginning")
    }

    @Test("four members of whom one is removed meanwhile: no two rivals stand, and together they go on")
    func removal() {
        var mesh = CheckpointMesh(devices: 4, members: [[0, 1, 2, 3], [0, 1, 2]])
        mesh.found()
        walk(
            Walk(proposals: Self.proposals + 1, hearsRosterAlone: false, canDie: false), from: mesh,
            "a removal")
    }
}
