// Refusals about bundles: why there is none to write, and why one is not taken, with the byte.

import Bytes
import JSON
public import Node
public import Wire

extension APIError {
    init(_ refusal: BundleRefusal) {
        switch refusal {
        case .nothingNew(let space):
            self.init(
                409, "nothing-new", "whom the bundle is for holds all that this node has of \"\(space)\"",
                hint: "there is nothing to carry")
        case .noCheckpoint(let space):
            self.init(
                409, "no-checkpoint", "no checkpoint of \"\(space)\" stands, so it has no base",
                hint: "leave out base for the whole log, or propose one: POST …/checkpoints")
        case .foreign(let space):
            self.init(
                403, "foreign-bundle", "the bundle is of space \(space), which is not the one named here",
                hint: "see GET /v1/spaces for the ids of the spaces of this device")
        case .sealedForOthers(let space, let members):
            self.init(
                403, "bundle-not-for-us",
                "the bundle was sealed for \(members) members of \"\(space)\"; this device is none of them",
                hint: "have it written again by a member that knows this device")
        }
    }

    /// A bundle is wrong from this byte on. What stands before it was taken.
    static func badBundle(at offset: UInt64, _ words: String) -> APIError {
        APIError(
            422, "bad-bundle", "the bundle cannot be read at byte \(offset): \(words)",
            hint: "what stands before that byte was taken and is kept; copy the file again, or have it "
                + "written again",
            details: [.init("position", .scalar(.integer(Int64(clamping: offset))))])
    }

    public init(_ fault: BundleFault) {
        self = .badBundle(at: fault.offset, fault.reason.words)
    }

    /// How the taking of a bundle ended before its end.
    public init(_ stop: BundleStop) {
        switch stop {
        case .bad(let offset, let words): self = .badBundle(at: offset, words)
        case .refused(let error): self.init(error)
        }
    }
}

extension BundleFault.Reason {
    fileprivate var words: String {
        switch self {
        case .notBundle: "no bundle begins so"
        case .version(let version): "it is of version \(version), which this repld does not know"
        case .malformed(let fault): FaultWords(fault).description
        case .notAuthentic: "the record was changed, or stands where another one should"
        case .endsEarly(let lacking): "it ends there, and lacks \(lacking) bytes or more"
        case .goesOn: "something follows its end"
        case .countDiffers: "it holds another number of records than its end says"
        }
    }
}
