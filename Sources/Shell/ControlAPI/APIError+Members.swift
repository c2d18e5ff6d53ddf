// Refusals about devices that a request names: each says who there is, so that the next try can be right.

import Bytes
import Causality
import Identity
import JSON
import Node
import Wire

extension APIError {
    /// Nobody is meant; `former` are out of the space by that name.
    private static func absent(
        _ text: String, known: [NamedDevice], more: Int, former: [NamedDevice]
    ) -> APIError {
        let details: [PlainValue.Member] = [.init("members", list(known))]
        if !former.isEmpty {
            return APIError(
                404, "no-such-member", "\"\(text)\" is out of the space, and names are those of members",
                hint: "name it by its device id: " + former.map(\.device.text).joined(separator: ", or "),
                details: details)
        }
        let others = more > 0 ? " and \(more) more" : ""
        return APIError(
            404, "no-such-member", "no member \"\(text)\"\(mistake(in: text))",
            hint: known.isEmpty
                ? "there are no members; see /v1/spaces"
                : "members: " + known.map(\.description).joined(separator: ", ") + others
                    + "; give a name, a device id, or its first 7 letters",
            details: details)
    }

    /// Of a request that names a member.
    static func member(_ error: NodeError) -> APIError {
        switch error {
        case .noSuchMember(let text, let known, let more, let former):
            return absent(text, known: known, more: more, former: former)
        case .ambiguousMember(let text, let candidates):
            return APIError(
                409, "ambiguous-member",
                "\"\(text)\" may be "
                    + candidates.map { "\($0.name.isEmpty ? "a device" : $0.name) \($0.device.text)" }
                    .joined(separator: ", or "),
                hint: "give the device id, or more of its first letters",
                details: [.init("candidates", list(candidates))])
        case .notMember(let name):
            return APIError(
                403, "not-member", "this device is no member of space \"\(name)\"",
                hint: "what is here can be read and exported; to write, leave it with force and join it "
                    + "again with an invite")
        case .removed(let space, let by, let at):
            return APIError(
                403, "removed", "this device was removed from space \"\(space)\" by \(by)",
                hint:
                    "what is here can be read and exported, and is kept; to write again, join with a new "
                    + "invite of an admin",
                details: [.init("by", .object(members(of: by))), .init("atMs", .scalar(.integer(Int64(at))))])
        case .sameRole(let member, let role):
            return APIError(
                409, "same-role", "\(member) is \(role.name) of this space already",
                hint: "give another role: relay, reader, writer or admin")
        case .lastAdmin(let space):
            return APIError(
                409, "last-admin", "this is the only admin of space \"\(space)\"",
                hint: "make another member admin first: replctl space role \(space) MEMBER admin")
        case .olderVersion(let space, let older, let more, let feature):
            return olderVersion(of: older, and: more, in: space, lacking: feature)
        case .ownDevice:
            return APIError(
                409, "own-device", "this is the device that was asked", hint: "name another; see /v1/peers")
        case .notLinked(let peer, let whyNot):
            return APIError(
                409, "not-linked", "there is no link to \(peer): \(whyNot)",
                hint: "see /v1/peers for each of its addresses and what came of it",
                details: [.init("device", .object(members(of: peer)))])
        case .noAnswer(let peer, let address, let milliseconds):
            return APIError(
                504, "no-answer",
                "\(peer) gave no sign of life at \(address) within \(milliseconds) ms, or its link ended",
                hint: "it may be asleep or cut off; see /v1/peers",
                details: [.init("device", .object(members(of: peer)))])
        default: preconditionFailure("\(error) is about no member")
        }
    }

    private static func olderVersion(
        of older: [NamedDevice], and more: Int, in space: String, lacking feature: NewerFeature
    ) -> APIError {
        let names = older.map(\.description).joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
        let (what, hint) =
            switch feature {
            case .removals:
                (
                    "removals and new keys",
                    "upgrade them first; they tell it by themselves when they are met, and an earlier "
                        + "program breaks off its links with whoever knows of a removal. force=true "
                        + "(--force) does not wait, for boxes that never come back"
                )
            case .checkpoints:
                (
                    "checkpoints",
                    "upgrade them first, absent ones too; they tell it by themselves when they are met. "
                        + "Remove those that never come back"
                )
            }
        return APIError(
            409, "older-version",
            "not known to run a version that knows of \(what): \(names), of space \"\(space)\"", hint: hint,
            details: [.init("members", list(older))])
    }

    /// Why a text that looks like a device ID is none.
    private static func mistake(in text: String) -> String {
        do throws(DeviceIDFault) {
            _ = try DeviceID(text: text)
            return ""
        } catch {
            switch error {
            case .mistyped: return ": \(error.message)"
            case .length(let count) where count > DeviceID.textLetters: return ": \(error.message)"
            case .length, .character: return ""
            }
        }
    }

    private static func list(_ devices: [NamedDevice]) -> PlainValue {
        .array(devices.map { .object(members(of: $0)) })
    }

    private static func members(of device: NamedDevice) -> [PlainValue.Member] {
        [
            .init("device", .scalar(.string(Key(device.device.text)))),
            .init("name", .scalar(.string(Key(device.name)))),
        ]
    }
}
