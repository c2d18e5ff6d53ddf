// What the book remembers of each address, in which order it gives them out, and what survives a restart.

import Bytes
import Causality
import Mesh
import Testing
import Wire

private func device(_ n: UInt8) -> DeviceID { DeviceID(publicKey: Bytes32([UInt8](repeating: n, count: 32))) }
private func address(_ text: String) throws -> PeerAddress { try #require(PeerAddress(text)) }

@Suite struct AddressBookTests {
    @Test("what worked last comes first, what others say last, whatever came in which order")
    func order() throws {
        let kinds: [(String, AddressBook.Source)] = [
            ("10.0.0.1:1", .relayed), ("10.0.0.2:1", .announced), ("10.0.0.3:1", .hint),
            ("10.0.0.5:1", .heard), ("10.0.0.6:1", .proven), ("192.168.7.4:1", .announced),
        ]
        var dice = SeededGenerator(seed: 5)
        for _ in 0..<20 {
            var book = AddressBook()
            for (text, source) in kinds.shuffled(using: &dice) {
                book.add(try address(text), device: device(1), source: source, announcer: device(9))
            }
            book.proved(try address("10.0.0.6:1"), device: device(1), at: 5)
            book.proved(try address("10.0.0.7:1"), device: device(1), at: 9)
            let order = book.addresses(of: device(1)) { $0.network == "192.168.7" }.map(\.string)
            #expect(order.first == "10.0.0.7:1")
            #expect(Set(order[1...2]) == ["10.0.0.5:1", "192.168.7.4:1"])
            #expect(Array(order[3...]) == ["10.0.0.6:1", "10.0.0.3:1", "10.0.0.2:1", "10.0.0.1:1"])
        }
    }

    @Test(
        "outcomes are remembered over a restart: when it worked, when it was tried, why it failed, how often")
    func outcomes() throws {
        var book = AddressBook()
        let (a, b) = (try address("10.0.0.1:1"), try address("10.0.0.2:1"))
        book.add(a, device: device(1), source: .announced)
        book.add(b, device: device(1), source: .announced)
        book.tried(a, at: 100)
        book.proved(a, device: device(1), at: 110)
        book.tried(b, at: 120)
        book.failed(b, reason: "Connection refused", at: 125)
        book.failed(b, reason: "timed out", at: 130)
        let again = try AddressBook(decoding: book.encode())
        #expect(again[a]?.lastSuccess == 110 && again[a]?.lastTried == 100 && again[a]?.lastFailure == nil)
        #expect(again[b]?.failures == 2 && again[b]?.lastSuccess == nil)
        #expect(again[b]?.lastFailure == AddressBook.Failure(reason: "timed out", at: 130))
        #expect(again.addresses(of: device(1)) == [a, b])
        #expect(!again.isChanged && !again.hasOutcomes)
    }

    @Test("a book of version 1 is read")
    func version1() throws {
        var writer = ByteWriter()
        writer.u8(1)
        writer.varint(2)
        writer.counted(Array("10.0.0.1:1".utf8))
        writer.u8(2)
        writer.u8(1)
        device(3).publicKey.encode(into: &writer)
        writer.counted(Array("10.0.0.2:1".utf8))
        writer.u8(1)
        writer.u8(0)
        let book = try AddressBook(decoding: writer.bytes)
        #expect(book[try address("10.0.0.1:1")]?.source == .proven)
        #expect(book[try address("10.0.0.1:1")]?.device == device(3))
        #expect(book[try address("10.0.0.2:1")]?.source == .hint)
    }

    @Test(
        "one peer may speak of 256 addresses of others; another is still heard, and the device itself counts more"
    )
    func announcers() throws {
        var book = AddressBook()
        for n in 0..<2_000 {
            book.add(
                try address("10.1.\(n / 250).\(n % 250 + 1):1"), device: device(UInt8(n % 200)),
                source: .relayed, announcer: device(250))
        }
        #expect(book.count <= MeshLimits.relayedMax)
        let mine = try address("10.9.9.9:1")
        book.add(mine, device: device(1), source: .relayed, announcer: device(251))
        #expect(book[mine]?.announcer == device(251))
        book.announce(device(1), [mine])
        #expect(book[mine]?.source == .announced && book[mine]?.announcer == nil)
    }

    @Test("a flood of hearsay about a device displaces nothing that it said itself, and is not passed on")
    func hearsay() throws {
        var book = AddressBook()
        let own = try (1...3).map { try address("10.0.0.\($0):1") }
        book.announce(device(1), own)
        for n in 0..<100 {
            book.add(
                try address("10.5.0.\(n + 1):1"), device: device(1), source: .relayed, announcer: device(9))
        }
        #expect(Set(own).isSubset(of: book.addresses(of: device(1))))
        #expect(book.addresses(of: device(1)).count == MeshLimits.addressesOfDeviceMax)
        #expect(Set(book.addressesToTell(of: device(1))) == Set(own))
        for n in 0..<5 {
            book.add(
                try address("10.6.0.\(n + 1):1"), device: device(2), source: .relayed, announcer: device(9))
        }
        #expect(book.addressesToTell(of: device(2)).count == MeshLimits.hearsayMax)
    }

    @Test("nobody can claim an address that the configuration or an invite names")
    func claims() throws {
        var book = AddressBook()
        let (fixed, hint) = (try address("10.0.0.1:1"), try address("10.0.0.2:1"))
        book.add(fixed, device: nil, source: .fixed)
        book.add(hint, device: nil, source: .hint)
        book.announce(device(9), [fixed, hint])
        #expect(book[fixed]?.device == nil && book[hint]?.device == nil)
        book.proved(fixed, device: device(1), at: 1)
        #expect(book[fixed]?.device == device(1) && book[fixed]?.source == .fixed)
    }

    @Test(
        "unspecified, multicast and broadcast addresses are nobody's",
        arguments: [
            "0.0.0.0:21420", "[::]:21420", "224.0.0.1:21420", "239.255.82.76:21420", "[ff02::1]:21420",
            "255.255.255.255:21420", "0.1.2.3:1",
        ])
    func nowhere(text: String) throws {
        var book = AddressBook()
        book.add(try address(text), device: device(1), source: .announced)
        book.announce(device(1), [try address(text)])
        book.proved(try address(text), device: device(1), at: 1)
        #expect(book.count == 0)
    }

    @Test("names are told from numbers, and what two addresses of a LAN have in common")
    func forms() throws {
        #expect(try address("box.lan:1").isName && address("1.2.3:1").isName && address("1.2.3.4.5:1").isName)
        #expect(try !address("1.2.3.4:1").isName && !address("[fe80::1]:1").isName)
        #expect(try address("[fd00:1:2:3::9]:7").network == "fd00:1:2:3")
        #expect(try address("127.0.0.1:1").network == nil && address("box:1").network == nil)
    }

    @Test("a name's answers become its addresses; a lie is named, a failure keeps what was known")
    func names() throws {
        var table = NameTable()
        let (a, b) = (try address("box.lan:7"), try address("box.lan:8"))
        let isFirst = table.begin(a)
        let isSecond = table.begin(b)
        #expect(isFirst && !isSecond, "one lookup for one host")
        let first = table.answer("box.lan", ["10.0.0.2", "fd00::2", "224.0.0.1"], failure: nil, at: 5)
        #expect(first.map(\.name) == [a, b])
        #expect(first.first?.means == [try address("10.0.0.2:7"), try address("[fd00::2]:7")])
        #expect(table[b]?.answeredAt == 5 && table[b]?.failure == nil)
        #expect(table.names(of: try address("10.0.0.2:8")) == [b])
        _ = table.begin(a)
        let failed = table.answer("box.lan", [], failure: "no answer", at: 6)
        #expect(failed.first?.means == first.first?.means && failed.first?.gone == [])
        #expect(table[a]?.failure == "no answer")
        _ = table.begin(a)
        let lied = table.answer("box.lan", ["0.0.0.0"], failure: nil, at: 7)
        #expect(lied.first?.means == [] && lied.first?.gone == first.first?.means)
        #expect(table[a]?.failure?.contains("can only be listened on") == true)
        _ = table.begin(a)
        let many = table.answer(
            "box.lan", (0..<1_000).map { "10.0.\($0 / 250).\($0 % 250 + 1)" }, failure: nil, at: 8)
        #expect(many.first?.means.count == MeshLimits.addressesOfNameMax)
    }
}
