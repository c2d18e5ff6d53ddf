// Every refusal of the control API has one form, also where the HTTP parser refuses: a status, a code that
// programs compare, a message that says what happened, a hint that says what to do (API.md, "Status and
// errors").

import Bytes
public import JSON

/// A refusal of a request. Nothing was written.
public struct APIError: Error, Equatable, Sendable {
    /// An HTTP status of API.md.
    public let status: Int
    /// kebab-case, stable.
    public let code: String
    /// What happened.
    public let message: String
    /// What to do.
    public let hint: String
    /// Methods that the path does take: the `Allow` header of a 405. Empty otherwise.
    public let allow: [String]
    /// What a program may want to read of it: further members of the error object, in their order. Their
    /// names are never `code`, `message` or `hint`.
    public let details: [PlainValue.Member]

    public init(
        _ status: Int, _ code: String, _ message: String, hint: String, allow: [String] = [],
        details: [PlainValue.Member] = []
    ) {
        self.status = status
        self.code = code
        self.message = message
        self.hint = hint
        self.allow = allow
        self.details = details
    }

    /// `{"error":{"code","message","hint",…}}`
    public var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { $0.error(self) }
        return writer.bytes
    }

    /// The same error with the place it is about before its message.
    func at(_ place: String) -> APIError {
        APIError(status, code, "\(place): \(message)", hint: hint, allow: allow, details: details)
    }
}

extension JSONWriter {
    /// The member `error`.
    mutating func error(_ error: APIError) {
        name("error")
        object {
            $0.member("code", error.code)
            $0.member("message", error.message)
            $0.member("hint", error.hint)
            for detail in error.details {
                $0.name(detail.key.string)
                $0.plain(detail.value)
            }
        }
    }
}

extension APIError {
    /// 400 for what is no JSON, 422 for a number that no document can hold.
    public init(_ fault: JSONFault) {
        switch fault.reason {
        case .numberOutOfRange:
            self.init(
                422, "number-out-of-range", fault.message,
                hint: "integers must fit 64 bits signed, other numbers binary64; send larger ones as strings")
        case .invalidUTF8:
            self.init(400, "invalid-utf8", fault.message, hint: "send UTF-8")
        case .duplicateMember:
            self.init(400, "duplicate-member", fault.message, hint: "name each member once")
        case .loneSurrogate:
            self.init(
                400, "lone-surrogate", fault.message, hint: "write both halves of the pair, or the UTF-8")
        case .depth(let limit):
            self.init(400, "too-deep", fault.message, hint: "nest at most \(limit) levels")
        default:
            self.init(400, "malformed-json", fault.message, hint: "send one JSON value (RFC 8259)")
        }
    }

    /// What the HTTP parser refuses; `reason` is its own word for it.
    public static func malformedHTTP(_ reason: String) -> APIError {
        APIError(
            400, "malformed-http", "this is no HTTP/1.1 request: \(reason)", hint: "use an HTTP/1.1 client")
    }

    public static func headTooLarge() -> APIError {
        APIError(
            413, "head-too-large", "the request line and headers are over the limit",
            hint: "send fewer headers")
    }

    public static func bodyTooLarge(limit: Int) -> APIError {
        APIError(
            413, "body-too-large", "the request body is over \(limit) bytes",
            hint: "split it, or send it through transactions:stream or import")
    }

    /// A line of a stream that is longer than a body may be.
    public static func lineTooLong(limit: Int) -> APIError {
        APIError(413, "line-too-long", "the line is over \(limit) bytes", hint: "split the transaction")
    }

    /// The same of an import, whose line is a whole document.
    public static func importLineTooLong(limit: Int) -> APIError {
        APIError(
            413, "line-too-long", "the line is over \(limit) bytes",
            hint:
                "restore a backup to take the document over whole, or leave the line out and import the rest")
    }

    public static func callerRefused() -> APIError {
        APIError(
            403, "no-credentials",
            "only root, the daemon's own user and members of its group may use this socket",
            hint: "run as such a user: sudo usermod -aG repld \"$USER\", then log in again")
    }

    public static func tooManyConnections(limit: Int) -> APIError {
        APIError(
            503, "too-many-connections", "more than \(limit) connections are open",
            hint: "close some, or use one for several requests")
    }
}
