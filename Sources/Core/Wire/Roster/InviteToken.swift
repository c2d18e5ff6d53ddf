// What a person hands to another so that the other's box may join (DESIGN 7):
//
//   repl1- + base32 of (version 1 u8 | secret 32 | SpaceID 32 | expiry s u64 | n u8, n × (length u8, address)
//                       | check 3 = start of BLAKE2b-256 of all before, personal "repld-invite-v1")
//
// The check bytes and the expiry let the joining box say "mistyped" and "expired" without a network.

import Bytes
public import Causality
import Crypto

/// An invite with where to bring it. Whoever holds it may join: it is shown once and never logged.
public struct InviteToken: Sendable {
    public static let prefix = "repl1-"
    static let version: UInt8 = 1
    static let checkBytes = 3

    public let secret: InviteSecret
    public let space: SpaceID
    /// Seconds since 1970 by the issuer's clock; the last second in which it is good.
    public let expirySeconds: UInt64
    /// Where the issuer listens, best first; may be empty.
    public let hints: [PeerAddress]

    public init(secret: InviteSecret, space: SpaceID, expirySeconds: UInt64, hints: [PeerAddress]) {
        self.secret = secret
        self.space = space
        self.expirySeconds = expirySeconds
        self.hints = hints
    }

    /// The token as text, to be shown to a person.
    public func text() -> String {
        var writer = ByteWriter(reserving: 128)
        writer.u8(Self.version)
        secret.secret.withBytes { writer.raw($0) }
        space.raw.encode(into: &writer)
        writer.u64(expirySeconds)
        PeerAddress.encode(hints, into: &writer)
        writer.raw(Self.check(of: writer.bytes))
        return Self.prefix + Base32.encode(writer.bytes)
    }

    /// Reads a token as it was typed: case and space around it do not matter, everything else does. Whether
    /// it is expired is for `expired(at:)` to say.
    public init(_ typed: String) throws(InviteTokenFault) {
        // 1. The text, without what pasting adds around it.
        var text = Array(typed.utf8)[...]
        while let first = text.first, Self.isSpace(first) { text.removeFirst() }
        while let last = text.last, Self.isSpace(last) { text.removeLast() }
        let letters = try Self.letters(of: text)
        // 2. Letters to bytes; positions count from 1 and include the prefix, as a person counts them.
        let bytes: [UInt8]
        do throws(Base32Fault) {
            bytes = try Base32.decode(letters)
        } catch .character(let index) {
            throw .character(position: index + 1 + Self.prefix.utf8.count)
        } catch {
            throw .length(letters.count)
        }
        // 3. Did it survive the typing?
        guard bytes.count > Self.checkBytes else { throw .length(letters.count) }
        let body = Array(bytes.dropLast(Self.checkBytes))
        guard Self.check(of: body) == Array(bytes.suffix(Self.checkBytes)) else { throw .mistyped }
        // 4. What it says.
        guard body[0] == Self.version else { throw .version(UInt64(body[0])) }
        do throws(DecodeFault) {
            var reader = ByteReader(body, in: 1..<body.count)
            secret = InviteSecret(Secret(copying: try reader.raw(32)))
            space = SpaceID(raw: try Bytes32(from: &reader))
            expirySeconds = try reader.u64()
            hints = try PeerAddress.list(from: &reader)
            try reader.finish()
        } catch {
            throw .malformed(error)
        }
    }

    /// True when the token is no longer good at this wall time.
    public func isExpired(at now: Instant) -> Bool { now.wall / 1_000 > expirySeconds }

    private static func letters(of text: ArraySlice<UInt8>) throws(InviteTokenFault) -> ArraySlice<UInt8> {
        let lowered = text.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }
        guard lowered.starts(with: "repl".utf8), lowered.count >= prefix.utf8.count, lowered[5] == 0x2D else {
            throw .notAToken
        }
        guard lowered[4] == 0x31 else {
            // Only digits name versions; anything else there is no token of ours.
            guard (0x30...0x39).contains(lowered[4]) else { throw .notAToken }
            throw .version(UInt64(lowered[4] - 0x30))
        }
        let letters = text.dropFirst(prefix.utf8.count)
        guard letters.count <= RosterLimits.tokenLettersMax else { throw .length(letters.count) }
        return letters
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func check(of bytes: [UInt8]) -> [UInt8] {
        Array(Blake2b.hash256(bytes, personal: "repld-invite-v1").bytes.prefix(checkBytes))
    }
}
