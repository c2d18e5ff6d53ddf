// What nodes say to people: the lines of their logs, with the reasons that peers gave for their CLOSE. People
// read words, not values in the notation of the language that nodes are written in.

extension Trial {
    func checkWords() throws(Violation) {
        for index in members.indices {
            guard let line = world.nodes[index].log.first(where: DumpedValue.isIn) else { continue }
            throw Violation(.words, "node \(index) logs: \(line)")
        }
    }
}

/// A value as Swift prints it: `DeviceID(publicKey: [1, 2])`, `Optional(3)`, `sequenceGap(expected: 3)`.
public enum DumpedValue {
    /// True where a name, a parenthesis and a label or another value stand without a blank between them, as
    /// in no sentence.
    public static func isIn(_ line: String) -> Bool {
        let bytes = Array(line.utf8)
        return bytes.indices.contains { place in
            guard bytes[place] == UInt8(ascii: "("), place > 0, isOfName(bytes[place - 1]) else {
                return false
            }
            if bytes[..<place].suffix(8).elementsEqual("Optional".utf8) { return true }
            let label = bytes[(place + 1)...].prefix(while: isOfName)
            return !label.isEmpty && bytes[label.endIndex...].starts(with: ": ".utf8)
        }
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
