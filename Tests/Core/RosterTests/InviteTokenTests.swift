// Tokens survive typing or say what is wrong with them, without a network.

import Bytes
import Causality
import Crypto
import Testing
import Wire

@Suite struct InviteTokenTests {
    private func token(hints: [String] = ["192.168.1.7:21420", "[fe80::1]:21420", "box.lan:1"]) throws
        -> InviteToken
    {
        InviteToken(
            secret: InviteSecret(secret(3, 1)), space: SpaceID(raw: hash("space")),
            expirySeconds: 1_700_000_000,
            hints: try hints.map { try #require(PeerAddress($0)) })
    }

    @Test("a token reads back what was written, also in capitals and with space around it")
    func roundTrip() throws {
        let token = try token()
        let text = token.text()
        #expect(
            text.hasPrefix("repl1-")
                && text.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x2D...0x37).contains($0) })
        for typed in [text, text.uppercased(), "  \(text)\n"] {
            let read = try InviteToken(typed)
            #expect(read.secret == token.secret && read.space == token.space)
            #expect(read.expirySeconds == token.expirySeconds && read.hints == token.hints)
        }
        #expect(try InviteToken(self.token(hints: []).text()).hints.isEmpty)
    }

    @Test("the largest token that the limits allow reads back")
    func largest() throws {
        let hints = (0..<RosterLimits.addressesMax).map { number in
            String(repeating: "a", count: RosterLimits.addressBytesMax - 8) + "\(10 + number):21420"
        }
        let token = try token(hints: hints)
        #expect(try InviteToken(token.text()).hints == token.hints)
    }

    @Test("every single wrong letter is noticed")
    func everyTypo() throws {
        let text = Array(try token().text().utf8)
        for index in InviteToken.prefix.utf8.count..<text.count {
            var typed = text
            typed[index] = text[index] == 0x61 ? 0x62 : 0x61
            #expect(throws: (any Error).self) { _ = try InviteToken(String(decoding: typed, as: UTF8.self)) }
        }
    }

    @Test("two letters that changed places, a lost and a doubled one are noticed")
    func otherTypos() throws {
        let text = Array(try token().text().utf8)
        for index in InviteToken.prefix.utf8.count..<text.count - 1 {
            var swapped = text
            swapped.swapAt(index, index + 1)
            var lost = text
            lost.remove(at: index)
            var doubled = text
            doubled.insert(text[index], at: index)
            for typed in [swapped, lost, doubled] where typed != text {
                #expect(throws: InviteTokenFault.self) {
                    _ = try InviteToken(String(decoding: typed, as: UTF8.self))
                }
            }
        }
    }

    @Test("a character that tokens never contain is named by its position, counted from 1")
    func character() throws {
        var text = Array(try token().text().utf8)
        text[9] = 0x31
        #expect(throws: InviteTokenFault.character(position: 10)) {
            _ = try InviteToken(String(decoding: text, as: UTF8.self))
        }
    }

    @Test("what is no token, incomplete, too long or of another version is told apart")
    func otherFaults() throws {
        let text = try token().text()
        for typed in ["", "repl", "hello", "repl1", "replx-aaaa", "https://repl1-aaaa"] {
            #expect(throws: InviteTokenFault.notAToken) { _ = try InviteToken(typed) }
        }
        #expect(throws: InviteTokenFault.version(2)) { _ = try InviteToken("repl2-" + text.dropFirst(6)) }
        #expect(throws: InviteTokenFault.length(0)) { _ = try InviteToken("repl1-") }
        #expect(throws: InviteTokenFault.length(20_000)) {
            _ = try InviteToken("repl1-" + String(repeating: "a", count: 20_000))
        }
        let cut = String(text.dropLast(5))
        #expect(throws: InviteTokenFault.self) { _ = try InviteToken(cut) }
        for fault in [
            InviteTokenFault.notAToken, .mistyped, .length(3), .character(position: 9), .version(2),
        ] {
            #expect(!fault.message.isEmpty && !fault.message.contains(text))
        }
    }

    @Test("an intact token with nonsense inside is malformed, not mistyped")
    func malformed() throws {
        func crafted(_ body: [UInt8]) -> String {
            let check = Blake2b.hash256(body, personal: "repld-invite-v1").bytes.prefix(3)
            return "repl1-" + Base32.encode(body + check)
        }
        let start = [1] + [UInt8](repeating: 7, count: 64) + [UInt8](repeating: 0, count: 8)
        #expect(throws: Never.self) { _ = try InviteToken(crafted(start + [0])) }
        #expect(throws: InviteTokenFault.version(9)) {
            _ = try InviteToken(crafted([9] + start.dropFirst() + [0]))
        }
        for tail in [[], [1], [1, 3, 0x61, 0x62, 0x63], [0, 0], [17]] as [[UInt8]] {
            let fault = #expect(throws: InviteTokenFault.self) { _ = try InviteToken(crafted(start + tail)) }
            if case .malformed = fault {} else { Issue.record("\(tail) gave \(String(describing: fault))") }
        }
    }

    @Test("a token is good in its last second and expired after it")
    func expiry() throws {
        let token = try token()
        #expect(!token.isExpired(at: moment(seconds: 1_700_000_000)))
        #expect(token.isExpired(at: moment(seconds: 1_700_000_001)))
        #expect(!token.isExpired(at: moment(seconds: 0)))
    }

    @Test(
        "letters that no byte string is written with are refused: wrong length, and unused bits that are set")
    func base32() throws {
        #expect(Base32.encode(Array("foobar".utf8)) == "mzxw6ytboi")
        #expect(Base32.encode(Array("fooba".utf8), letters: .upper) == "MZXW6YTB")
        for count in 0..<12 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + 200) }
            #expect(try Base32.decode(Array(Base32.encode(bytes).utf8)) == bytes)
        }
        #expect(throws: Base32Fault.length(1)) { _ = try Base32.decode(Array("a".utf8)) }
        #expect(throws: Base32Fault.unusedBits) { _ = try Base32.decode(Array("mz".utf8)) }
        #expect(throws: Base32Fault.character(at: 1)) { _ = try Base32.decode(Array("m1".utf8)) }
    }
}

