// What stands, exhaustively: four admins, A above B, B above C, C above D, and every way in which so many
// operations can be made on each other, each compared with the small model in every order of arrival that
// differs. Larger rosters are drawn by seed (RosterLawTests). `REPL_ROSTER_MODEL=N` makes it N operations
// (TESTING.md has what larger numbers found).

import Bytes
import Causality
import Crypto
import Foundation
import Roster
import RosterModel
import Testing
import Wire

/// Walks all histories of up to `steps` operations over a common beginning.
private struct Histories {
    /// Who acts how: every device removes, demotes or raises every other.
    enum Deed: CaseIterable { case remove, demote, raise, leave }

    let boxes: [Box]
    let beginning: Roster
    var count = 0
    var contested = 0
    var differences: [String] = []

    init(of number: Int) throws {
        boxes = (1...number).map(Box.init)
        var roster = try Roster(genesis: genesis(by: boxes[0]))
        for (senior, junior) in zip(boxes, boxes.dropFirst()) { try roster.admit(junior, .admin, by: senior) }
        beginning = roster
    }

    mutating func walk(steps: Int, deeds: [Deed]) { walk(from: beginning, made: [], steps, deeds) }

    /// `made` are the operations beyond the beginning. Each next one is made on any of their closed subsets,
    /// and is listed once: behind those that it does not know only when it is greater than they are.
    private mutating func walk(
        from roster: Roster, made: [RosterOperation], _ steps: Int, _ deeds: [Deed]
    ) {
        if !made.isEmpty { check(roster, made) }
        if steps == 0 { return }
        for heads in Self.antichains(of: made, in: roster, beginning.heads) {
            for author in boxes.indices {
                for deed in deeds {
                    for subject in boxes.indices where (deed == .leave) == (subject == author) {
                        let operation = RosterOperation(
                            body(deed, subject), on: heads, at: at(9), by: boxes[author].key)
                        if let last = made.last, !heads.contains(last.id), operation.id < last.id { continue }
                        var next = roster
                        guard (try? next.add(operation)) != nil, next.contains(operation.id),
                            next.count > roster.count
                        else { continue }
                        walk(from: next, made: made + [operation], steps - 1, deeds)
                    }
                }
            }
        }
    }

    private func body(_ deed: Deed, _ subject: Int) -> RosterBody {
        switch deed {
        case .remove: removal(of: boxes[subject], keeping: frontier([(1, 10)]))
        case .demote: roleChange(of: boxes[subject], to: .writer, keeping: frontier([(1, 20)]))
        case .raise: roleChange(of: boxes[subject], to: .admin)
        case .leave: .leave
        }
    }

    private mutating func check(_ roster: Roster, _ made: [RosterOperation]) {
        count += 1
        let operations = beginning.operations() + made
        let oracle = RosterOracle(operations)
        var roster = roster
        guard let first = roster.view(heads: beginning.heads) else { return }
        // Another order of arrival: the last ones first, where they can be.
        var other = beginning
        for operation in made.reversed() { _ = try? other.add(operation) }
        var hasAdmin = false
        for box in boxes {
            let expected = oracle.role(of: box.device, in: oracle.everything)
            hasAdmin = hasAdmin || expected == .admin
            let executed = [5, 15, 25].map { (last: UInt64) in
                let range = DotRange(replica(1), SequenceNumber(last), SequenceNumber(last))
                let heads = oracle.view(beginning.heads)
                return (
                    roster.isExecuted(range, by: box.device, in: first),
                    oracle.isExecuted(range, by: box.device, in: heads)
                )
            }
            if roster.role(of: box.device) != expected || other.role(of: box.device) != expected
                || executed.contains(where: { $0.0 != $0.1 })
            {
                differences.append("box \(box.number) in \(made.map { describe($0) })")
            }
        }
        let isLed = hasAdmin || boxes.allSatisfy { box in made.contains { isLeave($0, of: box) } }
        if !isLed { differences.append("nobody in charge in \(made.map { describe($0) })") }
        let standing = oracle.standing(in: oracle.everything)
        if made.contains(where: { !standing.contains($0.id) }) { contested += 1 }
    }

    private func isLeave(_ operation: RosterOperation, of box: Box) -> Bool {
        if case .leave = operation.body { operation.author == box.device } else { false }
    }

    private func describe(_ operation: RosterOperation) -> String {
        let author = boxes.first { $0.device == operation.author }?.number ?? 0
        return "\(operation.id.bytes.prefix(2)) \(author): \(operation.body) on \(operation.heads.count)"
    }

    /// The heads of every closed subset: none of `made` is above another of them.
    private static func antichains(
        of made: [RosterOperation], in roster: Roster, _ beginning: [Bytes32]
    ) -> [[Bytes32]] {
        var roster = roster
        var result: Set<[Bytes32]> = [beginning]
        for bits in 1..<(1 << made.count) {
            let chosen = made.indices.filter { bits >> $0 & 1 == 1 }.map { made[$0].id }
            if let view = roster.view(heads: chosen) { result.insert(view.heads) }
        }
        return result.sorted { $0.lexicographicallyPrecedes($1) }
    }
}

@Suite struct RosterModelTests {
    private let steps = Int(ProcessInfo.processInfo.environment["REPL_ROSTER_MODEL"] ?? "") ?? 3

    @Test("removals among four admins: the roster and the small model agree on all histories")
    func removals() throws {
        var histories = try Histories(of: 4)
        histories.walk(steps: steps, deeds: [.remove])
        #expect(histories.differences.isEmpty, "\(histories.differences.prefix(3))")
        #expect(
            histories.count > 300 && histories.contested > 30, "\(histories.count), \(histories.contested)")
        print("\(histories.count) histories of removals, something fell in \(histories.contested)")
    }

    @Test("removals, roles and leaving among three admins: the same")
    func everything() throws {
        var histories = try Histories(of: 3)
        histories.walk(steps: steps, deeds: Histories.Deed.allCases)
        #expect(histories.differences.isEmpty, "\(histories.differences.prefix(3))")
        #expect(
            histories.count > 300 && histories.contested > 30, "\(histories.count), \(histories.contested)")
        print("\(histories.count) histories of all deeds, something fell in \(histories.contested)")
    }
}
