// A crowd of logs, and what an author still names.

import Bytes
import Causality
import Replication
import Testing

private func device(_ n: UInt8) -> DeviceID { DeviceID(publicKey: Bytes32([UInt8](repeating: n, count: 32))) }
private func log(_ n: UInt64, of device: UInt8) -> ReplicaID {
    ReplicaID(raw: Bytes16(high: n &* 0x9E37_79B9_7F4A_7C15, low: UInt64(device)))
}

@Suite struct LogCensusTests {
    @Test("all is named while it is little, and of a crowd the longest logs, whoever else writes")
    func crowd() {
        var census = LogCensus()
        var held = VersionVector()
        for honest in 1...50 as ClosedRange<UInt8> {
            held.advance(log(1, of: honest), to: SequenceNumber(1))
            census.note(log(1, of: honest), of: device(honest))
        }
        var entries = held.entries
        for n in 1...7_000 as ClosedRange<UInt64> {
            entries.append(.init(log(n, of: 99), SequenceNumber(n % 10 + 1)))
            census.note(log(n, of: 99), of: device(99))
        }
        held = VersionVector(entries.sorted { $0.replica < $1.replica })
        #expect(census.named(of: held) == held)
        #expect(census.crowding == [device(99)] && census.count(of: device(99)) == 7_000)
        for n in 7_001...20_000 as ClosedRange<UInt64> {
            entries.append(.init(log(n, of: 99), SequenceNumber(n == 20_000 ? 500 : 1)))
            census.note(log(n, of: 99), of: device(99))
        }
        held = VersionVector(entries.sorted { $0.replica < $1.replica })
        let named = census.named(of: held)
        #expect(named.count == 50 + ReplicationLimits.logsOfDeviceNamed)
        for honest in 1...50 as ClosedRange<UInt8> { #expect(named[log(1, of: honest)].value == 1) }
        #expect(named[log(20_000, of: 99)].value == 500)
        #expect(held.covers(named))
    }

    @Test("the order in which logs come decides nothing")
    func order() {
        let logs = (1...9_000 as ClosedRange<UInt64>).map { log($0, of: 7) }
        let held = VersionVector(
            logs.sorted().map { VersionVector.Entry($0, SequenceNumber($0.raw.high % 5 + 1)) })
        var dice = SeededGenerator(seed: 3)
        var named: Set<VersionVector> = []
        for _ in 0..<3 {
            var census = LogCensus()
            for log in logs.shuffled(using: &dice) { census.note(log, of: device(7)) }
            named.insert(census.named(of: held))
        }
        #expect(named.count == 1 && named.first?.count == ReplicationLimits.logsOfDeviceNamed)
    }
}
