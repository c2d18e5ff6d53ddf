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
    case changeRole(SpaceReference, MemberReference, isForced: Bool)
    case join
    case declareIndex(SpaceReference, name: String)
    case resolveConflict(SpaceReference)
    case adopt(SpaceReference)
    case proposeCheckpoint(SpaceReference)
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
        case .adopt(let space): return .adopt(space, try Self.adoption(from: &object))
        case .proposeCheckpoint(let space):
            return .proposeCheckpoint(space, absent: try Self.absent(from: &object))
        case .createInvite(let space):
            let role = try Self.role(from: &object)
            let seconds = try object.optionalIndex("expiresSeconds") ?? Self.inviteSecondsDefault
            guard (1...Self.inviteSecondsMax).contains(seconds) else {
                throw APIError(
                    422, "invalid-expiry", "expiresSeconds is \(seconds)",
                    hint: "use 1 to \(Self.inviteSecondsMax)")
            }
            return .invite(space, role: role, expiresSeconds: UInt64(seconds))
        case .changeRole(let space, let member, let isForced):
            return .changeRole(space, member, try Self.role(from: &object), isForced: isForced)
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

    private static func adoption(from object: inout ObjectReader) throws(APIError) -> AdoptionChoice {
        let member = try object.optionalString("member")
        guard let list = object.optional("changes") else {
            if let member { return .member(MemberReference(member.string)) }
            throw APIError(
                400, "missing-changes", "nothing says what to adopt",
                hint: "give changes:[…] or member:…; GET …/void lists what there is")
        }
        guard member == nil, case .array(let items) = list, !items.isEmpty else {
            throw APIError(
                400, "malformed-body", "changes is a list of changes, and stands alone",
                hint: "give changes:[…] or member:…, not both")
        }
        guard items.count <= NodeLimits.adoptedTogetherMax else {
            throw APIError(
                413, "too-many-changes",
                "\(items.count) changes, over the limit of \(NodeLimits.adoptedTogetherMax)",
                hint: "give fewer, or the member whose they are")
        }
        var changes: [Dot] = []
        for item in items {
            guard case .scalar(.string(let text)) = item else { throw .wrongType("changes", "strings") }
            changes.append(try MatchedRequest.change(text))
        }
        return .changes(changes)
    }

    /// Nil when nothing is said of them.
    private static func absent(from object: inout ObjectReader) throws(APIError) -> [MemberReference]? {
        guard let list = object.optional("absent") else { return nil }
        guard case .array(let items) = list else { throw .wrongType("absent", "an array") }
        guard items.count <= NodeLimits.absentMax else {
            throw APIError(
                413, "too-many-members",
                "\(items.count) members, over the limit of \(NodeLimits.absentMax)",
                hint: "remove those that are gone for good")
        }
        var members: [MemberReference] = []
        for item in items {
            guard case .scalar(.string(let text)) = item else { throw .wrongType("absent", "strings") }
            members.append(MemberReference(text.string))
        }
        return members
    }

    private static func role(from object: inout ObjectReader) throws(APIError) -> Role {
        let name = try object.string("role")
        guard let role = Role(name: name.string) else {
            throw APIError(
                422, "unknown-role", "no role \"\(name)\"", hint: "relay, reader, writer or admin")
        }
        return role
    }
}
