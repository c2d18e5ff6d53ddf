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
            let path = try planner.path(parent, slot, .map, generation)
            try MapContent.fill(path, with: members, &planner)
        case .array(let values):
            let path = try planner.path(parent, slot, .list, generation)
            if values.isEmpty { planner.emit(.make, in: path) }
            try ListContent.insert(values, at: path, (nil, nil), &planner)
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
        let path = try planner.path(parent, slot, kind, generation)
        try kind.content.create(self, at: path, &planner)
    }

    /// Why it is not created: its value has not the form that its kind has.
    var misfit: AuthorError { .invalidValue("this is no \(kind?.name ?? "register")") }
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
}
