// Faults of peers in a person's words. They are closed enums whose cases say what is wrong, in the language
// they are written in: `sequenceGap(expected: 3)` becomes "sequence gap, expected 3".

/// The name of a fault's case and its numbers, without the marks of the language.
struct FaultWords: CustomStringConvertible {
    let description: String

    init(_ fault: some Error) { self.init(text: "\(fault)") }

    init(text: String) {
        var words = ""
        var previous: Unicode.Scalar = " "
        for scalar in text.replacing(": ", with: " ").unicodeScalars {
            switch scalar {
            case "(": words += ", "
            case ")", "\"": break
            case "A"..."Z" where ("a"..."z").contains(previous):
                words += " " + String(scalar).lowercased()
            default: words.unicodeScalars.append(scalar)
            }
            previous = scalar
        }
        description = words
    }
}
