// Replays and floods of datagrams: what counts as news, what it can cost, and that memory is bounded.

import Bytes
import Causality
import Mesh
import Testing
import Wire

private func beacon(_ instance: UInt64, _ counter: UInt64) -> Beacon {
    Beacon(deviceTag: .zero, instance: instance, counter: counter, port: 1)
}

private func device(_ n: Int) -> DeviceID {
    DeviceID(publicKey: Bytes32((0..<32).map { UInt8(truncatingIfNeeded: n >> (8 * ($0 % 4))) }))
}

/// References, because an expectation cannot call what changes a value.
private final class Ledger {
    private var value = BeaconLedger()

    func take(_ beacon: Beacon, of device: DeviceID, at now: UInt64) -> Bool {
        value.take(beacon, of: device, at: now)
    }
    func linked(_ device: DeviceID, instance: UInt64, at now: UInt64) {
        value.linked(device, instance: instance, at: now)
    }
    func mayHint(_ device: DeviceID, at now: UInt64) -> Bool { value.mayHint(device, at: now) }
    func instanceCount(of device: DeviceID) -> Int { value.instanceCount(of: device) }
    var deviceCount: Int { value.deviceCount }
}

private final class Budget {
    private var value = DatagramBudget()

    func admit(at now: UInt64) -> Bool { value.admit(at: now) }
    func charge(trials: Int) { value.charge(trials: trials) }
}

@Suite struct BeaconLedgerTests {
    @Test("of one instance only a greater counter is news, whatever order they come in")
    func counters() {
        for seed in 0..<50 as Range<UInt64> {
            var dice = SeededGenerator(seed: seed)
            let ledger = Ledger()
            var greatest: UInt64 = 0
            for _ in 0..<200 {
                let counter = UInt64.random(in: 1...60, using: &dice)
                #expect(ledger.take(beacon(1, counter), of: device(1), at: 0) == (counter > greatest))
                greatest = max(greatest, counter)
            }
        }
    }

    @Test("a device that started again is heard, and what was sent before is no news")
    func restarts() {
        let ledger = Ledger()
        #expect(ledger.take(beacon(1, 7), of: device(1), at: 0))
        #expect(ledger.take(beacon(2, 1), of: device(1), at: 0))
        #expect(!ledger.take(beacon(1, 7), of: device(1), at: 0))
        #expect(!ledger.take(beacon(2, 1), of: device(1), at: 0))
        #expect(ledger.take(beacon(2, 1), of: device(2), at: 0), "counters are of one device")
    }

    @Test("a beacon alone silences nobody: the instance that runs is heard after any replay of older ones")
    func noSilencing() {
        let ledger = Ledger()
        #expect(ledger.take(beacon(9, 1), of: device(1), at: 0))
        for old in 1...4 as ClosedRange<UInt64> {
            #expect(ledger.take(beacon(old, 1_000), of: device(1), at: 0), "never heard here: it may be new")
            #expect(ledger.take(beacon(9, 1 + old), of: device(1), at: 0))
        }
    }

    @Test("once a link showed an instance, those heard before it are gone, also with counters never heard")
    func gone() {
        let ledger = Ledger()
        #expect(ledger.take(beacon(1, 7), of: device(1), at: 0))
        ledger.linked(device(1), instance: 2, at: 0)
        #expect(!ledger.take(beacon(1, 8), of: device(1), at: 0))
        #expect(ledger.take(beacon(2, 1), of: device(1), at: 0))
        #expect(ledger.take(beacon(3, 1), of: device(1), at: 0), "it started once more")
        #expect(!ledger.take(beacon(1, 9), of: device(1), at: 0))
        ledger.linked(device(1), instance: 1, at: 0)
        #expect(
            ledger.take(beacon(1, 10), of: device(1), at: 0), "a handshake is fresh, whatever was thought")
        #expect(!ledger.take(beacon(3, 2), of: device(1), at: 0))
    }

    @Test("instances of a device and devices are bounded, and the linked instance is not pushed out")
    func bounds() {
        let ledger = Ledger()
        ledger.linked(device(1), instance: 5, at: 0)
        #expect(ledger.take(beacon(5, 100), of: device(1), at: 0))
        for instance in 1_000..<1_100 as Range<UInt64> {
            #expect(ledger.take(beacon(instance, 1), of: device(1), at: 0))
            #expect(ledger.instanceCount(of: device(1)) <= MeshLimits.instancesOfDeviceMax)
        }
        #expect(!ledger.take(beacon(5, 100), of: device(1), at: 0))
        for number in 0..<3 * MeshLimits.beaconDevicesMax {
            _ = ledger.take(beacon(1, 1), of: device(number), at: UInt64(number))
            #expect(ledger.deviceCount <= MeshLimits.beaconDevicesMax)
        }
    }

    @Test("hints of one device are worth four dials at once and one more every five seconds")
    func hints() {
        let ledger = Ledger()
        #expect(!ledger.mayHint(device(1), at: 0), "nothing was heard of it")
        var allowed = 0
        for now in stride(from: 0, to: 60_000, by: 10) as StrideTo<UInt64> {
            _ = ledger.take(beacon(1, now + 1), of: device(1), at: now)
            if ledger.mayHint(device(1), at: now) { allowed += 1 }
        }
        #expect((15...16).contains(allowed), "\(allowed) in a minute")
        #expect(ledger.take(beacon(1, 1), of: device(2), at: 0) && ledger.mayHint(device(2), at: 0))
    }
}

@Suite struct DatagramBudgetTests {
    @Test("a flood gets 50 a second after the first 50, however it is spread")
    func datagrams() {
        for seed in 0..<20 as Range<UInt64> {
            var dice = SeededGenerator(seed: seed)
            let budget = Budget()
            var (now, admitted): (UInt64, Int) = (1_000_000, 0)
            let end = now + 20_000
            while now < end {
                for _ in 0..<Int.random(in: 0...60, using: &dice) where budget.admit(at: now) {
                    admitted += 1
                }
                now += UInt64.random(in: 1...40, using: &dice)
            }
            #expect((950...1_050).contains(admitted), "\(admitted) in 20 s")
        }
    }

    @Test("a quiet hour saves up one second's worth and no more")
    func burst() {
        let budget = Budget()
        while budget.admit(at: 5) {}
        var admitted = 0
        while budget.admit(at: 3_600_000) { admitted += 1 }
        #expect(admitted == 50)
    }

    @Test("a node of very many keys looks at fewer datagrams, so that the keys tried are bounded")
    func trials() {
        let budget = Budget()
        var tried = 0
        for now in stride(from: 0, to: 10_000, by: 5) as StrideTo<UInt64> where budget.admit(at: now) {
            budget.charge(trials: 5_000)
            tried += 5_000
        }
        #expect(tried <= 11 * MeshLimits.datagramTrialsPerSecond + 5_000, "\(tried) in 10 s")
        #expect(tried >= 9 * MeshLimits.datagramTrialsPerSecond)
    }

    @Test("a clock that stands still or is far ahead is no trap")
    func extremes() {
        let budget = Budget()
        #expect(budget.admit(at: .max))
        #expect(budget.admit(at: 0))
        budget.charge(trials: 1 << 40)
        #expect(!budget.admit(at: 1))
    }
}
