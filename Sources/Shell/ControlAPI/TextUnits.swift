// In what a request counts characters of a text: Unicode scalars, as the core does, or UTF-16 units, as the
// strings of JavaScript, Java and C# do.

import Bytes

/// The value of `units`.
public enum TextUnits: String, Sendable {
    case scalars
    case utf16

    init(_ name: Key?) throws(APIError) {
        guard let name else {
            self = .scalars
            return
        }
        guard let known = TextUnits(rawValue: name.string) else {
            throw APIError(
                422, "unknown-units", "no units \"\(name)\"", hint: "use scalars or utf16")
        }
        self = known
    }
}
