// Golden vectors of the roster's wire forms (Tests/Vectors/roster), valid and invalid. They are the format: a
// test that fails here means that old and new nodes differ, and the vectors are never made again to turn it
// green.

import Bytes
import Causality
import Crypto
import Foundation
import Roster
import Testing
import Wire

private struct Valid: Decodable {
    let name: String
    let bytes: String
    let fields: [String: String]
}

private struct Invalid: Decodable {
    let name: String
    let bytes: String
    let fault: String
}

private struct VectorFile: Decodable {
    let valid: [Valid]
    let invalid: [Invalid]

    init(_ name: String) throws {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let folder = tests.deletingLastPathComponent().appendingPathComponent("Vectors/roster")
        let data = try Data(contentsOf: folder.appendingPathComponent("\(name).json"))
        self = try JSONDecoder().decode(VectorFile.self, from: data)
    }
}

/// The name of a fault's case, without its numbers.
private func caseName(_ fault: some Error) -> String {
    String(String(describing: fault).prefix { $0 != "(" })
}

private func bytes(_ hex: String) throws -> [UInt8] { try #require(Hex.decode(hex)) }

private func field(_ name: String, of vector: Valid) throws -> [UInt8] {
    let text = try #require(vector.fields[name], "\(vector.name) has no \(name)")
    return try bytes(text)
}

@Suite struct RosterVectorTests {
    @Test("operations decode to the fields of their vectors, and the same fields give the same bytes")
    func operations() throws {
        let file = try VectorFile("operations")
        #expect(Set(file.valid.map(\.name)).isSuperset(of: OperationFields.kinds))
        for vector in file.valid {
            let operation = try RosterOperation(decoding: bytes(vector.bytes))
            #expect(OperationFields.of(operation) == vector.fields, "\(vector.name)")
            #expect(operation.isSigned(), "\(vector.name)")
            let again = RosterOperation(
                operation.body, on: operation.heads, at: operation.timestamp, by: Box(1).key)
            #expect(again.bytes == operation.bytes, "\(vector.name)")
        }
        for vector in file.invalid {
            let fault = #expect(throws: DecodeFault.self, "\(vector.name)") {
                _ = try RosterOperation(decoding: bytes(vector.bytes))
            }
            #expect(fault.map(caseName) == vector.fault, "\(vector.name)")
        }
        #expect(file.invalid.count >= 15)
    }

    @Test("tokens read as the fields of their vectors, and the same fields give the same text")
    func tokens() throws {
        let file = try VectorFile("tokens")
        for vector in file.valid {
            let token = try InviteToken(vector.bytes)
            #expect(TokenFields.of(token) == vector.fields, "\(vector.name)")
            #expect(token.text() == vector.bytes, "\(vector.name)")
        }
        for vector in file.invalid {
            let fault = #expect(throws: InviteTokenFault.self, "\(vector.name)") {
                _ = try InviteToken(vector.bytes)
            }
            #expect(fault.map(caseName) == vector.fault, "\(vector.name)")
        }
        #expect(file.valid.count >= 2 && file.invalid.count >= 6)
    }

    @Test("join proofs and answers decode as their vectors say")
    func joining() throws {
        let file = try VectorFile("joining")
        for vector in file.valid {
            let wire = try bytes(vector.bytes)
            if vector.fields["type"] == "answer" {
                let part = try JoinAnswerPart(decoding: wire)
                #expect(part.encoded() == wire && "\(part.isLast)" == vector.fields["isLast"])
                let ids = part.operations.map { Hex.encode($0.id.bytes) }.joined(separator: " ")
                #expect(ids == vector.fields["operations"])
            } else {
                let proof = try JoinProof(decoding: wire)
                #expect(
                    proof.encoded() == wire
                        && Hex.encode(proof.device.publicKey.bytes) == vector.fields["device"])
                #expect(proof.description.name.string == vector.fields["deviceName"])
                let space = SpaceID(raw: Bytes32(try field("space", of: vector)))
                let handshake = try field("handshakeHash", of: vector)
                let invite = InviteID(raw: Bytes16(try field("invite", of: vector)))
                let key = Bytes32(try field("inviteKey", of: vector))
                #expect(proof.isValid(inviteKey: key, invite: invite, space: space, handshakeHash: handshake))
            }
        }
        for vector in file.invalid {
            let wire = try bytes(vector.bytes)
            let fault = #expect(throws: DecodeFault.self, "\(vector.name)") {
                if vector.name.hasPrefix("answer") {
                    _ = try JoinAnswerPart(decoding: wire)
                } else {
                    _ = try JoinProof(decoding: wire)
                }
            }
            #expect(fault.map(caseName) == vector.fault, "\(vector.name)")
        }
        #expect(file.valid.count >= 2 && file.invalid.count >= 6)
    }
}

