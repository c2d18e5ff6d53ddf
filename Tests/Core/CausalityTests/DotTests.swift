// The text of a dot: change ids, element ids and versions of the API are made of it.

import Bytes
import Causality
import Testing

@Suite struct DotTests {
    private let dot = Dot(ReplicaID(raw: Bytes16(high: 0xABCD_EF01_2345_6789, low: 7)), SequenceNumber(42))

    @Test("a dot reads back from its text, and from no other text of the same numbers")
    func text() {
        #expect(Dot(dot.description) == dot)
        let others = [
            dot.description.uppercased(), dot.description.replacing(":42", with: ":042"),
            dot.description + " ",
            dot.description.replacing(":42", with: ":0"), dot.description.replacing(":42", with: ":-1"),
            String(dot.description.dropFirst()), dot.description.replacing(":", with: ""), "",
        ]
        for other in others { #expect(Dot(other) == nil, "\(other)") }
    }
}
