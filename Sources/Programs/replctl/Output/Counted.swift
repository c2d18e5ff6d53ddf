// Numbers with what they count, as people say them.

enum Counted {
    /// "1 change", "2 changes".
    static func text(_ count: Int64, _ noun: String, plural: String? = nil) -> String {
        "\(count) \(count == 1 ? noun : plural ?? noun + "s")"
    }

    static func text(_ count: Int, _ noun: String, plural: String? = nil) -> String {
        text(Int64(count), noun, plural: plural)
    }

    /// A length of time, rounded down: "40 s", "12 min", "5 h", "3 d".
    static func span(seconds: Int64) -> String {
        switch max(0, seconds) {
        case 0..<120: "\(max(0, seconds)) s"
        case 120..<7_200: "\(seconds / 60) min"
        case 7_200..<172_800: "\(seconds / 3_600) h"
        default: "\(seconds / 86_400) d"
        }
    }

    static func span(milliseconds: Int64) -> String { span(seconds: milliseconds / 1_000) }
}