@Suite struct RosterNameTests {
    @Test(
        "space names are plain", arguments: ["a", "0", "home", "a.b_c-d", String(repeating: "x", count: 64)])
    func goodSpaceName(name: String) { #expect(SpaceName(name)?.string == name) }

    @Test(
        "other space names are refused",
        arguments: ["", "-a", ".a", "_a", "Home", "a b", "a/b", "é", String(repeating: "x", count: 65)])
    func badSpaceName(name: String) { #expect(SpaceName(name) == nil) }

    @Test("device names are short UTF-8 that moves no cursor")
    func deviceNames() {
        for good in ["x", "Küche 2", "箱", String(repeating: "é", count: 32)] {
            #expect(DeviceName(good)?.string == good)
        }
        for bad in [
            "", "a\nb", "\u{1B}[2J", "\u{7F}", "\u{9B}", "\u{202E}x", String(repeating: "é", count: 33),
        ] {
            #expect(DeviceName(bad) == nil)
        }
    }

    @Test("addresses are a host and a port")
    func addresses() {
        for good in ["a:1", "10.0.0.1:65535", "[::1]:21420", "box.lan:21420"] {
            #expect(PeerAddress(good)?.string == good)
        }
        for bad in [
            "", ":1", "a", "a:", "a:0", "a:01", "a:65536", "a:1x", "::1:21420", "[]:1", "[a]:1", "[[::1]]:1",
            "[::1:1", "a b:1", "é:1",
        ] {
            #expect(PeerAddress(bad) == nil, "\(bad)")
        }
    }
}
