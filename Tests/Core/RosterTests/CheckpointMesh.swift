// A mesh of a few devices that propose, acknowledge and hear of each other, as a value: what each holds, and
// all that can happen next. What a device may do is what `Checkpoints` says of what it holds.

import Bytes
import Causality
import CheckpointModel
import Roster
import Wire

struct CheckpointMesh: Hashable {
    struct Proposal: Hashable {
        let author: Int
        let previous: Int?
        let absent: Set<Int>
        let members: Set<Int>
        let depth: Int
        /// Decides between two of one depth.
        let rank: Int
        let seen: Set<Int>
        /// Changes of each device's log.
        let covered: [Int]
    }

    /// What a device holds.
    struct Held: Hashable {
        var proposals: Set<Int> = []
        var logs: [Int]
        /// How many of the changes of membership.
        var steps = 0

        mutating func join(_ other: Held) {
            proposals.formUnion(other.proposals)
            logs = zip(logs, other.logs).map(max)
            steps = max(steps, other.steps)
        }
    }

    var proposals: [Proposal] = []
    /// What each change acknowledges; nil: a mark.
    var logs: [[Int?]]
    var held: [Held]
    /// Members after so many changes of membership, which device 0 makes.
    let members: [Set<Int>]

    init(devices: Int, members: [Set<Int>]) {
        logs = [[Int?]](repeating: [], count: devices)
        held = [Held](repeating: Held(logs: [Int](repeating: 0, count: devices)), count: devices)
        self.members = members
    }

    /// One that all know and all acknowledged.
    mutating func found() {
        propose(0, following: nil, absent: [], rank: 0)
        for device in logs.indices {
            logs[device].append(0)
            for other in held.indices { held[other].proposals.insert(0) }
        }
        for other in held.indices { held[other].logs = logs.map(\.count) }
    }

    var everything: Held {
        var all = held[0]
        for one in held.dropFirst() { all.join(one) }
        return all
    }

    // MARK: What happens

    mutating func propose(_ author: Int, following previous: Int?, absent: Set<Int>, rank: Int) {
        logs[author].append(nil)
        held[author].logs[author] += 1
        let (seen, depth) = (held[author].proposals, depth(by: author))
        proposals.append(
            Proposal(
                author: author, previous: previous, absent: absent, members: members[held[author].steps],
                depth: depth, rank: rank, seen: seen, covered: held[author].logs))
        held[author].proposals.insert(proposals.count - 1)
    }

    func depth(by author: Int) -> Int {
        1 + max(held[author].steps, held[author].proposals.map { proposals[$0].depth }.max() ?? 0)
    }

    mutating func acknowledge(_ proposal: Int, _ device: Int) {
        logs[device].append(proposal)
        held[device].logs[device] += 1
    }

    // MARK: As the two see it

    /// What somebody who holds this knows, whoever it is.
    struct Facts: Hashable {
        let proposals: [Int: Proposal]
        let logs: [[Int?]]
    }

    func facts(_ held: Held) -> Facts {
        Facts(
            proposals: Dictionary(uniqueKeysWithValues: held.proposals.map { ($0, proposals[$0]) }),
            logs: zip(logs, held.logs).map { Array($0.prefix($1)) })
    }
}

extension CheckpointMesh {
    var described: String {
        let held = held.map { "\($0.proposals.sorted()) \($0.logs)" }
        return facts(everything).described + " held \(held)"
    }
}

extension CheckpointMesh.Facts {
    var described: String {
        let proposals = proposals.sorted { $0.key < $1.key }.map { number, one in
            "#\(number) by \(one.author) after \(one.previous ?? -1) without \(one.absent.sorted()) of "
                + "\(one.members.sorted()) at \(one.depth).\(one.rank) covers \(one.covered)"
        }
        return "\n  \(proposals.joined(separator: "\n  "))\n  logs \(logs.map { $0.map { $0 ?? -1 } })"
    }

    static let devices = (0..<8).map { Box($0).device }
    static let replicas = (0..<8).map { replica(UInt64($0 + 1)) }

    static func id(_ number: Int, _ proposal: CheckpointMesh.Proposal) -> Bytes32 {
        Bytes32([UInt8(proposal.rank), UInt8(number)] + [UInt8](repeating: 0, count: 30))
    }

