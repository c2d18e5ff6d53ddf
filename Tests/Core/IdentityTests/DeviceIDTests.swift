import Bytes
import Causality
import Crypto
import Identity
import Testing

@Suite struct DeviceIDTests {
    private let device = DeviceID(publicKey: Bytes32((0..<32).map { UInt8($0 * 7) }))

    @Test("a device ID is 8 groups of 7 letters and reads back")
    func text() throws {
        let groups = device.text.split(separator: "-")
        #expect(groups.count == 8 && groups.allSatisfy { $0.utf8.count == 7 })
        #expect(device.text.utf8.allSatisfy { (65...90).contains($0) || (50...55).contains($0) || $0 == 45 })
        #expect(try DeviceID(text: device.text) == device)
        for seed in 0..<50 as Range<UInt8> {
            let key = SigningKey(seed: Secret(copying: [UInt8](repeating: seed, count: 32))).publicKey
            #expect(try DeviceID(text: DeviceID(publicKey: key).text).publicKey == key)
        }
    }

    @Test("case, spaces, missing dashes and the digits 0, 1 and 8 are forgiven")
    func forgiving() throws {
        let text = device.text
        #expect(try DeviceID(text: text.lowercased()) == device)
        #expect(try DeviceID(text: String(text.filter { $0 != "-" })) == device)
        #expect(try DeviceID(text: " " + String(text.map { $0 == "-" ? " " : $0 }) + "\n") == device)
        let digits = String(text.map { ["O": "0", "I": "1", "B": "8"][$0] ?? $0 })
        #expect(digits != text)
        #expect(try DeviceID(text: digits) == device)
    }

    @Test("what is wrong is named")
    func faults() {
        let text = device.text
        #expect(throws: DeviceIDFault.length(0)) { try DeviceID(text: "") }
        #expect(throws: DeviceIDFault.length(55)) { try DeviceID(text: String(text.dropLast())) }
        #expect(throws: DeviceIDFault.length(57)) { try DeviceID(text: text + "A") }
        #expect(throws: DeviceIDFault.character(position: 3)) {
            try DeviceID(text: "AB9" + text.dropFirst(3))
        }
        #expect(throws: DeviceIDFault.character(position: 1)) { try DeviceID(text: "ß" + text.dropFirst()) }
        var letters = Array(text)
        letters.swapAt(1, 4)
        #expect(letters[1] != letters[4])
        #expect(throws: DeviceIDFault.mistyped) { try DeviceID(text: String(letters)) }
    }

    @Test("every single wrong letter is noticed")
    func everyLetter() {
        let letters = Array(device.text)
        for index in letters.indices where letters[index] != "-" {
            var wrong = letters
            wrong[index] = letters[index] == "A" ? "C" : "A"
            #expect(throws: DeviceIDFault.mistyped, "letter \(index)") { try DeviceID(text: String(wrong)) }
        }
    }
}
