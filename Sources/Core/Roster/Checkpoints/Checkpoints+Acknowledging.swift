// What a device may acknowledge, and what it owes. The acknowledgement of a device that a checkpoint
// requires is a promise: its greater rivals get one only when it can be agreed on no more; and who
// acknowledged or made a greater one acknowledges no lesser one that requires it. The author does so last, so
// that it can replace its own where somebody stays silent.

public import Bytes
public import Causality
import Wire

/// Why a checkpoint is not to be acknowledged by a device now.
public enum AcknowledgeRefusal: Hashable, Sendable {
    case unknown
    /// Not all that it covers is held.
    case notHeld
    case invalid(CheckpointFault)
    case done
    /// It stands already, with or without this device.
    case stands
    case rivalStands(Bytes32)
    /// The device made this greater rival.
    case lesserThanOwn(Bytes32)
    /// The device acknowledged this rival, which is greater.
    case lesserThan(Bytes32)
    /// The device acknowledged this rival, which may still be agreed on.
    case bound(by: Bytes32)
    /// The device is the author, and these are still to acknowledge it.
    case authorLast([DeviceID])
}

extension Checkpoints {
    /// Nil: the device may, once it has computed the manifest that the checkpoint names. So may members that
    /// are not required: if an author is gone before it acknowledged its own, those that are left need a
    /// majority that did, to go on from there.
    public func refusal(to acknowledge: Bytes32, by device: DeviceID) -> AcknowledgeRefusal? {
        guard let proposal = proposals[acknowledge] else { return .unknown }
        switch verdict(on: acknowledge) {
        case .unknown: return .notHeld
        case .invalid(let fault): return .invalid(fault)
        case .valid: break
        }
        if hasAcknowledged(acknowledge, device) { return .done }
        if stands(acknowledge) { return .stands }
        if let rival = standingRival(of: acknowledge) { return .rivalStands(rival) }
        if let refusal = refusal(ofRival: proposal, by: device) { return refusal }
        guard proposal.author == device else { return nil }
        let others = unacknowledged(acknowledge).filter { $0 != device }
        return others.isEmpty ? nil : .authorLast(others)
    }

    private func refusal(ofRival proposal: CheckpointProposal, by device: DeviceID) -> AcknowledgeRefusal? {
        for rival in rivals(of: proposal.id) {
            if proposal.precedes(rival) {
                // Others count on it that who went on does not come back. Without it the lesser one can be
                // agreed on anyway, so nobody does.
                guard proposal.required.contains(device) else { continue }
                if rival.author == device { return .lesserThanOwn(rival.id) }
                if hasAcknowledged(rival.id, device) { return .lesserThan(rival.id) }
            } else if hasAcknowledged(rival.id, device), rival.required.contains(device) {
                if !isAbandoned(rival.id) { return .bound(by: rival.id) }
            }
        }
        return nil
    }

    /// Those that could stand, in the one order.
    func rivals(of id: Bytes32) -> [CheckpointProposal] {
        proposals.values.filter { faults[$0.id] == nil && areRivals($0.id, id) }
            .sorted { $0.precedes($1) }
    }

    /// The greatest one that the device may acknowledge.
    public func toAcknowledge(by device: DeviceID) -> Bytes32? {
        proposals.values.filter { refusal(to: $0.id, by: device) == nil }.max { $0.precedes($1) }?.id
    }

    /// What a log has to acknowledge before anything else is written to it: the newest that stands, unless
    /// the log did, or acknowledged what follows it.
    public func owed(by log: ReplicaID, of device: DeviceID) -> Bytes32? {
        guard let newest else { return nil }
        return isAcknowledged(newest, in: log, before: nil) ? nil : newest
    }

    /// True when the checkpoint, or what follows it, is acknowledged in the log (before this sequence).
    func isAcknowledged(_ checkpoint: Bytes32, in log: ReplicaID, before end: SequenceNumber?) -> Bool {
        acknowledgements(ofOrAfter: checkpoint).contains { devices in
            devices.values.joined().contains { one in
                one.dot.replica == log && (end.map { one.dot.sequence < $0 } ?? true)
            }
        }
    }

    // MARK: Who is waited for

    /// Why a required member did not acknowledge, as far as what is held says.
    public enum Waiting: Hashable, Sendable {
        /// Nothing is held that says why: it is not linked, behind, computing, or cannot.
        case silent
        /// It is the author and does so last.
        case author
        /// It acknowledged this greater rival.
        case rival(Bytes32)
    }

    /// Who holds an open checkpoint back, ascending by device.
    public func waiting(for checkpoint: Bytes32) -> [(device: DeviceID, why: Waiting)] {
        guard let proposal = proposals[checkpoint] else { return [] }
        let greater = rivals(of: checkpoint).filter { proposal.precedes($0) }
        return unacknowledged(checkpoint).map { member in
            if let rival = greater.last(where: { hasAcknowledged($0.id, member) }) {
                return (member, .rival(rival.id))
            }
            return (member, proposal.author == member ? .author : .silent)
        }
    }
}
