// The judge of a trial. It looks at what nodes made durable and at what they told, never at how they came to
// it, and keeps its own account of both: version vectors, logs, streams. Cheap checks come with each event;
// documents are compared with the model now and then, and all of them at the end.

import Bytes
import Causality
import Documents
import Node
import Wire

/// The account of one space over all nodes of a world.
struct Checker {
    var universe = Universe()
    var views: [NodeView]
    /// Set when the space is made.
    var space: SpaceID?
    /// Devices by node, and the roles that they got.
    let roles: [DeviceID: Role]
    /// Nodes that turned against the others: what they do is not judged.
    var traitors: Set<Int> = []
    /// The one document state that a digest stands for, as a hash of its typed form.
    var digests: [DigestName: UInt64] = [:]
    /// Rare things that were reached.
    var marks: Set<String> = []
    /// How often documents were compared with the model.
    var comparisons = 0

    init(nodes: Int, roles: [DeviceID: Role]) {
        views = [NodeView](repeating: NodeView(), count: nodes)
        self.roles = roles
    }

    // MARK: What became durable

    /// After a batch of a node: everything new on its disk.
    mutating func takeCommitted(_ index: Int, _ world: borrowing World) throws(Violation) {
        // What a batch has written so far may still be taken back.
        guard let space, !traitors.contains(index), !world.nodes[index].isInBatch else { return }
        try takeDisk(index, in: space, world)
    }

    private mutating func takeDisk(_ index: Int, in space: SpaceID, _ world: borrowing World)
        throws(Violation)
    {
        let after = views[index].position
        // A node may have crashed right after its commit.
        let position =
            world.nodes[index].node?.store.position(of: space) ?? world.nodes[index].disk.position(of: space)
        guard let position, position > after else { return }
        for (run, records) in try Self.rows(of: index, after: after, in: space, world) {
            let places = try at(index) { checker throws(Violation) in try checker.universe.take(run, records)
            }
            for (place, record) in zip(places, records) {
                try at(index) { checker throws(Violation) in try checker.execute(place, record, at: index) }
            }
        }
    }

    /// Rows of a node's store from a position on, each with the records of its changes.
    static func rows(
        of index: Int, after position: CommitPosition, in space: SpaceID, _ world: borrowing World
    )
        throws(Violation) -> [(StoredRun, [CommitRecord])]
    {
        // A node may have crashed right after its commit: then its disk is looked at.
        let store = world.nodes[index].node?.store ?? world.nodes[index].disk
        var rows: [(StoredRun, [CommitRecord])] = []
        do throws(StoreFailure) {
            let records = try store.commits(space, after: position, limit: .max)
            var next = 0
            while next < records.count {
                let record = records[next]
                let runs = try store.runs(space, record.replica, from: record.first, bytesMax: 1)
                guard let run = runs.first, run.position == record.position,
                    next + run.changes <= records.count
                else { throw StoreFailure.unusable("no row begins at \(record)") }
                rows.append((run, Array(records[next..<next + run.changes])))
                next += run.changes
            }
        } catch {
            throw Violation(.stored, "node \(index): \(error)")
        }
        return rows
    }

    /// One change more in a node's account.
    private mutating func execute(_ place: ChangeIndex, _ record: CommitRecord, at index: Int)
        throws(Violation)
    {
        let known = universe[place]
        let change = known.change
        let held = views[index].held[place.log] ?? .none
        guard change.first == held + 1 else {
            throw Violation(.exactlyOnce, "\(change.id) is committed after \(held) of its log")
        }
        guard record.position == views[index].position.next else {
            throw Violation(.exactlyOnce, "position \(record.position) after \(views[index].position)")
        }
        guard views[index].vector.covers(change.context) else {
            let missing = change.context.entries(beyond: views[index].vector).map {
                "\($0.replica):\($0.last)"
            }
            throw Violation(.contextFirst, "\(change.id) is committed before \(missing)")
        }
        if let device = universe.logs[place.log].device, known.status == .executed,
            roles[device] ?? .relay < .writer
        {
            throw Violation(.noEffectWithoutRight, "\(change.id) of \(device) is executed")
        }
        views[index].held[place.log] = change.last
        views[index].vector.advance(to: change.id)
        views[index].position = record.position
        if known.status != .executed {
            marks.insert(known.status == .void ? "change-void" : "change-skipped")
        }
        guard known.status == .executed, !known.documents.isEmpty else { return }
        views[index].lines.append(NodeView.Line(position: record.position, change: change.id))
        views[index].noteChanged(known.documents)
    }

    /// Names the node in what a step found.
    mutating func at<Result>(_ index: Int, _ step: (inout Checker) throws(Violation) -> Result)
        throws(Violation) -> Result
    {
        do throws(Violation) {
            return try step(&self)
        } catch {
            throw Violation(error.invariant, "node \(index): \(error.message)")
        }
    }

    // MARK: Restarts

    /// A node begins to run: what it had made durable is there. After a restored backup its account is that
    /// of the backup, and what only its lost state held is not asked for any more.
    mutating func takeStarted(_ index: Int, _ world: borrowing World, isRestored: Bool) throws(Violation) {
        guard let space, !traitors.contains(index) else { return }
        let known = views[index]
        if isRestored {
            views[index] = NodeView()
            views[index].acknowledged = known.acknowledged
        } else if known.position > .start {
            let position = world.nodes[index].node?.store.position(of: space)
            guard let position, position >= known.position else {
                throw Violation(
                    .acknowledgedStays,
                    "node \(index) starts at \(String(describing: position)), not at \(known.position)")
            }
        }
        try takeDisk(index, in: space, world)
        if isRestored { forgetLost() }
    }

    /// A disk is gone, or its node is not trusted any more: what only it held is not asked for.
    mutating func forgetLost() {
        let honest = views.indices.filter { !traitors.contains($0) }.map { views[$0].vector }
        for index in views.indices {
            views[index].acknowledged.removeAll { dot in !honest.contains { $0.contains(dot) } }
        }
    }

    // MARK: What was told

    /// A transaction was acknowledged: it is on the disk, whole.
    mutating func takeAcknowledged(_ dot: Dot, at index: Int) throws(Violation) {
        guard !traitors.contains(index) else { return }
        guard views[index].vector.contains(dot) else {
            throw Violation(
                .acknowledgedStays, "node \(index) acknowledged \(dot), which is not on its disk")
        }
        views[index].acknowledged.append(dot)
    }

    /// Of two devices, one said of the other that it holds a change on its disk.
    func takeHeld(_ dot: Dot, by holder: Int, toldBy index: Int) throws(Violation) {
        guard !traitors.contains(holder), !traitors.contains(index) else { return }
        guard views[holder].vector.contains(dot) else {
            throw Violation(
                .acknowledgedStays, "node \(index) says that node \(holder) holds \(dot), which it does not")
        }
    }
}
