// The head of a request as a browser sent it: text of a stranger until the gate has looked at it.

/// Method, target and headers of one request.
struct ConsoleRequest: Sendable {
    let method: String
    /// Path and query, as they came.
    let target: String
    let headers: [(name: String, value: String)]

    /// All values of a header, whatever the case of its name.
    func values(_ name: String) -> [String] {
        headers.filter { $0.name.lowercased() == name }.map(\.value)
    }

    /// The value of a header that stands there once.
    func value(_ name: String) -> String? {
        let values = values(name)
        return values.count == 1 ? values[0] : nil
    }

    /// The path without the query, and the query without its mark.
    var path: Substring { target.prefix { $0 != "?" } }
    var query: Substring { target.dropFirst(path.count + 1) }

    /// The value of a parameter of the query, not decoded: ours are letters and digits.
    func parameter(_ name: String) -> Substring? {
        query.split(separator: "&").first { $0.hasPrefix(name + "=") }?.dropFirst(name.count + 1)
    }

    /// The value of a cookie. A browser sends all of a path in one header.
    func cookie(_ name: String) -> Substring? {
        for header in values("cookie") {
            for pair in header.split(separator: ";") {
                let pair = pair.drop { $0 == " " }
                if pair.hasPrefix(name + "=") { return pair.dropFirst(name.count + 1) }
            }
        }
        return nil
    }

    var declaresBody: Bool {
        !values("transfer-encoding").isEmpty || values("content-length").contains { $0 != "0" }
    }
}
