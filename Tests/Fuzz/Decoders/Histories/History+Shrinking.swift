// A history that breaks a property is made smaller as long as it still does, and told in words: of thirty
// operations mostly three matter.

import Bytes
import Causality
import Documents
import Wire

extension FuzzDecoder {
    /// A smaller input that is broken too, and what it says; the input itself where there is no way to.
    public func shrunk(_ bytes: [UInt8]) -> (bytes: [UInt8], text: String) {
        guard self == .histories, bytes.count > 8, let history = History(block: Array(bytes[8...])) else {
            return (bytes, "\(bytes)")
        }
        let plan = Array(bytes[..<8])
        let small = history.shrunk { history in
            guard let input = history.input(plan) else { return false }
            return broken(by: input) != nil
        }
        let text = small.changes(keepsVoid: true).map(\.sentence).joined(separator: "\n")
        return (small.input(plan) ?? bytes, text)
    }
}

extension History {
    fileprivate func input(_ plan: [UInt8]) -> [UInt8]? {
        let changes = changes(keepsVoid: true)
        guard !changes.isEmpty else { return nil }
        return ReplayProperties.encode(changes[...], starts: starts).map { plan + $0 }
    }

    /// Leaves out what can be left out, until nothing more can.
    fileprivate func shrunk(_ isBroken: (History) -> Bool) -> History {
        var small = self
        var isMoving = true
        while isMoving {
            isMoving = false
            for smaller in small.smaller where isBroken(smaller) {
                small = smaller
                isMoving = true
                break
            }
        }
        return small
    }

    /// Each with one thing less.
    private var smaller: [History] {
        var result: [History] = []
        func add(_ change: (inout History) -> Void) {
            var history = self
            change(&history)
            result.append(history)
        }
        for at in steps.indices { add { $0.steps.remove(at: at) } }
        for at in steps.indices {
            for place in steps[at].pieces.indices { add { $0.steps[at].pieces.remove(at: place) } }
            if !steps[at].context.isEmpty { add { $0.steps[at].context = VersionVector() } }
            if !steps[at].rosterHeads.isEmpty { add { $0.steps[at].rosterHeads = [] } }
            if steps[at].elapsed > 1 { add { $0.steps[at].elapsed = 1 } }
        }
        for (replica, start) in starts where start != .start { add { $0.starts[replica] = .start } }
        return result
    }
}

extension Change {
    /// What it says, in a line for itself and one for each operation.
    fileprivate var sentence: String {
        let context = context.entries.map { "\($0.replica.raw.high):\($0.last.value)" }
        let operations = operations.map { operation in
            switch operation.body {
            case .act(let path, let action):
                let steps = path.steps.map { "\($0.slot).\($0.kind).\($0.generation.value)" }
                return "  \(operation.document) \(path.generation.value) \(steps) \(action)"
            default: return "  \(operation.document) \(operation.body)"
            }
        }
        let head = "\(replica.raw.high):\(first.value) at \(timestamp.milliseconds) on \(context)"
        return ([head] + operations).joined(separator: "\n")
    }
}
