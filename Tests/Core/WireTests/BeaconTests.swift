// Beacons against vectors that another implementation of BLAKE2b and XChaCha20-Poly1305 made, and against
// every damage of one byte.

import Bytes
import Causality
import Crypto
import Testing
import Wire

@Suite struct BeaconTests {
    private func secret(_ one: VectorCase) throws -> Secret {
        Secret(copying: try one.bytes("accessSecret"))
    }

    @Test("the beacons of beacons.json are what sealing makes, and open to what they say")
    func golden() throws {
        for one in try VectorFile("beacons").cases("valid") {
            let access = try secret(one)
            let key = Beacon.key(accessSecret: access)
            #expect(key.exposedBytes() == (try one.bytes("key")), "\(one.name)")
            let tag = Beacon.deviceTag(
                of: DeviceID(publicKey: Bytes32(try one.bytes("device"))), accessSecret: access)
            #expect(tag.bytes == (try one.bytes("deviceTag")), "\(one.name)")
            let beacon = Beacon(
                deviceTag: tag, instance: try one.number("instance"), counter: try one.number("counter"),
                port: UInt16(try one.number("port")), flags: UInt16(try one.number("flags")))
            let bytes = try one.bytes("hex")
            #expect(beacon.sealed(under: key, nonce: try one.bytes("nonce")) == bytes, "\(one.name)")
            #expect(bytes.count == 128 && Beacon.hasForm(bytes))
            #expect(try Beacon(opening: bytes, under: key) == beacon, "\(one.name)")
        }
    }

    @Test("what a member made wrong is refused for the reason that beacons.json says")
    func invalid() throws {
        for one in try VectorFile("beacons").cases("invalid") {
            let key = Beacon.key(accessSecret: try secret(one))
            do throws(DecodeFault) {
                _ = try Beacon(opening: (try? one.bytes("hex")) ?? [], under: key)
                Issue.record("\(one.name) was accepted")
            } catch {
                #expect(error.vectorName == (try one.text("fault")), "\(one.name)")
            }
        }
    }

    @Test("datagrams of other keys, and damaged ones, do not open")
    func foreign() throws {
        for one in try VectorFile("beacons").cases("foreign") {
            let key = Beacon.key(accessSecret: try secret(one))
            #expect(try Beacon(opening: one.bytes("hex"), under: key) == nil, "\(one.name)")
        }
    }

    @Test("another length, version or type is seen before any key is tried")
    func formless() throws {
        for one in try VectorFile("beacons").cases("formless") {
            #expect(!Beacon.hasForm(try one.bytes("hex")), "\(one.name)")
        }
    }

    @Test("a change of any byte is a datagram without the form of a beacon, or one that does not open")
    func damaged() throws {
        let key = Beacon.key(accessSecret: Secret(copying: [UInt8](repeating: 5, count: 32)))
        let beacon = Beacon(deviceTag: .zero, instance: 1, counter: 2, port: 3)
        let bytes = beacon.sealed(under: key, nonce: [UInt8](repeating: 6, count: 24))
        for index in bytes.indices {
            for bit in 0..<8 {
                var damaged = bytes
                damaged[index] ^= 1 << UInt8(bit)
                if Beacon.hasForm(damaged) { #expect(try Beacon(opening: damaged, under: key) == nil) }
            }
        }
    }
}
