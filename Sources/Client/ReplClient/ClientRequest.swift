// A request as a program writes it: the words of API.md, unencoded. Encoding is done here once, because a
// document's key may hold any byte, `/`, `?` and `%` among them.

import Bytes

/// One request of the control API.
public struct ClientRequest: Sendable {
    public let method: String
    /// Path and query, encoded.
    public let target: String
    public var headers: [(name: String, value: String)] = []
    public var body: [UInt8]?
    /// How long the answer may take to begin; nil for as long as it takes. A stream that has begun is not
    /// bounded.
    public var timeoutSeconds: Int64?

    /// `path` gives the segments after `/v1`, unencoded; only the last, a document's key, keeps its slashes.
    /// Parameters that are nil are left out.
    public init(
        _ method: String, _ path: [String], query: [(name: String, value: String?)] = [],
        body: [UInt8]? = nil, timeoutSeconds: Int64? = ClientRequest.timeoutSecondsDefault
    ) {
        self.method = method
        var target = "/v1"
        for (index, segment) in path.enumerated() {
            // A slash in a space's name must not become a path of its own.
            let isKey = index == 3 && path[2] == "documents"
            target += "/" + Self.encode(segment, keepingSlashes: isKey)
        }
        var mark = "?"
        for case (let name, let value?) in query {
            target += mark + name + "=" + Self.encode(value, keepingSlashes: false)
            mark = "&"
        }
        self.target = target
        self.body = body
        self.timeoutSeconds = timeoutSeconds
    }

    /// For whoever passes a request on: path and query are encoded already, and go as they came.
    public init(_ method: String, target: String, body: [UInt8]? = nil) {
        self.method = method
        self.target = target
        self.body = body
        timeoutSeconds = ClientRequest.timeoutSecondsDefault
    }

    /// A daemon whose disk is busy takes seconds for a commit; one that is silent for two minutes is stuck.
    /// Who knows that the machine is slower than that says so for a task.
    @TaskLocal public static var timeoutSecondsDefault: Int64 = 120
    /// A year: what is longer is no wait, and would not fit a clock of nanoseconds.
    static let timeoutSecondsMax: Int64 = 31_536_000

    /// For a request that the daemon itself answers after up to this long.
    public static func timeoutSeconds(waiting seconds: Int64) -> Int64 {
        timeoutSecondsDefault + min(max(0, seconds), timeoutSecondsMax)
    }

    /// Percent-encodes all but the unreserved characters of RFC 3986, and `:`, which paths of the API
    /// contain.
    static func encode(_ text: String, keepingSlashes: Bool) -> String {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E, 0x3A: encoded.append(byte)
            case UInt8(ascii: "/") where keepingSlashes: encoded.append(byte)
            default: encoded.append(contentsOf: ("%" + Hex.encode([byte])).utf8)
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }
}
