// 403 for callers whom `[access]` names: what was asked for, and what they have.

import Bytes
import JSON
public import Node

extension APIError {
    public init(_ refusal: AccessRefusal) {
        let rules = refusal.grants.rules.map(\.description)
        self.init(
            403, "not-granted", Self.message(refusal.subject),
            hint: "this user has "
                + (rules.isEmpty ? "nothing" : rules.joined(separator: ", "))
                + " by [access] of this box's repld.toml; who runs the box may change it there",
            details: [.init("granted", .array(rules.map { .scalar(.string(Key($0))) }))])
    }

    private static func message(_ subject: AccessRefusal.Subject) -> String {
        switch subject {
        case .unrestrictedOnly:
            "this is about the whole box or who belongs to a space: for users that [access] does not name"
        case .space(let space): "this user was given nothing of a space \"\(space)\""
        case .wholeSpace(let space, let isWrite):
            "this takes to \(isWrite ? "write" : "read") the whole space \"\(space)\", without a prefix"
        case .prefix(let space, let prefix):
            "this user may not read \(Self.all(prefix)) of the space \"\(space)\", nor one part of them: "
                + "give a prefix that was granted"
        case .document(let space, let key, let isWrite):
            "this user may not \(isWrite ? "write" : "read") document \"\(key)\" of the space \"\(space)\""
        case .changed: "what this user may do was changed while this was under way"
        }
    }

    private static func all(_ prefix: Key) -> String {
        prefix.utf8Count == 0 ? "all documents" : "the documents with the prefix \"\(prefix)\""
    }
}
