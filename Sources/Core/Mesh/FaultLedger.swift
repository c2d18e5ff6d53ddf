// A device that breaks the protocol three times is refused for a minute, then two, up to an hour. It is
// always the device, which the handshake authenticated, and never an IP: behind a NAT or on loopback, honest
// boxes share one.

public import Causality

/// Faults per device. Times are monotonic milliseconds.
public struct FaultLedger: Sendable {
    private struct Record: Sendable {
        var faults = 0
        var refusals = 0
        var refusedUntil: UInt64 = 0
        var last: UInt64
        var reason: String
    }

    private var records: [DeviceID: Record] = [:]

    public init() {}

    public var count: Int { records.count }

    /// Notes a fault; true when the device is refused from now on.
    public mutating func note(_ device: DeviceID, reason: String, at now: UInt64) -> Bool {
        var record = records[device] ?? Record(last: now, reason: reason)
        // An hour without a fault makes it as good as new.
        if now >= record.last + MeshLimits.refusalMax, now >= record.refusedUntil + MeshLimits.refusalMax {
            record = Record(last: now, reason: reason)
        }
        record.faults += 1
        record.last = now
        record.reason = reason
        let isOver = record.faults >= MeshLimits.faultsMax
        if isOver {
            let time = min(MeshLimits.refusalMax, MeshLimits.refusalFirst << UInt64(min(record.refusals, 10)))
            record.refusedUntil = now + time
            record.refusals += 1
            record.faults = 0
        }
        records[device] = record
        trim()
        return isOver
    }

    /// Why and until when the device is refused; nil when it is not.
    public func refusal(of device: DeviceID, at now: UInt64) -> (reason: String, until: UInt64)? {
        guard let record = records[device], record.refusedUntil > now else { return nil }
        return (record.reason, record.refusedUntil)
    }

    private mutating func trim() {
        guard records.count > MeshLimits.faultyDevicesMax else { return }
        let oldest = records.min { ($0.value.last, $0.key) < ($1.value.last, $1.key) }
        if let oldest { records[oldest.key] = nil }
    }
}