/// An operation's fields as text, for vectors.
enum OperationFields {
    static let kinds: Set<String> = [
        "genesis", "invite", "revoke-invite", "add", "leave", "device-update", "remove", "role", "key-epoch",
        "resolve", "checkpoint", "checkpoint that says nothing", "device-software", "unknown",
    ]

    static func of(_ operation: RosterOperation) -> [String: String] {
        [
            "id": Hex.encode(operation.id.bytes), "author": Hex.encode(operation.author.publicKey.bytes),
            "timestamp": "\(operation.timestamp.milliseconds)",
            "heads": operation.heads.map { Hex.encode($0.bytes) }.joined(separator: " "),
            "kind": "\(operation.body.kindByte)",
        ].merging(of(operation.body)) { first, _ in first }
    }

    private static func of(_ body: RosterBody) -> [String: String] {
        switch body {
        case .genesis(let genesis):
            ["space": genesis.name.string, "nonce": Hex.encode(genesis.nonce.bytes)].merging(
                of(genesis.creator)
            ) { a, _ in a }
        case .invite(let invite):
            [
                "invite": invite.id.description, "role": invite.role.name,
                "expiry": "\(invite.expirySeconds)",
                "key": Hex.encode(invite.key.bytes),
            ]
        case .revokeInvite(let id): ["invite": id.description]
        case .add(let add):
            [
                "device": Hex.encode(add.device.publicKey.bytes), "role": add.role.name,
                "invite": add.invite.description, "sealedKeys": Hex.encode(add.sealedKeys),
            ].merging(of(add.description)) { a, _ in a }
        case .leave: [:]
        case .deviceUpdate(let update): of(update.description)
        case .remove(let remove):
            ["device": Hex.encode(remove.device.publicKey.bytes), "frontier": text(remove.frontier)]
        case .role(let change):
            [
                "device": Hex.encode(change.device.publicKey.bytes), "role": change.role.name,
                "frontier": text(change.frontier),
            ]
        case .keyEpoch(let epoch):
            [
                "epoch": "\(epoch.epoch.value)", "wrappedPrevious": Hex.encode(epoch.wrappedPrevious),
                "packages": epoch.packages.map {
                    "\(Hex.encode($0.device.publicKey.bytes)):\(Hex.encode($0.sealedKeys))"
                }.joined(separator: " "),
            ]
        case .deviceSoftware(let software):
            ["level": "\(software.level.value)", "version": software.version]
        case .checkpoint(let checkpoint):
            [
                "previous": checkpoint.previous.map { Hex.encode($0.bytes) } ?? "none",
                "witness": "\(checkpoint.witness)",
                "absent": checkpoint.absent.map { Hex.encode($0.publicKey.bytes) }.joined(separator: " "),
                "operations": "\(checkpoint.operationVersion.value)",
                "table": Hex.encode(checkpoint.table.bytes),
                "manifest": Hex.encode(checkpoint.manifest.bytes),
            ]
        case .resolve(let payload), .unknown(_, let payload): ["payload": Hex.encode(payload)]
        }
    }

    private static func of(_ description: DeviceDescription) -> [String: String] {
        [
            "name": description.name.string, "boxKey": Hex.encode(description.boxKey.bytes),
            "addresses": description.addresses.map(\.string).joined(separator: " "),
        ]
    }

    private static func text(_ frontier: VersionVector) -> String {
        frontier.entries.map { "\($0.replica):\($0.last)" }.joined(separator: " ")
    }
}

/// A token's fields as text, for vectors.
enum TokenFields {
    static func of(_ token: InviteToken) -> [String: String] {
        [
            "secret": Hex.encode(token.secret.secret.exposedBytes()), "space": token.space.description,
            "expiry": "\(token.expirySeconds)", "hints": token.hints.map(\.string).joined(separator: " "),
            "invite": token.secret.id.description,
            "inviteKey": Hex.encode(token.secret.signingKey().publicKey.bytes),
            "joinPresharedKey": Hex.encode(token.secret.joinPresharedKey().exposedBytes()),
        ]
    }
}
