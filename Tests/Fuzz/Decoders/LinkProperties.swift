// Connections: a stranger gets no byte and makes no frame; a member's records give frames or a fault.

import Bytes
import Causality
import Crypto
import SecureLink
import Wire

enum LinkProperties {
    private static let now = Instant(monotonic: 1_000, wall: 1_700_000_000_000)
    private static let candidate = PSKCandidate(
        space: FuzzKeys.space, use: .mesh(epoch: 0), psk: LinkKeys.meshPSK(FuzzKeys.secret(6)),
        rosterHash: .zero)
    private static let identity = LinkIdentity(
        key: FuzzKeys.device, instance: 1, staticKey: AgreementKey(secret: FuzzKeys.secret(7)))

    /// The first byte picks: a listener, a dialler, a preamble, a certificate.
    static func link(_ bytes: [UInt8]) -> String? {
        guard let (choice, rest) = split(bytes) else { return nil }
        switch choice % 4 {
        case 0:
            let link = SecureLink(
                responding: [candidate], identity: identity, ephemeral: FuzzKeys.secret(8), at: now)
            return stranger(link, says: rest)
        case 1:
            let link = SecureLink(
                initiating: candidate, identity: identity, ephemeral: FuzzKeys.secret(8), at: now)
            return stranger(link, says: rest)
        case 2:
            guard rest.count == Preamble.byteCount, let preamble = try? Preamble(decoding: rest) else {
                return nil
            }
            return preamble.bytes == rest ? nil : "a preamble has a second form"
        default:
            guard let certificate = try? LinkCertificate(decoding: rest) else { return nil }
            return certificate.bytes == rest ? nil : "a certificate has a second form"
        }
    }

    private static func stranger(_ link: SecureLink, says bytes: [UInt8]) -> String? {
        var link = link
        var replays = ReplayGuard()
        _ = link.start()
        let middle = bytes.count / 2
        var outputs = link.receive(Array(bytes[..<middle]), replays: &replays, at: now)
        outputs += link.receive(Array(bytes[middle...]), replays: &replays, at: now)
        outputs += link.streamEnded()
        for output in outputs {
            switch output {
            case .send: return "a stranger is answered"
            case .frame, .pinged, .established: return "a stranger gets in"
            case .close: continue
            }
        }
        return outputs.count == 1 ? nil : "a connection ended \(outputs.count) times"
    }

    /// An even first byte: a datagram as it arrives. An odd one: 84 bytes that a holder of the key sealed.
    static func beacon(_ bytes: [UInt8]) -> String? {
        guard let (choice, rest) = split(bytes) else { return nil }
        var datagram = rest
        if choice % 2 == 1 {
            guard rest.count == beaconBytes else { return nil }
            datagram = beaconHeader + FuzzKeys.nonce
            datagram += XChaCha.seal(
                rest, key: beaconKey, nonce: FuzzKeys.nonce, authenticating: beaconHeader)
        }
        guard Beacon.hasForm(datagram) else {
            return choice % 2 == 0 ? nil : "a sealed beacon has not the form of one"
        }
        guard let opened = try? Beacon(opening: datagram, under: beaconKey) else { return nil }
        let nonce = Array(datagram[beaconHeader.count..<beaconHeader.count + XChaCha.nonceBytes])
        return opened.sealed(under: beaconKey, nonce: nonce) == datagram ? nil : "a beacon has a second form"
    }

    private static let beaconKey = Beacon.key(accessSecret: FuzzKeys.secret(13))
    private static let beaconBytes = 84
    /// What authenticates with it: version, type, zeros.
    private static let beaconHeader = Array(sampleBeacon.prefix(4))
    static let sampleBeacon = Beacon(
        deviceTag: Bytes16(high: 1, low: 2), instance: 3, counter: 4, port: 21_420
    ).sealed(under: beaconKey, nonce: FuzzKeys.nonce)
    static let beaconPlaintext: [UInt8] =
        XChaCha.open(
            Array(sampleBeacon[(4 + XChaCha.nonceBytes)...]), key: beaconKey, nonce: FuzzKeys.nonce,
            authenticating: beaconHeader) ?? []

    /// Records in clear, as a member may seal them: 8 bytes of header, u16 length, so many bytes (or the
    /// rest).
    static func records(_ bytes: [UInt8]) -> String? {
        var assembler = FrameAssembler()
        var reader = ByteReader(bytes)
        var received = 0
        while let head = try? reader.raw(RecordHeader.byteCount), let length = try? reader.u16() {
            guard let header = try? RecordHeader(decoding: head, at: 0) else { return nil }
            var again: [UInt8] = []
            header.encode(into: &again)
            if again != head { return "a record header has a second form" }
            let body = (try? reader.raw(min(Int(length), reader.remaining))) ?? []
            received += body.count
            let frame: LinkFrame?
            do throws(LinkFault) {
                frame = try assembler.add(header, body, 0..<body.count)
            } catch {
                return nil
            }
            if let frame, frame.body.count > received { return "a frame is longer than what came" }
            if assembler.heldBytes > received {
                return "\(assembler.heldBytes) bytes are held of \(received)"
            }
        }
        return nil
    }
}
