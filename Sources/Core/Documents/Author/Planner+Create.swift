// Creates values in slots. An edit makes every container on its path, so `make` is written only where a new
// container stays empty.

import Bytes
import Causality

/// A value that a slot can be made of: plain JSON, or the typed view of an import.
protocol SlotValue {
    /// The scalar, when the slot becomes a register.
    var register: Scalar? { get }
    /// Creates the container that the value is.
    func create(
        with planner: inout Planner, in parent: ContainerPath, _ slot: Slot, _ generation: Generation
    ) throws(AuthorError)
}

extension PlainValue: SlotValue {
    var register: Scalar? {
        if case .scalar(let value) = self { return value }
        return nil
    }

    func create(
        with planner: inout Planner, in parent: ContainerPath, _ slot: Slot, _ generation: Generation
    ) throws(AuthorError) {
        switch self {
        case .scalar: preconditionFailure("scalars are registers")
        case .object(let members):
            try planner.fillMap(at: planner.path(parent, slot, .map, generation), with: members)
        case .array(let values):
            let path = try planner.path(parent, slot, .list, generation)
            if values.isEmpty { planner.emit(.make, in: path) }
            try planner.insertElements(values, at: path, (nil, nil))
        }
    }
}

extension TypedValue: SlotValue {
    var register: Scalar? {
        if case .register(let value, _) = self { return value }
        return nil
    }

    func create(
        with planner: inout Planner, in parent: ContainerPath, _ slot: Slot, _ generation: Generation
    ) throws(AuthorError) {
        guard let kind else { preconditionFailure("scalars are registers") }
        if case .set = self, kind != .set && kind != .removeWinsSet {
            throw .invalidValue("a \(kind.name) is no set")
        }
        let path = try planner.path(parent, slot, kind, generation)
        switch self {
        case .map([], _), .set([], _, _), .orderedSet([], _), .list([], _), .text("", _), .register:
            planner.emit(.make, in: path)
        case .map(let members, _): try planner.fillMap(at: path, with: members)
        case .counter(let value, _): planner.emit(.increment(by: value), in: path)
        case .set(let members, _, _):
            try Planner.checkDistinct(members)
            for member in members { planner.emit(.add(member), in: path) }
        case .orderedSet(let members, _):
            try Planner.checkDistinct(members)
            planner.emit(.insertMembers(left: nil, right: nil, members), in: path)
        case .list(let elements, _):
            try planner.insertElements(elements.map(\.value), at: path, (nil, nil))
        case .text(let text, _):
            planner.insertText(text.string, at: path, (nil, nil))
        }
    }
}

extension Planner {
    /// Deletes what is observed in the slot, then creates.
    mutating func replace(_ target: Target, by value: some SlotValue) throws(AuthorError) {
        let observed = target.slot.map { state.observed(in: $0) } ?? []
        var generation = nextGeneration(target.slot)
        if let last = observed.last?.generation, last >= generation, last < .max { generation = last.next }
        let hasRegisters = target.slot.map { !state[$0].registers.isEmpty } ?? false
        // A write covers registers by itself.
        if !observed.isEmpty || (hasRegisters && value.register == nil) {
            emit(.clear(slot: target.name, observed: observed), in: target.path)
        }
        try create(value, in: target.path, target.name, generation)
    }

    /// Fills a slot that shows nothing.
    mutating func create(
        _ value: some SlotValue, in parent: ContainerPath, _ slot: Slot, _ generation: Generation = .first
    ) throws(AuthorError) {
        if let scalar = value.register {
            try Planner.check(scalar)
            emit(.write(slot: slot, value: scalar, generation: generation), in: parent)
        } else {
            try value.create(with: &self, in: parent, slot, generation)
        }
    }

    mutating func fillMap(at path: ContainerPath, with members: [PlainValue.Member]) throws(AuthorError) {
        if members.isEmpty { emit(.make, in: path) }
        for member in members {
            try Planner.check(member.key)
            try create(member.value, in: path, .key(member.key))
        }
    }

    mutating func fillMap(at path: ContainerPath, with members: [TypedValue.Member]) throws(AuthorError) {
        if members.isEmpty { emit(.make, in: path) }
        for member in members {
            try Planner.check(member.key)
            try create(member.value, in: path, .key(member.key))
        }
    }

    /// Inserts elements, then what is nested in them.
    mutating func insertElements(
        _ values: [some SlotValue], at path: ContainerPath, _ origins: (left: Dot?, right: Dot?)
    ) throws(AuthorError) {
        if values.isEmpty { return }
        var contents: [ElementContent] = []
        contents.reserveCapacity(values.count)
        for value in values {
            if let scalar = value.register {
                try Planner.check(scalar)
                contents.append(.register(scalar))
            } else {
                contents.append(.container)
            }
        }
        let first = next
        emit(.insertElements(left: origins.left, right: origins.right, contents), in: path)
        for (step, value) in values.enumerated() where value.register == nil {
            try create(value, in: path, .element(first.advanced(by: step)))
        }
    }

    /// Inserts a text, in pieces that fit one operation each.
    mutating func insertText(
        _ text: String, at path: ContainerPath, _ origins: (left: Dot?, right: Dot?)
    ) {
        var left = origins.left
        var piece = String.UnicodeScalarView()
        var bytes = 0
        for scalar in text.unicodeScalars {
            let width = UTF8.width(scalar)
            if bytes + width > DocumentLimits.stringBytesMax {
                emit(.insertText(left: left, right: origins.right, String(piece)), in: path)
                left = Dot(next.replica, next.sequence.previous)
                (piece, bytes) = (String.UnicodeScalarView(), 0)
            }
            piece.append(scalar)
            bytes += width
        }
        if bytes > 0 { emit(.insertText(left: left, right: origins.right, String(piece)), in: path) }
    }

    static func checkDistinct(_ members: [Scalar]) throws(AuthorError) {
        for member in members { try check(member) }
        if Set(members).count < members.count { throw .invalidValue("the members of a set are distinct") }
    }
}