    func id(_ number: Int) -> Bytes32? { proposals[number].map { Self.id(number, $0) } }

    /// Each of the facts, as the node tells it: what is told of a checkpoint comes after it.
    enum Told {
        case proposal(CheckpointProposal)
        case table(CheckpointTable, of: Bytes32)
        case acknowledgement(Acknowledgement)
    }

    var told: [Told] {
        var told: [Told] = []
        for (number, proposal) in proposals.sorted(by: { $0.key < $1.key }) {
            told.append(.proposal(record(number, proposal)))
        }
        for (number, proposal) in proposals.sorted(by: { $0.key < $1.key }) where isHeld(proposal) {
            told.append(.table(table(of: proposal), of: Self.id(number, proposal)))
        }
        for (device, log) in logs.enumerated() {
            for (index, named) in log.enumerated() {
                guard let named, let id = id(named) else { continue }
                let dot = Dot(Self.replicas[device], SequenceNumber(UInt64(index + 1)))
                told.append(.acknowledgement(Acknowledgement(of: id, by: Self.devices[device], at: dot)))
            }
        }
        return told
    }

    func isHeld(_ proposal: CheckpointMesh.Proposal) -> Bool {
        zip(proposal.covered, logs).allSatisfy { $0 <= $1.count }
    }

    func checkpoints() -> Checkpoints {
        var checkpoints = Checkpoints(founder: Self.devices[0])
        for one in told { checkpoints.hear(one) }
        return checkpoints
    }

    private func record(_ number: Int, _ proposal: CheckpointMesh.Proposal) -> CheckpointProposal {
        let witness = Dot(
            Self.replicas[proposal.author], SequenceNumber(UInt64(proposal.covered[proposal.author])))
        let body = CheckpointBody(
            previous: proposal.previous.flatMap { id($0) }, witness: witness,
            absent: proposal.absent.map { Self.devices[$0] }.sorted(), table: .zero, manifest: .zero)
        return CheckpointProposal(
            id: Self.id(number, proposal), depth: proposal.depth, author: Self.devices[proposal.author],
            body: body, members: Set(proposal.members.map { Self.devices[$0] }),
            senior: proposal.members.min().map { Self.devices[$0] },
            seesPrevious: proposal.previous.map { proposal.seen.contains($0) } ?? true)
    }

    func table(of proposal: CheckpointMesh.Proposal) -> CheckpointTable {
        let before = proposal.previous.flatMap { proposals[$0] }?.covered
        return CheckpointTable(
            rows: proposal.covered.enumerated().filter { $0.element > 0 }.map { device, last in
                CheckpointTable.Row(
                    replica: Self.replicas[device],
                    declaration: Change.Declaration(device: Self.devices[device], incarnation: 1),
                    last: SequenceNumber(UInt64(last)),
                    previousLast: SequenceNumber(UInt64(min(last, before?[device] ?? 0))),
                    timestamp: at(UInt64(last)), chainHash: .zero, boundary: nil, closedAt: nil,
                    acknowledged: nil)
            })
    }

    func model() -> CheckpointModel {
        var model = CheckpointModel(founder: 0)
        func events(_ count: [Int]) -> Set<CheckpointModel.Event> {
            Set(
                logs.indices.flatMap { device in
                    // What is covered and not held differs from all that is.
                    (0..<count[device]).map { index in
                        let named = index < logs[device].count ? logs[device][index] : nil
                        return CheckpointModel.Event(
                            device: device, sequence: index + 1, acknowledges: named)
                    }
                })
        }
        model.events = events(logs.map(\.count))
        for (number, proposal) in proposals {
            model.checkpoints[number] = CheckpointModel.Checkpoint(
                id: number, place: proposal.depth << 16 | proposal.rank << 8 | number,
                author: proposal.author, previous: proposal.previous, absent: proposal.absent,
                members: proposal.members, senior: proposal.members.min(), seen: proposal.seen,
                covered: events(proposal.covered))
        }
        return model
    }
}

extension Checkpoints {
    mutating func hear(_ told: CheckpointMesh.Facts.Told) {
        switch told {
        case .proposal(let proposal): add(proposal)
        case .table(let table, let id): learn(table, of: id, holdsLogs: true, seesViews: true)
        case .acknowledgement(let acknowledgement): add(acknowledgement)
        }
    }
}
