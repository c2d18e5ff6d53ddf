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

extension Planner {
    mutating func setList(
        _ container: ContainerHandle, at path: ContainerPath, to values: [PlainValue]
    ) throws(AuthorError) {
        let list = state.lists[state[container].content]
        let plan = plan(list, to: values)
        if !plan.going.isEmpty {
            emit(.deleteElements(DotRange.ascending(plan.going.map { DotRange($0) })), in: path)
        }
        for run in plan.runs {
            try insertElements(run.values, at: path, list.order.origins(after: run.anchor))
        }
        for update in plan.updates {
            let slot = list.slot(of: update.element)
            let target = Target(path: path, container: container, name: .element(update.element), slot: slot)
            try set(target, to: update.value, isRequested: false)
        }
    }

    private func plan(_ list: ListContent, to values: [PlainValue]) -> ListPlan {
        let elements = list.visibleElements
        let steps = Planner.difference(elements.map { state.plain(list.slot(of: $0)) }, values)
        var plan = ListPlan()
        var hunk: (old: [Dot], new: [PlainValue]) = ([], [])
        for step in steps {
            switch step {
            case .delete(let index): hunk.old.append(elements[index])
            case .insert(let index): hunk.new.append(values[index])
            case .keep(let index):
                add(hunk, of: list, to: &plan)
                hunk = ([], [])
                plan.keep(elements[index], in: list)
            }
        }
        add(hunk, of: list, to: &plan)
        plan.finish()
        return plan
    }

    /// Between two elements that stay. A container in the place of a value of its shape is changed inside.
    private func add(_ hunk: (old: [Dot], new: [PlainValue]), of list: ListContent, to plan: inout ListPlan) {
        for step in 0..<max(hunk.old.count, hunk.new.count) {
            let element = step < hunk.old.count ? hunk.old[step] : nil
            let value = step < hunk.new.count ? hunk.new[step] : nil
            if let element, let value, fits(value, list.slot(of: element)) {
                plan.keep(element, in: list)
                plan.updates.append((element, value))
            } else {
                if let element { plan.going.append(element) }
                if let value { plan.insert(value) }
            }
        }
    }

    /// True when a value can be written into the container that the slot shows.
    private func fits(_ value: PlainValue, _ slot: SlotHandle) -> Bool {
        guard case .container(let container) = state.shown(in: slot) else { return false }
        switch (state[container].kind, value) {
        case (.map, .object), (.list, .array), (.text, .scalar(.string)): return true
        default: return false
        }
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
