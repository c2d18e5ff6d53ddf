// Random edits of a note, by seed: what the laws are tested on. Names and times come from the seed too, so a
// failing seed fails again.

import Bytes
import Causality
import Documents
import Replicating
import Synchronization

extension Surroundings {
    /// Names by seed, and times that are often equal and sometimes early.
    static func seeded(_ seed: UInt64) -> Surroundings {
        let names = Mutex(SeededGenerator(seed: seed))
        let times = Mutex(SeededGenerator(seed: ~seed))
        return Surroundings(
            milliseconds: { times.withLock { .random(in: 1_000...1_020, using: &$0) } },
            random: { names.withLock { $0.next() } })
    }
}

extension Note {
    mutating func edit(_ random: inout SeededGenerator) {
        let small = Int.random(in: 0..<4, using: &random)
        let letter = ["a", "b", "c", "é"][small]
        switch Int.random(in: 0..<22, using: &random) {
        case 0: title.value = letter
        case 1: body.insert(letter + letter, at: place(&random))
        case 2: body.append("x\(small)")
        case 3: remove(&random)
        case 4: tags.insert(letter)
        case 5: tags.remove(letter)
        case 6: banned.insert(small)
        case 7: banned.remove(small)
        case 8: order.insert(letter, at: 0)
        case 9: order.append(letter)
        case 10: order.remove(letter)
        case 11: scores.insert(small, at: .random(in: 0...scores.count, using: &random))
        case 12: moveOrSet(small, &random)
        case 13: people.insert(Person(), at: .random(in: 0...people.count, using: &random))
        case 14: editPerson(small, &random)
        case 15: counts[letter, default: .init()].increment(by: Int64(small))
        case 16: counts[letter] = nil
        case 17: texts[small, default: .init()].append(letter)
        case 18: texts[small] = small == 0 ? nil : "new"
        case 19: owner.visits += 1
        case 20: (isDone, dueDay) = (!isDone, small == 0 ? nil : small)
        default: priority = small < 2 ? .low : .high
        }
    }

    private func place(_ random: inout SeededGenerator) -> ReplicatingText.Index {
        .init(unicodeScalarOffset: .random(in: 0...body.unicodeScalarCount, using: &random))
    }

    private mutating func remove(_ random: inout SeededGenerator) {
        let start = place(&random)
        let end = Swift.min(body.unicodeScalarCount, start.offset + 3)
        body.replaceSubrange(start..<ReplicatingText.Index(unicodeScalarOffset: end), with: "")
    }

    private mutating func moveOrSet(_ value: Int, _ random: inout SeededGenerator) {
        guard !scores.isEmpty else { return }
        let index = Int.random(in: scores.indices, using: &random)
        switch value {
        case 0: scores.move(from: index, to: .random(in: scores.indices, using: &random))
        case 1: scores.remove(at: index)
        default: scores[index] = value
        }
    }

    private mutating func editPerson(_ value: Int, _ random: inout SeededGenerator) {
        guard !people.isEmpty else { return }
        let index = Int.random(in: people.indices, using: &random)
        switch value {
        case 0: people.move(from: index, to: .random(in: people.indices, using: &random))
        case 1: people.remove(at: index)
        case 2: people[index].name.value = "p\(index)"
        default: people[index].visits += 1
        }
    }

    /// All that it holds, byte by byte.
    var state: [UInt8] { part.snapshot }
}
