// Which device a program means by a name, an ID or the beginning of one.

import Bytes
import Causality
import Identity
import Testing

@testable import Node

private func device(_ number: UInt8) -> DeviceID {
    DeviceID(publicKey: Bytes32([UInt8](repeating: number, count: 32)))
}
private func entry(_ number: UInt8, _ name: String, isActive: Bool = true) -> MemberDirectory.Entry {
    MemberDirectory.Entry(NamedDevice(device(number), name), isActive: isActive)
}

@Suite struct MemberDirectoryTests {
    private let directory = MemberDirectory([
        entry(1, "attic"), entry(2, "phone"), entry(3, "phone"), entry(4, "gone", isActive: false),
        entry(5, ""), entry(6, device(1).text), entry(7, "de id"),
    ])

    private func found(_ text: String) throws -> DeviceID { try directory.find(MemberReference(text)).device }

    @Test("a name, an ID and the beginning of an ID mean the device")
    func meant() throws {
        #expect(try found("attic") == device(1))
        #expect(try found("de id") == device(7))
        for number in 1...7 as ClosedRange<UInt8> {
            // The whole ID is that device, whoever else calls itself so.
            #expect(try found(device(number).text) == device(number))
            let letters = device(number).letters
            for count in [7, 8, 30, 55] {
                #expect(try found(String(letters.prefix(count))) == device(number))
                #expect(try found(String(letters.prefix(count)).lowercased()) == device(number))
            }
            #expect(try found(String(device(number).text.prefix(15))) == device(number))
            #expect(device(number).short.count == 7 && device(number).text.hasPrefix(device(number).short))
        }
    }

    @Test("a name of two, and a name that is the beginning of another's ID, are refused with both")
    func ambiguous() throws {
        let error = try #require(throws: NodeError.self) { try found("phone") }
        guard case .ambiguousMember("phone", let candidates) = error else { throw error }
        #expect(candidates == [NamedDevice(device(2), "phone"), NamedDevice(device(3), "phone")])
        let short = device(1).short
        let tricky = MemberDirectory([entry(1, "attic"), entry(2, short)])
        let refused = try #require(throws: NodeError.self) { try tricky.find(MemberReference(short)) }
        guard case .ambiguousMember(_, let both) = refused else { throw refused }
        #expect(Set(both.map(\.device)) == [device(1), device(2)])
    }

    @Test(
        "what means nobody is refused with who there is, active members only",
        arguments: ["", "gone", "atti", "ATTIC", "phone ", "AAAAAA", "AAAAAAA", "no name at all, and long"])
    func absent(text: String) throws {
        let error = try #require(throws: NodeError.self) { try found(text) }
        guard case .noSuchMember(text, let known, more: 0, let former) = error else { throw error }
        #expect(former == (text == "gone" ? [NamedDevice(device(4), "gone")] : []), "who is out by that name")
        #expect(known.map(\.device).sorted() == [1, 2, 3, 5, 6, 7].map(device).sorted())
    }

    @Test("six letters are too few, and many members are cut")
    func bounds() throws {
        #expect(throws: NodeError.self) { try found(String(device(1).letters.prefix(6))) }
        let crowd = MemberDirectory((1...40).map { entry($0, "box-\($0)") })
        let error = try #require(throws: NodeError.self) { try crowd.find(MemberReference("nobody")) }
        guard case .noSuchMember(_, let known, let more, _) = error else { throw error }
        #expect(known.count == MemberDirectory.listedMax && more == 40 - MemberDirectory.listedMax)
    }
}
