// VALUE: JSON, or a string when it is not. The reader is the daemon's own, so what counts as JSON here counts
// there. A number that no document can hold is an error and not a string: nobody means that.

import Bytes
import JSON

enum ValueText {
    /// `isGuess`: it looks like JSON that went wrong, and is taken as a string.
    static func read(_ text: String) throws(CommandFailure) -> (value: PlainValue, isGuess: Bool) {
        do throws(JSONFault) {
            return (try JSONReader.read(Array(text.utf8)), false)
        } catch {
            if case .numberOutOfRange = error.reason {
                throw CommandFailure(
                    .badInput, "VALUE: \(error.message)",
                    hint: "integers have 64 bits; write it in quotes to store it as a string: '\"\(text)\"'")
            }
            let first = text.utf8.first
            let isGuess =
                first == UInt8(ascii: "{") || first == UInt8(ascii: "[") || first == UInt8(ascii: "\"")
            return (.scalar(.string(Key(text))), isGuess)
        }
    }

    /// The same, from a file or standard input when an @ says so, and a word on standard error about a string
    /// that was perhaps meant as JSON.
    static func read(_ text: String, _ console: Console) throws -> PlainValue {
        if let value = try ValueSource.read(text, console) { return value }
        let (value, isGuess) = try read(text)
        if isGuess {
            console.complain("note: this is no JSON and was taken as a string: \(console.safe(text))")
        }
        return value
    }

    /// Values after options: what looks like an option but is none is a value only when it is a number.
    static func values(_ texts: [String], _ console: Console) throws -> [PlainValue] {
        var values: [PlainValue] = []
        for text in try positional(texts) { values.append(try read(text, console)) }
        return values
    }

    /// Arguments that the parser did not recognise: negative numbers are values, other dashes are slips, and
    /// behind `--` all are values.
    static func positional(_ texts: [String]) throws(CommandFailure) -> [String] {
        let end = texts.firstIndex(of: "--") ?? texts.endIndex
        for text in texts[..<end] where text.utf8.first == UInt8(ascii: "-") {
            let next = text.utf8.dropFirst().first ?? 0
            guard (0x30...0x39).contains(next) || text == "-" else {
                throw CommandFailure(
                    .badInput, "unknown option \(text)",
                    hint: "write -- before values that begin with -: -- \(text)")
            }
        }
        return Array(texts[..<end] + texts[end...].dropFirst())
    }

    /// An index as people count: from 0, or from the end with a minus.
    static func index(_ text: String?, _ name: String) throws(CommandFailure) -> Int64 {
        guard let text else {
            throw CommandFailure(.badInput, "\(name) is missing", hint: "see: replctl help")
        }
        guard let index = Int64(text) else {
            throw CommandFailure(
                .badInput, "\(name): \"\(text)\" is no integer",
                hint: "0 is the first, -1 counts from the end")
        }
        return index
    }
}
