// Frame bodies as JSON, and by the names that vectors use.

import Bytes
import Causality
import Wire

/// Decodes a body of the frame named `type` and answers its JSON and its bytes again.
func readFrame(_ type: String, _ bytes: [UInt8]) throws -> (value: [String: Any], bytes: [UInt8])? {
    func hexes(_ hashes: [Bytes32]) -> [String] { hashes.map { Hex.encode($0.bytes) } }
    switch type {
    case "ROSTER_HAVE":
        let body = try RosterHaveFrame(decoding: bytes)
        return (["heads": hexes(body.heads), "summary": hexes(body.summary)], body.encoded())
    case "ROSTER_OPS":
        let body = try RosterOperationsFrame(decoding: bytes)
        return (["operations": body.operations.map { Hex.encode($0) }], body.encoded())
    case "HAVE":
        let body = try HaveFrame(decoding: bytes)
        let entries = body.entries.map {
            ["replica": $0.replica.description, "last": "\($0.last)", "fingerprint": "\($0.fingerprint)"]
        }
        return (["extent": body.extent == .full ? "full" : "delta", "entries": entries], body.encoded())
    case "DIGEST":
        let body = try DigestFrame(decoding: bytes)
        let hashes = hexes([body.vectorHash, body.rosterHash, body.exceptionsHash, body.documentsDigest])
        return (["hashes": hashes], body.encoded())
    case "PEERS":
        let body = try PeersFrame(decoding: bytes)
        let entries = body.entries.map {
            ["device": Hex.encode($0.device.publicKey.bytes), "addresses": $0.addresses.map(\.string)]
                as [String: Any]
        }
        return (["entries": entries], body.encoded())
    case "JOIN_PROOF":
        let body = try JoinProofFrame(decoding: bytes)
        return (["body": Hex.encode(body.body)], body.encoded())
    case "JOIN_ANSWER":
        let body = try JoinAnswerFrame(decoding: bytes)
        return (["body": Hex.encode(body.body)], body.encoded())
    case "RECEIVED":
        let body = try ReceivedFrame(decoding: bytes)
        return (["bytes": "\(body.bytes)"], body.encoded())
    case "GRAFT":
        let body = try GraftFrame(decoding: bytes)
        return (["logs": body.logs.map(\.description)], body.encoded())
    case "PRUNE":
        let body = try PruneFrame(decoding: bytes)
        return (["logs": body.logs.map(\.description)], body.encoded())
    case "NEIGHBOUR":
        let body = try NeighbourFrame(decoding: bytes)
        return (["links": "\(body.links)", "isNeeded": body.isNeeded], body.encoded())
    case "WALK":
        let body = try WalkFrame(decoding: bytes)
        let value: [String: Any] = [
            "stops": "\(body.stops)", "device": Hex.encode(body.device.publicKey.bytes),
            "addresses": body.addresses.map(\.string),
        ]
        return (value, body.encoded())
    case "BACKLOG":
        let body = try BacklogFrame(decoding: bytes)
        return (["changes": "\(body.changes)"], body.encoded())
    case "DIGEST_PARTS":
        let body = try DigestPartsFrame(decoding: bytes)
        let value: [String: Any] = ["of": Hex.encode(body.of.bytes), "parts": body.parts.map { "\($0)" }]
        return (value, body.encoded())
    case "DIGEST_DOCUMENTS":
        let body = try DigestDocumentsFrame(decoding: bytes)
        let lines = body.lines.map {
            ["key": Hex.encode(Array($0.key.utf8)), "digest": Hex.encode($0.digest.bytes)]
        }
        return (["of": Hex.encode(body.of.bytes), "part": "\(body.part)", "lines": lines], body.encoded())
    case "BASE_OFFER", "BASE_ASK", "BASE_PART", "BASE_NONE": return try readBaseFrame(type, bytes)
    default: return try readForkFrame(type, bytes)
    }
}

private func readBaseFrame(_ type: String, _ bytes: [UInt8]) throws -> (value: [String: Any], bytes: [UInt8])?
{
    switch type {
    case "BASE_OFFER":
        let body = try BaseOfferFrame(decoding: bytes)
        let value = [
            "checkpoint": Hex.encode(body.checkpoint.bytes),
            "collected": body.collected.map { Hex.encode($0.bytes) } ?? "none",
            "logBytes": "\(body.logBytes)", "baseBytes": "\(body.baseBytes)",
        ]
        return (value, body.encoded())
    case "BASE_ASK":
        let body = try BaseAskFrame(decoding: bytes)
        let wants = body.wants.map { "\(Hex.encode($0.hash.bytes)) \($0.offset)" }
        return (["wants": wants], body.encoded())
    case "BASE_PART":
        let body = try BasePartFrame(decoding: bytes)
        let value = [
            "hash": Hex.encode(body.hash.bytes), "offset": "\(body.offset)", "total": "\(body.total)",
            "bytes": Hex.encode(try body.unpacked()),
        ]
        return (value, body.encoded())
    default:
        let body = try BaseNoneFrame(decoding: bytes)
        return (["hash": Hex.encode(body.hash.bytes)], body.encoded())
    }
}

/// The frames of forks; runs in them are of the space 000102…1f.
private func readForkFrame(_ type: String, _ bytes: [UInt8]) throws -> (value: [String: Any], bytes: [UInt8])?
{
    let space = SpaceID(raw: Bytes32((0..<32).map { UInt8($0) }))
    switch type {
    case "FORKS":
        let body = try ForksFrame(decoding: bytes)
        var value: [String: Any] = ["hash": Hex.encode(body.hash.bytes)]
        value["entries"] = body.entries?.map {
            [
                "replica": $0.replica.description, "first": "\($0.first)",
                "trunkHash": Hex.encode($0.trunkHash.bytes),
            ]
        }
        return (value, body.encoded())
    case "FORK_BOUNDARIES":
        let body = try ForkBoundariesFrame(decoding: bytes)
        let entries = body.entries.map {
            ["last": "\($0.last)", "chainHash": Hex.encode($0.chainHash.bytes)]
        }
        return (["replica": body.replica.description, "entries": entries], body.encoded())
    case "FORK_ASK":
        let body = try ForkAskFrame(decoding: bytes)
        let value = ["replica": body.replica.description, "first": "\(body.first)", "from": "\(body.from)"]
        return (value, body.encoded())
    case "FORK_RUN":
        let body = try ForkRunFrame(of: space, decoding: bytes)
        let value = [
            "purpose": "\(body.purpose.rawValue)", "baseHash": Hex.encode(body.baseHash.bytes),
            "segment": Hex.encode(body.segment.encoded()),
        ]
        return (value, body.encoded())
    case "FORK_PROOF":
        let body = try ForkProofFrame(of: space, decoding: bytes)
        let value: [String: Any] = [
            "baseHash": Hex.encode(body.baseHash.bytes),
            "segments": [body.first, body.second].map { Hex.encode($0.encoded()) },
        ]
        return (value, body.encoded())
    default: return nil
    }
}
