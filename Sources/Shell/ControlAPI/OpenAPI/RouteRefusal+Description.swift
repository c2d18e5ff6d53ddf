// What the document says of each refusal: its name among the components, its causes, and one of them as an
// example.

import Bytes
import Causality
import Documents
import Node
import Wire

extension RouteRefusal {
    /// The name of the shared response.
    var component: String {
        switch self {
        case .malformed: "Malformed"
        case .noRight: "NoRight"
        case .absent: "Absent"
        case .timedOut: "RanOut"
        case .conflict: "Conflict"
        case .gone: "Gone"
        case .conditionFailed: "ConditionFailed"
        case .overLimit: "OverLimit"
        case .contentType: "ContentType"
        case .wrong: "Wrong"
        case .tooMany: "TooMany"
        case .failed: "Failed"
        case .unavailable: "Unavailable"
        case .unanswered: "Unanswered"
        case .diskFull: "DiskFull"
        }
    }

    var description: String {
        switch self {
        case .malformed:
            "Malformed: no JSON, invalid UTF-8, duplicate members, lone surrogates, depth, empty operations, "
                + "encoding, parameters."
        case .noRight: "No right: the role in the space, an Origin header, or the caller's credentials."
        case .absent: "No such thing."
        case .timedOut: "A wait ran out."
        case .conflict:
            "In conflict with what is there: `wrong-kind`, `name-taken`, `incomplete`, `already-member`, "
                + "`ambiguous-member`, `not-linked`, `index-exists`, `checkpoint-open`; a write of a "
                + "newcomer that was not level with a member yet (`seeding`)."
        case .gone:
            "A spent, expired, revoked or burned invite; a cursor of a listing that was given up; what was "
                + "forgotten of the log (`collected`, with `since`)."
        case .conditionFailed: "A condition failed; nothing was written."
        case .overLimit: "Over a limit."
        case .contentType: "A body of another content type."
        case .wrong: "Well-formed but wrong."
        case .tooMany: "Too many of something."
        case .failed: "The store failed."
        case .unavailable:
            "Stopping, nobody reached, no thread to be had, or documents that are on their way (`seeding`, "
                + "with `percent`)."
        case .unanswered: "A linked peer gave no sign of life."
        case .diskFull:
            "The disk is full or at its floor, or the commit failed; nothing was written. A read too, when "
                + "it was in the batch."
        }
    }

    /// An error with this status, as it is answered.
    var example: APIError {
        switch self {
        case .malformed: .badEncoding("path")
        case .noRight: APIError(.noRight(have: .reader, need: .writer))
        case .absent: APIError(.noSuchSpace("household"))
        case .timedOut: APIError(.timedOut)
        case .conflict: APIError(.nameTaken("household"))
        case .gone: APIError(.inviteExpired(at: 1_795_382_768, now: 1_795_469_168))
        case .conditionFailed: APIError(.conditionFailed(index: 0))
        case .overLimit: .headTooLarge()
        case .contentType: .unsupportedType()
        case .wrong: APIError(AuthorError.indexPastEnd(index: 9, count: 3))
        case .tooMany: APIError(.tooMany(what: "watchers", limit: 64))
        case .failed:
            APIError(
                .storeFailed(
                    StoreFailure.failed(
                        FailedStep(
                            doing: "reading", path: "/var/lib/repld/repld.db",
                            answer: .system(code: 5, words: "Input/output error")))))
        case .unavailable: APIError(.stopping)
        case .unanswered:
            APIError(
                .noAnswer(
                    NamedDevice(DeviceID(publicKey: .zero), "attic"), address: "192.0.2.7:21420",
                    milliseconds: 5_000))
        case .diskFull: APIError(.storeFull(.floor(freeBytes: 12 << 20, floorBytes: 64 << 20)))
        }
    }
}
