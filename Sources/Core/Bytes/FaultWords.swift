// Faults of peers in a person's words. They are closed enums whose cases say what is wrong, in the language
// they are written in: `sequenceGap(expected: 3)` becomes "sequence gap, expected 3". They stand in logs, and
// in the CLOSE that a peer reads.

/// The name of a fault's case and what it carries, without the marks of the language and the names of types.
public struct FaultWords: CustomStringConvertible, Sendable {
    public let description: String

    public init(_ fault: some Error) {
        description = isPlanted("faults-dumped") ? "\(fault)" : Self.words(of: fault)
    }

    private static func words(of value: Any) -> String {
        if let shown = value as? any CustomStringConvertible, !(value is any Error) {
            return shown.description
        }
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional:
            return mirror.children.first.map { words(of: $0.value) } ?? "none"
        case .enum:
            guard let payload = mirror.children.first else { return spaced("\(value)") }
            let carried = payload.label.map { (spaced($0), parts(of: payload.value)) }
            return carried.map { ([$0.0] + $0.1).joined(separator: ", ") } ?? spaced("\(value)")
        case .struct where mirror.children.count == 1:
            return mirror.children.first.map { words(of: $0.value) } ?? ""
        default:
            return parts(of: value).joined(separator: ", ")
        }
    }

    /// What a case carries: one value, or several of which some have labels. A single value with a label
    /// comes as a tuple of one, which a mirror shows under the label.
    private static func parts(of payload: Any) -> [String] {
        let mirror = Mirror(reflecting: payload)
        guard mirror.displayStyle == .tuple || mirror.displayStyle == .struct && mirror.children.count > 1
        else { return [words(of: payload)] }
        return mirror.children.map { child in
            guard let label = child.label, !label.hasPrefix(".") else { return words(of: child.value) }
            return spaced(label) + " " + words(of: child.value)
        }
    }

    /// `sequenceGap` as "sequence gap", `invalidUTF8` as "invalid UTF8".
    private static func spaced(_ name: String) -> String {
        let scalars = Array(name.unicodeScalars)
        var words = ""
        for (place, scalar) in scalars.enumerated() {
            guard isCapital(scalar), place > 0, !isCapital(scalars[place - 1]) else {
                words.unicodeScalars.append(scalar)
                continue
            }
            let isAcronym = place + 1 < scalars.count && isCapital(scalars[place + 1])
            words += " " + (isAcronym ? String(scalar) : String(scalar).lowercased())
        }
        return words
    }

    private static func isCapital(_ scalar: Unicode.Scalar) -> Bool { ("A"..."Z").contains(scalar) }
}
