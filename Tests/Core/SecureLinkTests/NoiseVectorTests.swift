// The published vectors of Noise (cacophony and snow) for every pattern that we have, to the last transport
// message.

import Bytes
import Crypto
import Testing

@testable import SecureLink

private struct NoiseVector: Decodable {
    struct Message: Decodable { let payload: HexBytes, ciphertext: HexBytes }
    let protocol_name: String
    let init_prologue: HexBytes
    let init_psks: [HexBytes]?
    let init_static: HexBytes?
    let init_ephemeral: HexBytes
    let resp_static: HexBytes?
    let resp_ephemeral: HexBytes?
    let handshake_hash: HexBytes?
    let messages: [Message]
}

private struct NoiseVectors: Decodable { let vectors: [NoiseVector] }

@Suite("Noise vectors", .enabled(if: LinkVectorFile.isPublishedAvailable, "REPL_VECTORS names no folder"))
struct NoiseVectorTests {
    private static let patterns: [NoisePattern] = [.xx, .nnPSK0, .xxPSK0, .xxPSK3, .xxPSK0PSK3]

    @Test(
        "handshakes, their hash and the transport after them are as published",
        arguments: [
            ("noise-cacophony.json", ["XX", "NNpsk0", "XXpsk3"]), ("noise-snow.json", ["XX", "XXpsk0+psk3"]),
        ])
    func published(file: String, names: [String]) throws {
        let vectors = try LinkVectorFile.loadPublished(file, as: NoiseVectors.self).vectors
        var run: [String] = []
        for vector in vectors {
            guard let pattern = Self.patterns.first(where: { $0.protocolName == vector.protocol_name }) else {
                continue
            }
            try check(vector, pattern)
            run.append(pattern.name)
        }
        #expect(run.sorted() == names.sorted())
    }

    private func check(_ vector: NoiseVector, _ pattern: NoisePattern) throws {
        func side(_ role: LinkRole, _ staticKey: HexBytes?, _ ephemeral: HexBytes?) throws -> NoiseHandshake {
            NoiseHandshake(
                pattern, role: role, prologue: vector.init_prologue.bytes,
                psks: (vector.init_psks ?? []).map { Secret(copying: $0.bytes) },
                staticKey: staticKey.map { AgreementKey(secret: Secret(copying: $0.bytes)) },
                ephemeral: Secret(copying: try #require(ephemeral).bytes))
        }
        var sides = [
            try side(.initiator, vector.init_static, vector.init_ephemeral),
            try side(.responder, vector.resp_static, vector.resp_ephemeral),
        ]
        let handshakeMessages = pattern.messages.count
        for (index, message) in vector.messages.prefix(handshakeMessages).enumerated() {
            let (writer, reader) = (index % 2, 1 - index % 2)
            let written = try sides[writer].write(message.payload.bytes)
            #expect(written == message.ciphertext.bytes, "\(pattern.name), message \(index)")
            try checkDamage(written, of: sides[reader], isClear: index == 0 && !pattern.usesPSK)
            #expect(try sides[reader].read(written) == message.payload.bytes)
        }
        #expect(sides[0].isComplete && sides[1].isComplete)
        #expect(sides[0].symmetric.hash == sides[1].symmetric.hash)
        if let hash = vector.handshake_hash { #expect(sides[0].symmetric.hash == hash.bytes) }
        let (own, theirs) = (sides[0].symmetric.split(), sides[1].symmetric.split())
        var sealing = [own.fromInitiator, theirs.fromResponder]
        var opening = [own.fromResponder, theirs.fromInitiator]
        for (index, message) in vector.messages.enumerated().dropFirst(handshakeMessages) {
            let (writer, reader) = (index % 2, 1 - index % 2)
            let plaintext = message.payload.bytes
            var buffer = plaintext + [UInt8](repeating: 0, count: 16)
            sealing[writer].sealInPlace(&buffer, 0..<plaintext.count)
            #expect(buffer == message.ciphertext.bytes, "\(pattern.name), message \(index)")
            let isOpened = opening[reader].openInPlace(&buffer, 0..<buffer.count)
            #expect(isOpened && Array(buffer[..<plaintext.count]) == plaintext)
        }
        #expect(vector.messages.count > handshakeMessages)
    }

    /// Every damaged message is refused, but XX's first, which is in clear; a refusal changes no state, and
    /// the reader can still read the right message.
    private func checkDamage(_ message: [UInt8], of reader: NoiseHandshake, isClear: Bool) throws {
        for index in stride(from: 0, to: message.count, by: 5) {
            var damaged = message
            damaged[index] ^= 0x40
            var copy = reader
            if isClear {
                #expect(throws: Never.self) { try copy.read(damaged) }
                continue
            }
            #expect(throws: NoiseFault.self) { try copy.read(damaged) }
            #expect(copy.messageCount == reader.messageCount)
            #expect(copy.symmetric.hash == reader.symmetric.hash)
            #expect(throws: Never.self) { try copy.read(message) }
        }
    }
}
