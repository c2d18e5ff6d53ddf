// Prometheus text exposition 0.0.4: families of samples, each family once with its help and its kind.

/// What `GET /v1/metrics` answers, as it grows.
struct MetricsText {
    enum Kind: String {
        case counter
        case gauge
    }

    /// One value of a family; what is not known has none.
    struct Sample {
        let labels: [(name: String, value: String)]
        let value: String

        init(_ value: UInt64, _ labels: [(name: String, value: String)] = []) {
            self.value = "\(value)"
            self.labels = labels
        }

        /// Milliseconds in seconds, the unit of Prometheus.
        init(milliseconds: Int64, _ labels: [(name: String, value: String)] = []) {
            let (seconds, rest) = milliseconds.magnitude.quotientAndRemainder(dividingBy: 1_000)
            let digits = String(rest)
            value =
                (milliseconds < 0 ? "-" : "") + "\(seconds)."
                + String(repeating: "0", count: 3 - digits.count) + digits
            self.labels = labels
        }
    }

    private(set) var text = ""

    /// A family without samples is left out: nothing is known of it.
    mutating func family(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
        if samples.isEmpty { return }
        text += "# HELP repl_\(name) \(help)\n# TYPE repl_\(name) \(kind.rawValue)\n"
        for sample in samples {
            let labels = sample.labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }
            text +=
                "repl_\(name)\(labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}") \(sample.value)\n"
        }
    }

    mutating func counter(_ name: String, _ help: String, _ value: UInt64) {
        family(name, .counter, help, [Sample(value)])
    }

    mutating func gauge(_ name: String, _ help: String, _ value: UInt64) {
        family(name, .gauge, help, [Sample(value)])
    }

    /// Names are other people's text.
    private static func escaped(_ value: String) -> String {
        var result = ""
        for character in value.unicodeScalars {
            switch character {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }
}
