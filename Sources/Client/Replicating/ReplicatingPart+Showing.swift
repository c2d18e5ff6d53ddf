// Assignments: a part is made to show what another value does, by the smallest edits that do it, so that what
// others change in it at the same time stays.

import Bytes
import Causality
import Documents

extension ReplicatingPart {
    /// Makes the part show what another one does. What is so already stays untouched.
    mutating func show(_ shown: ReplicatingShown) { show(shown.typed) }

    private mutating func show(_ value: TypedValue) {
        if case .register(let scalar, _) = value { return edit(.set(.scalar(scalar)), in: nil) }
        guard let kind = value.kind, document.kind(at: path) == kind else {
            return edit(.restore(value), in: value.kind)
        }
        switch value {
        case .register: preconditionFailure("a register has no kind")
        case .scalar(.integer(let wanted), _, _): count(to: wanted)
        case .scalar, .members: edit(.set(value.plain), in: kind)
        case .map(let members, _): showMap(members)
        case .list(let elements, _): showList(elements.map(\.value))
        }
    }

    private mutating func count(to wanted: Int64) {
        let (difference, isOver) = wanted.subtractingReportingOverflow(document.counter(at: path))
        if isOver { return edit(.restore(.counter(wanted, conflicts: [])), in: .counter) }
        if difference != 0 { edit(.increment(by: difference), in: .counter) }
    }

    private mutating func showMap(_ members: [TypedValue.Member]) {
        var gone = Set(document.keys(at: path))
        for member in members {
            gone.remove(member.key)
            inside(.key(member.key)) { $0.show(member.value) }
        }
        for key in gone.sorted() { inside(.key(key)) { $0.edit(.delete, in: nil) } }
    }

    private mutating func showList(_ values: [TypedValue]) {
        if values.allSatisfy({ $0.kind == nil }) {
            return edit(.set(.array(values.map(\.plain))), in: .list)
        }
        let elements = document.elements(at: path)
        for (element, value) in zip(elements, values) { inside(.element(element)) { $0.show(value) } }
        for element in elements.dropFirst(values.count) {
            inside(.element(element)) { $0.edit(.delete, in: nil) }
        }
        if values.count > elements.count {
            insert(values.dropFirst(elements.count).map { ReplicatingShown($0) }, at: elements.count)
        }
    }

    private mutating func inside(_ step: PathElement, _ edit: (inout ReplicatingPart) -> Void) {
        path.append(step)
        edit(&self)
        path.removeLast()
    }
}
