// `set` of an array over a list replaces what differs and keeps the identity of every element that stays, so
// that concurrent edits and moves of those go on meaning the same.

import Bytes
import Causality

/// What turns a list into an array of values.
private struct ListPlan {
    var going: [Dot] = []
    /// New values, each run directly after the position of an element that stays (nil: at the start).
    var runs: [(anchor: Dot?, values: [PlainValue])] = []
    /// Containers that are changed inside.
    var updates: [(element: Dot, value: PlainValue)] = []
    private var anchor: Dot?
    private var run: [PlainValue] = []

    mutating func insert(_ value: PlainValue) { run.append(value) }

    /// Ends a run: the next one stands after this element.
    mutating func keep(_ element: Dot, in list: ListContent) {
        finish()
        anchor = list.position(of: element)
    }

    mutating func finish() {
        if !run.isEmpty { runs.append((anchor, run)) }
        run = []
    }
}

extension ListContent {
    static func setDifference(
        _ container: ContainerHandle, at path: ContainerPath, to value: PlainValue, isRequested: Bool,
        _ planner: inout Planner
    ) throws(AuthorError) -> Bool {
        guard case .array(let values) = value else { return false }
        let list = planner.state.contents.lists[planner.state[container].content]
        let plan = list.plan(values, in: planner.state)
        if !plan.going.isEmpty {
            planner.emit(.deleteElements(DotRange.ascending(plan.going.map { DotRange($0) })), in: path)
        }
        for run in plan.runs {
            try insert(run.values, at: path, list.order.origins(after: run.anchor), &planner)
        }
        for update in plan.updates {
            let slot = list.slot(of: update.element)
            let target = Target(path: path, container: container, name: .element(update.element), slot: slot)
            try planner.set(target, to: update.value, isRequested: false)
        }
        return true
    }

    static func fits(_ value: PlainValue) -> Bool { if case .array = value { true } else { false } }

    private func plan(_ values: [PlainValue], in state: DocumentState) -> ListPlan {
        let elements = visibleElements
        let steps = Self.difference(elements.map { state.plain(slot(of: $0)) }, values)
        var plan = ListPlan()
        var hunk: (old: [Dot], new: [PlainValue]) = ([], [])
        for step in steps {
            switch step {
            case .delete(let index): hunk.old.append(elements[index])
            case .insert(let index): hunk.new.append(values[index])
            case .keep(let index):
                add(hunk, in: state, to: &plan)
                hunk = ([], [])
                plan.keep(elements[index], in: self)
            }
        }
        add(hunk, in: state, to: &plan)
        plan.finish()
        return plan
    }

    /// Between two elements that stay. A container in the place of a value of its shape is changed inside.
    private func add(
        _ hunk: (old: [Dot], new: [PlainValue]), in state: DocumentState, to plan: inout ListPlan
    ) {
        for step in 0..<max(hunk.old.count, hunk.new.count) {
            let element = step < hunk.old.count ? hunk.old[step] : nil
            let value = step < hunk.new.count ? hunk.new[step] : nil
            if let element, let value, Self.fits(value, slot(of: element), in: state) {
                plan.keep(element, in: self)
                plan.updates.append((element, value))
            } else {
                if let element { plan.going.append(element) }
                if let value { plan.insert(value) }
            }
        }
    }

    /// True when a value can be written into the container that the slot shows.
    private static func fits(_ value: PlainValue, _ slot: SlotHandle, in state: DocumentState) -> Bool {
        guard case .container(let container) = state.shown(in: slot) else { return false }
        return state[container].kind.content.fits(value)
    }

    private static func difference(_ old: [PlainValue], _ new: [PlainValue]) -> [ListDifference.Step] {
        var numbers: [PlainValue: Int] = [:]
        func number(_ value: PlainValue) -> Int {
            if let known = numbers[value] { return known }
            let fresh = numbers.count
            numbers[value] = fresh
            return fresh
        }
        return ListDifference.steps(from: old.map(number), to: new.map(number))
    }
}
