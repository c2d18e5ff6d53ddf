// Requests whose meaning is in one JSON body.

import Bytes
import Causality
import Documents
public import Node
import Wire

/// A request that waits for its body.
public enum BodyRequest: Sendable {
    case createSpace
    case createInvite(SpaceReference)
    case join
    case declareIndex(SpaceReference, name: String)
    case resolveConflict(SpaceReference)
    case transact(SpaceReference, idempotencyKey: String?, TextUnits)

    /// Seconds that an invite is good for when the request does not say.
    static let inviteSecondsDefault = 86_400
    static let inviteSecondsMax = Int(NodeLimits.inviteSecondsMax)

    /// The node's request that head and body make together.
    public func request(body: [UInt8]) throws(APIError) -> NodeRequest {
        if case .transact(let space, let key, let units) = self {
            return .transact(
                space, try TransactionReader.read(body: body, idempotencyKey: key, units: units))
        }
        guard var object = ObjectReader(try TransactionReader.json(body)) else {
            throw APIError(400, "malformed-body", "the body must be an object", hint: "see /v1/openapi.json")
        }
        let request = try request(from: &object)
        try object.finish()
        return request
    }

    private func request(from object: inout ObjectReader) throws(APIError) -> NodeRequest {
        switch self {
        case .createSpace: return .createSpace(name: try object.string("name").string)
        case .join:
            return .join(
                token: try object.string("token").string, name: try object.optionalString("name")?.string)
        case .resolveConflict(let space):
            return .transact(space, try TransactionReader.resolution(from: &object))
        case .createInvite(let space):
            let name = try object.string("role")
            guard let role = Role(name: name.string) else {
                throw APIError(
                    422, "unknown-role", "no role \"\(name)\"", hint: "relay, reader, writer or admin")
            }
            let seconds = try object.optionalIndex("expiresSeconds") ?? Self.inviteSecondsDefault
            guard (1...Self.inviteSecondsMax).contains(seconds) else {
                throw APIError(
                    422, "invalid-expiry", "expiresSeconds is \(seconds)",
                    hint: "use 1 to \(Self.inviteSecondsMax)")
            }
            return .invite(space, role: role, expiresSeconds: UInt64(seconds))
        case .declareIndex(let space, let name):
            let path = try OperationReader.path(&object)
            let prefix = try object.optionalString("prefix") ?? ""
            guard let definition = IndexDefinition(path: path, prefix: prefix) else {
                throw .badIndexPath()
            }
            return .declareIndex(space, name: name, definition)
        case .transact: preconditionFailure("a transaction has its own reader")
        }
    }
}
