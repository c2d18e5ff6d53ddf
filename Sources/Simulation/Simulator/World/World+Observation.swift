// What whoever checks a world learns of it: the moments at which something became durable or was told, in
// order. Nothing is decided by it.

import Bytes
import Causality
public import Node

/// Something that a checker looks at.
public enum Happening: Sendable {
    case started(Int)
    case crashed(Int)
    /// A batch ended, with or without something to commit; its effects have not left yet.
    case committed(Int)
    /// An answer left.
    case answered(Int, RequestID, NodeAnswer)
    case logged(Int, LogLevel, code: String, String)
    /// The bytes that must not be seen were sent.
    case leaked(Int)
}

/// What one side sent on a connection, from its beginning.
struct Recording: Sendable {
    let listener: Int
    var bytes: [UInt8] = []
    /// The listener answered, so it took the first message: in which of its runs, and when.
    var answered: (starts: UInt64, time: UInt64)?

    static let bytesMax = 4_096
    /// Recordings that are kept, the newest.
    static let countMax = 16
}

extension World {
    mutating func note(_ happening: Happening) {
        if isObserved { happenings.append(happening) }
    }

    mutating func count(_ kind: FaultKind) { faultCounts[kind, default: 0] += 1 }

    /// Hands over what happened since the last call.
    mutating func takeHappenings() -> [Happening] {
        defer { happenings.removeAll(keepingCapacity: true) }
        return happenings
    }

    /// Whatever leaves a node, to whomever.
    mutating func searchForSecret(_ bytes: [UInt8], from index: Int) {
        if isObserved, !secret.isEmpty, bytes.holds(secret) { note(.leaked(index)) }
    }

    /// Listens on the wire: keeps what diallers say first.
    mutating func record(_ bytes: [UInt8], _ end: ConnectionEnd, from index: Int) {
        guard isObserved else { return }
        if !end.isDialler, recordings[end.number] != nil, recordings[end.number]?.answered == nil {
            recordings[end.number]?.answered = (nodes[index].starts, time)
        }
        guard end.isDialler, let listener = connections[end.number]?.listener.node else { return }
        if recordings[end.number] == nil, end.number > recordings.keys.max() ?? 0 {
            if recordings.count >= Recording.countMax, let oldest = recordings.keys.min() {
                recordings[oldest] = nil
            }
            recordings[end.number] = Recording(listener: listener)
        }
        if let held = recordings[end.number]?.bytes.count, held < Recording.bytesMax {
            recordings[end.number]?.bytes += bytes.prefix(Recording.bytesMax - held)
        }
    }
}

extension [UInt8] {
    /// True when `other`, which is not empty, stands somewhere in it.
    func holds(_ other: [UInt8]) -> Bool {
        guard let first = other.first, count >= other.count else { return false }
        return withUnsafeBufferPointer { bytes in
            var place = 0
            while place <= bytes.count - other.count {
                if bytes[place] == first, bytes[place..<place + other.count].elementsEqual(other) {
                    return true
                }
                place += 1
            }
            return false
        }
    }
}

extension World {
    /// What the next request of a node will be called.
    func nextRequestID(of index: Int) -> RequestID { RequestID(nodes[index].nextRequest) }
}
