// What a node says of itself and of others, in its log, its alarms and its counts, is judged too: it halts
// for a failed sync only, blames nobody who did nothing, raises what the plan explains, and keeps to its
// bounds.

import Bytes
import Causality
import Identity
import Node

extension Trial {
    /// A line of a node's log.
    mutating func checkLog(_ index: Int, _ code: String, _ message: String) throws(Violation) {
        if Array(message.utf8).holds(world.secret) {
            throw Violation(.noPlaintext, "node \(index) logs text of a document, as \(code)")
        }
        if DumpedValue.isIn(message) {
            throw Violation(.words, "node \(index) logs a value in Swift's notation, as \(code): \(message)")
        }
        guard !members[index].isTraitor else { return }
        switch code {
        case "halt":
            if case .syncFailed? = world.nodes[index].disk.fault?.failure { return }
            throw Violation(.serves, "node \(index) halts: \(message)")
        case "store-read", "state-cut", "quarantined", "disk-low":
            throw Violation(.serves, "node \(index) says \(code): \(message)")
        case "digest-differs":
            guard !isAboutTraitor(message) else { return }
            // Which of the two is wrong, and how.
            for other in members.indices { try checker.checkDocuments(other, limit: .max, world) }
            for word in message.split(separator: " ") {
                if let story = checker.story(of: String(word)) { tell(story) }
            }
            throw Violation(.sameDocuments, "node \(index) says: \(message)")
        case "base-differs":
            for other in members.indices { try checker.checkDocuments(other, limit: .max, world) }
            let story = checker.differingStatuses
            tell(story)
            for other in members.indices where other != index {
                if let difference = checker.differingBase(index, other, world) { tell(difference) }
            }
            throw Violation(.sameDocuments, "node \(index) says: \(message)")
        case "peer-fault":
            // Bytes that the network bent are the sender's fault as far as anybody can see.
            guard !isAboutTraitor(message), !plan.isOn(.corruption) else { return }
            throw Violation(.serves, "node \(index) blames an honest device: \(message)")
        default: return
        }
    }

    private func isAboutTraitor(_ message: String) -> Bool {
        checker.traitors.contains { message.contains(world.nodes[$0].device.text.prefix(7)) }
    }

    /// Alarms that stand at the end.
    func checkAlarms(_ index: Int) throws(Violation) {
        for alarm in world.nodes[index].node?.raisedAlarms ?? [] {
            let isAboutTraitor = checker.traitors.contains { world.nodes[$0].device == alarm.device }
            guard !explains(alarm, of: index, aboutTraitor: isAboutTraitor) else { continue }
            throw Violation(.serves, "node \(index) raises \(alarm.code): \(alarm.message)")
        }
    }

    /// What the faults of this plan may lead to.
    private func explains(_ alarm: Alarm, of index: Int, aboutTraitor isAboutTraitor: Bool) -> Bool {
        switch alarm.code {
        case "clock-far":
            !Set(plan.kinds).isDisjoint(with: FaultKind.clocks) || (isAboutTraitor && plan.isOn(.extremes))
        case "roster-flood": isAboutTraitor && plan.isOn(.rosterFloods)
        case "restored":
            plan.isOn(.restores) || plan.hasForks || plan.isOn(.lies) || plan.isOn(.extremes)
        case "cloned": plan.hasForks
        case "removed": plan.isAboutMembers
        case "fork": plan.hasForks
        case "fork-suspicion": plan.hasForks || (isAboutTraitor && plan.isOn(.lies))
        case "digest-differs": isAboutTraitor
        // The sender left, or fell into wrong hands, and took the only copy of the key along; or only such
        // have it as came to it as readers.
        case "key-lacking": isAboutTraitor || plan.isAboutMembers && isKeyWithheld(from: index, alarm.device)
        default: false
        }
    }

    private func isKeyWithheld(from index: Int, _ sender: DeviceID?) -> Bool {
        let boxes = members.indices.filter { !members[$0].isTraitor && isInSpace($0) }
        let senders = boxes.filter { world.nodes[$0].device == sender }
        guard let first = senders.first else { return true }
        return checker.isEpochWithheld(at: first, from: index, of: boxes, world)
    }

    /// Bounds of what a node holds for others and for its programs.
    mutating func checkCaps(_ index: Int) throws(Violation) {
        guard let node = world.nodes[index].node, !checker.traitors.contains(index) else { return }
        let early = node.earlyChanges
        let connections = node.openConnections
        result.connectionsMax = max(result.connectionsMax, connections)
        result.earlyBytesMax = max(result.earlyBytesMax, early.bytes)
        guard early.bytes <= Self.earlyBytesMax, connections <= connectionsMax,
            node.openRequests <= members[index].pending.count
        else {
            throw Violation(
                .caps,
                "node \(index): \(early.bytes) bytes wait, \(connections) connections, "
                    + "\(node.openRequests) requests of \(members[index].pending.count)")
        }
        if early.count > 0 { result.marks.insert("early-changes") }
    }

    /// What one peer may have waiting (DESIGN 12) and a segment of it, and as much of the honest ones, whose
    /// changes are small.
    private static let earlyBytesMax = 9 << 20

    /// With each other node of the mesh a link and one that is tried or about to replace it, a few whose
    /// other end is gone without a word, and strangers.
    private var connectionsMax: Int { 2 * members.count + 4 + world.strangers.count }
}
