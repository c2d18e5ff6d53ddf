// Why a space is not left just so: what would be lost, and what to do instead (decision 0148).

import Bytes
import JSON
import Node

extension APIError {
    /// 409 with "loses":{"documents","changes","members"}.
    static func leaving(_ space: String, _ refusal: LeaveRefusal) -> APIError {
        let (documents, changes) = (
            counted(refusal.documents, "document"), counted(Int(clamping: refusal.changes), "change")
        )
        let loses = PlainValue.object([
            .init("changes", .scalar(.integer(Int64(clamping: refusal.changes)))),
            .init("documents", .scalar(.integer(Int64(refusal.documents)))),
            .init("members", .scalar(.integer(Int64(refusal.members)))),
        ])
        let anyway = "; force=true leaves all the same"
        let (code, message, hint) =
            switch refusal.reason {
            case .lastCopy:
                (
                    "last-copy",
                    "no other member holds space \"\(space)\": leaving destroys \(documents), \(changes)",
                    "invite another device and let it catch up, or keep an export or a backup" + anyway
                )
            case .lastAdmin:
                (
                    "last-admin",
                    "this is the only admin of space \"\(space)\", which others go on using: nobody could "
                        + "invite any more"
                        + (refusal.changes > 0 ? "; no other member is known to hold \(changes)" : ""),
                    "invite another device with the role admin first" + anyway
                )
            case .othersBehind:
                (
                    "others-behind",
                    "no other member of space \"\(space)\" is known to hold \(changes) in \(documents): they "
                        + "would be lost",
                    "wait until another member is linked and level, see /v1/peers, or keep an export" + anyway
                )
            }
        return APIError(409, code, message, hint: hint, details: [.init("loses", loses)])
    }

    /// "1 document", "2 documents".
    private static func counted(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)" + (count == 1 ? "" : "s")
    }
}
