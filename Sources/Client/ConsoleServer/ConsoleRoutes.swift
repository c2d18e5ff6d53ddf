// The calls of the control API that the page makes, in the words of the daemon's own table (a test compares
// them). What is not here is not passed on: the page needs no backup, import or reload, and whoever takes the
// page over gets none.

/// One call that is passed on.
struct ConsoleRoute: Equatable, Sendable {
    let method: String
    /// As the API writes it: `{name}` is a part of the path, `{name…}` all that is left of it.
    let path: String
    /// A body of JSON comes with it.
    let hasBody: Bool

    private init(_ method: String, _ path: String, hasBody: Bool = false) {
        (self.method, self.path, self.hasBody) = (method, path, hasBody)
    }

    static let all = [
        ConsoleRoute("GET", "/v1/status"),
        ConsoleRoute("GET", "/v1/peers"),
        ConsoleRoute("POST", "/v1/peers/{member}:ping"),
        ConsoleRoute("GET", "/v1/metrics"),
        ConsoleRoute("GET", "/v1/spaces"),
        ConsoleRoute("POST", "/v1/spaces", hasBody: true),
        ConsoleRoute("GET", "/v1/spaces/{space}"),
        ConsoleRoute("DELETE", "/v1/spaces/{space}"),
        ConsoleRoute("POST", "/v1/join", hasBody: true),
        ConsoleRoute("GET", "/v1/spaces/{space}/members"),
        ConsoleRoute("DELETE", "/v1/spaces/{space}/members/{member}"),
        ConsoleRoute("PATCH", "/v1/spaces/{space}/members/{member}", hasBody: true),
        ConsoleRoute("GET", "/v1/spaces/{space}/invites"),
        ConsoleRoute("POST", "/v1/spaces/{space}/invites", hasBody: true),
        ConsoleRoute("DELETE", "/v1/spaces/{space}/invites/{id}"),
        ConsoleRoute("GET", "/v1/spaces/{space}/keys"),
        ConsoleRoute("POST", "/v1/spaces/{space}/keys"),
        ConsoleRoute("GET", "/v1/spaces/{space}/forks"),
        ConsoleRoute("GET", "/v1/spaces/{space}/quarantine"),
        ConsoleRoute("GET", "/v1/spaces/{space}/void"),
        ConsoleRoute("POST", "/v1/spaces/{space}/void:adopt", hasBody: true),
        ConsoleRoute("GET", "/v1/spaces/{space}/documents"),
        ConsoleRoute("GET", "/v1/spaces/{space}/documents/{key…}"),
        ConsoleRoute("POST", "/v1/spaces/{space}/transactions", hasBody: true),
        ConsoleRoute("GET", "/v1/spaces/{space}/conflicts"),
        ConsoleRoute("POST", "/v1/spaces/{space}/conflicts:resolve", hasBody: true),
        ConsoleRoute("GET", "/v1/spaces/{space}/changes"),
        ConsoleRoute("GET", "/v1/spaces/{space}/log"),
        ConsoleRoute("GET", "/v1/spaces/{space}/explain"),
        ConsoleRoute("GET", "/v1/spaces/{space}/export"),
    ]

    /// The call that this is; nil when it is none of them. `path` is as it came, still encoded: an encoded
    /// slash is no slash, so nothing encoded reaches another call than the one that it is looked up as.
    static func find(method: String, path: some StringProtocol) -> ConsoleRoute? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        return all.first { $0.method == method && $0.fits(parts) }
    }

    private func fits(_ parts: [some StringProtocol]) -> Bool {
        let pattern = path.split(separator: "/", omittingEmptySubsequences: false)
        for (index, word) in pattern.enumerated() {
            guard index < parts.count else { return false }
            if word.hasSuffix("…}") { return !parts[index].isEmpty || parts.count > index + 1 }
            if let end = word.firstIndex(of: "}"), word.hasPrefix("{") {
                let verb = word[word.index(after: end)...]
                let name = parts[index].dropLast(verb.count)
                guard !name.isEmpty, parts[index].hasSuffix(verb) else { return false }
            } else if word != parts[index] {
                return false
            }
        }
        return parts.count == pattern.count
    }
}
