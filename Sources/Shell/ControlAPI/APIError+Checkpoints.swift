// Refusals about checkpoints: why none is proposed, and that something was forgotten or is not here yet.

import Bytes
import Identity
import JSON
import Node

extension APIError {
    /// Of a request about checkpoints, or of what they let go.
    static func checkpoint(_ error: NodeError) -> APIError {
        switch error {
        case .nothingNew(let space):
            APIError(
                409, "nothing-new",
                "nothing was written in space \"\(space)\" that its newest checkpoint does not hold",
                hint: "there is nothing to do: GET /v1/spaces/\(space)/checkpoints shows it")
        case .noMajority(let space):
            APIError(
                409, "no-majority",
                "without the absent ones, too few members of space \"\(space)\" are left to acknowledge",
                hint: "more than half of the members of the checkpoint before must; name fewer absent, or "
                    + "remove those that are gone for good")
        case .checkpointOpen(let author):
            APIError(
                409, "checkpoint-open", "\(author) proposed a checkpoint that is being acknowledged",
                hint: "wait for it; its author may replace it by one that names other members absent",
                details: [.init("by", device(author))])
        case .cannotCompute(let space, let failure):
            APIError(
                409, "cannot-compute",
                "this device does not execute all that a checkpoint of space \"\(space)\" would hold: "
                    + words(of: failure),
                hint: "propose it at another admin's device, or mend this one: replctl doctor says how")
        case .restored(let space):
            APIError(
                409, "restored",
                "this device was put back to an older state, and does not know what it proposed in space "
                    + "\"\(space)\" since",
                hint: "wait until it is in sync with a member once; remove members that are gone for good")
        case .seeding(percent: nil):
            APIError(
                409, "seeding",
                "this device is new in the space, and was not level with a member of it yet",
                hint: "wait: status says how far it came; then write again")
        case .seeding(let percent?):
            APIError(
                503, "seeding", "the documents of the space are on their way: \(percent) % are here",
                hint: "wait: nothing is shown before all of it is here; status says how far it came",
                details: [.init("percent", .scalar(.integer(Int64(percent))))])
        case .collected(let since):
            APIError(
                410, "collected", "the log does not go back so far: what was before was forgotten",
                hint:
                    "begin at `since`, or without a start; a node with retain-history = \"all\" may have it",
                details: [.init("since", .scalar(.string(Key(since))))])
        default: preconditionFailure("\(error) is about no checkpoint")
        }
    }

    private static func words(of failure: BaseFailure) -> String {
        switch failure {
        case .skipped(let change):
            "change \(change) is held and not executed, since it is of a newer version or was set aside"
        case .unreadable(let key?): "document \"\(key)\" cannot be read"
        case .unreadable(nil): "what is stored of it cannot be read"
        }
    }

    private static func device(_ device: NamedDevice) -> PlainValue {
        .object([
            .init("device", .scalar(.string(Key(device.device.text)))),
            .init("name", .scalar(.string(Key(device.name)))),
        ])
    }
}
