// What becomes of operations on sequences: elements of lists, members of ordered sets, characters of texts.

import Bytes
import Causality

extension Adopter {
    /// How many void positions are passed on the way to one that is there.
    private static var originsMax: Int { 4_096 }

    private func order(of place: Place) -> SequenceOrder? {
        guard let container = place.container else { return nil }
        let content = state[container].content
        return switch state[container].kind {
        case .list: state.contents.lists[content].order
        case .orderedSet: state.contents.orderedSets[content].order
        case .text: state.contents.texts[content].order
        default: nil
        }
    }

    private func list(_ place: Place) -> ListContent? {
        guard let container = place.container, state[container].kind == .list else { return nil }
        return state.contents.lists[state[container].content]
    }

    /// The element itself, or its copy; nil: it does not live here.
    mutating func element(_ dot: Dot, in place: Place) -> Dot? {
        guard let list = list(place) else { return nil }
        if list.hasElement(dot) { return list.isVisible(dot) ? dot : nil }
        return past.copies(of: DotRange(dot)).first.map(\.start).flatMap { list.isVisible($0) ? $0 : nil }
    }

    // MARK: Neighbours

    /// The neighbours of an insertion, each or the nearest beyond it that is there.
    mutating func origins(_ left: Dot?, _ right: Dot?, in place: Place) -> (left: Dot?, right: Dot?) {
        guard let order = order(of: place) else { return (nil, nil) }
        return (nearest(left, in: order) { $0.left }, nearest(right, in: order) { $0.right })
    }

    private mutating func nearest(
        _ origin: Dot?, in order: SequenceOrder, beyond: ((left: Dot?, right: Dot?)) -> Dot?
    ) -> Dot? {
        var next = origin
        for _ in 0..<Self.originsMax {
            guard let dot = next else { return nil }
            if order.contains(dot) { return dot }
            if let copy = past.copies(of: DotRange(dot)).first?.start, order.contains(copy) { return copy }
            next = past.origins(of: dot).flatMap(beyond)
        }
        return nil
    }

    /// What of a range stands in an order, copies of what does not; all positions that show.
    private mutating func visible(_ range: DotRange, in order: SequenceOrder) -> [Dot] {
        var found: [Dot] = []
        func collect(_ range: DotRange) {
            for step in 0..<range.count where order.isVisible(range.start.advanced(by: step)) {
                found.append(range.start.advanced(by: step))
            }
        }
        var next = range.first.value
        while next <= range.last.value {
            let piece = order.knownNumber(of: range.replica)
                .flatMap { order.piece($0, next..<range.last.value + 1)?.sequences }
            let end = piece?.lowerBound ?? range.last.value + 1
            if next < end {
                let gap = DotRange(range.replica, SequenceNumber(next), SequenceNumber(end - 1))
                for copies in past.copies(of: gap) { collect(copies) }
            }
            guard let piece else { break }
            collect(
                DotRange(
                    range.replica, SequenceNumber(piece.lowerBound), SequenceNumber(piece.upperBound - 1)))
            next = piece.upperBound
        }
        return found
    }

    /// Neighbours as one range, ascending.
    private func ranges(of dots: [Dot]) -> [DotRange] {
        var ranges: [DotRange] = []
        for dot in Set(dots).sorted() {
            if let last = ranges.last, last.replica == dot.replica, last.last + 1 == dot.sequence {
                ranges[ranges.count - 1] = DotRange(dot.replica, last.first, dot.sequence)
            } else {
                ranges.append(DotRange(dot))
            }
        }
        return ranges
    }

    // MARK: Deletes

    mutating func deleteText(_ ranges: [DotRange], in place: Place) {
        guard let order = order(of: place) else { return }
        var found: [Dot] = []
        for range in ranges { found += visible(range, in: order) }
        if !found.isEmpty { emit(.deleteText(self.ranges(of: found)), in: place) }
    }

    /// An element in which something was written meanwhile stays.
    mutating func deleteElements(_ ranges: [DotRange], in place: Place) {
        guard let list = list(place) else { return }
        var found: [Dot] = []
        for range in ranges {
            for dot in elements(range, in: list) {
                guard let edits = list.elements[dot]?.edits else { continue }
                if hasSeen(all: edits, of: dot) { found.append(dot) } else { refusal = .unseen }
            }
        }
        if !found.isEmpty { emit(.deleteElements(self.ranges(of: found)), in: place) }
    }

    /// The live elements of a range, and live copies of those that are void.
    private mutating func elements(_ range: DotRange, in list: ListContent) -> [Dot] {
        let copies = past.copies(of: range).flatMap { list.liveElements(in: $0).live }
        return list.liveElements(in: range).live + copies
    }

    private mutating func hasSeen(all edits: ElementEdits, of element: Dot) -> Bool {
        if mayBeMerged(element) || (edits.ownsInsertion && !hasSeen(element)) { return false }
        for (replica, sequence) in edits.others.sorted(by: { $0.key < $1.key })
        where !hasSeen(through: Dot(replica, sequence)) { return false }
        return true
    }

    // MARK: Moves and members

    mutating func moveElement(_ element: Dot, _ left: Dot?, _ right: Dot?, in place: Place) {
        guard let element = self.element(element, in: place), let list = list(place) else { return }
        if let position = list.elements[element]?.moves.max(), isNewer(position) {
            return refusal = .newer
        }
        let (left, right) = origins(left, right, in: place)
        emit(.moveElement(element, left: left, right: right), in: place)
    }

    mutating func moveMember(_ member: Scalar, _ left: Dot?, _ right: Dot?, in place: Place) {
        guard let known = self.member(member, in: place), !known.adds.isEmpty else { return }
        if let position = known.positions.max(), isNewer(position) { return refusal = .newer }
        let (left, right) = origins(left, right, in: place)
        emit(.moveMember(member, left: left, right: right), in: place)
    }

    /// One that is present at a newer position stays there. The others follow each other.
    mutating func insertMembers(_ members: [Scalar], _ left: Dot?, _ right: Dot?, in place: Place) {
        let origins = origins(left, right, in: place)
        var last = origins.left
        for (step, value) in members.enumerated() {
            if let known = member(value, in: place), !known.adds.isEmpty,
                let position = known.positions.max(),
                isNewer(position)
            {
                continue
            }
            let dot = next
            emit(
                .act(in: place.path, .insertMembers(left: last, right: origins.right, [value])),
                of: stamp.dot.advanced(by: step))
            last = dot
        }
    }

    private func member(_ value: Scalar, in place: Place) -> OrderedMembers.Member? {
        guard let container = place.container, state[container].kind == .orderedSet else { return nil }
        return state.contents.orderedSets[state[container].content].members[value]
    }
}
