// What a person may write into flags and the config file, and the words that come back when it is wrong.

import Foundation
import Logging
import PeerNetwork
import Testing

@testable import repld

private func file(_ text: String) throws -> ConfigFile { try ConfigFile(text, path: "r.toml") }

private func settings(
    _ flags: Settings.Flags = Settings.Flags(state: "/s", socket: "/c"), _ text: String = ""
) throws
    -> Settings
{
    try Settings(flags: flags, file: try file(text), environment: Environment())
}

@Suite struct SettingsTests {
    @Test("flags go before the file, the file before the defaults, and peers of both are dialled")
    func order() throws {
        let text = """
            # a comment
            state = "/from-file"
            listen = ["127.0.0.1:7", "[::1]:8"]
            peers = ["a.example:1"]
            discovery = false
            name = "kitchen"
            log-level = "debug"
            advertise = ["[2001:db8::1]:9"]
            """
        var flags = Settings.Flags(socket: "/c", peers: ["b:2"])
        let fromFile = try settings(flags, text)
        #expect(fromFile.state == "/from-file")
        #expect(fromFile.listen == [ListenAddress("127.0.0.1:7"), ListenAddress("[::1]:8")])
        #expect(fromFile.peers == ["b:2", "a.example:1"])
        #expect(!fromFile.isDiscovering)
        #expect(fromFile.name == "kitchen")
        #expect(fromFile.logLevel == .debug)
        #expect(fromFile.advertise == ["[2001:db8::1]:9"])
        flags = Settings.Flags(
            state: "/flag/", socket: "/c", listen: "0.0.0.0:0", name: "attic", logLevel: "error")
        let fromFlags = try settings(flags, text)
        #expect(fromFlags.state == "/flag")
        #expect(fromFlags.listen == [ListenAddress("0.0.0.0:0")])
        #expect(fromFlags.name == "attic")
        #expect(fromFlags.logLevel == .error)
    }

    @Test("without a file and flags it listens on port 21420 of both families and discovers")
    func defaults() throws {
        let made = try settings()
        #expect(made.listen.map(\.description) == ["0.0.0.0:21420", "[::]:21420"])
        #expect(made.isDiscovering)
        #expect(made.logLevel == .info)
        #expect((1...Settings.nameBytesMax).contains(made.name.utf8.count))
    }

    @Test("broken syntax is named with file, line and column")
    func syntax() {
        #expect { try file("name = \"a\"\nstate = = 1\n") } throws: { "\($0)".hasPrefix("r.toml:2:9: ") }
    }

    @Test("an unknown key is refused with its line and the nearest right one")
    func unknownKey() {
        #expect(throws: SettingsError.unknownKey(file: "r.toml", line: 3, key: "listn", nearest: "listen")) {
            try file("\n# x\nlistn = \"a\"\n")
        }
        #expect(
            throws: SettingsError.unknownKey(file: "r.toml", line: 1, key: "log_level", nearest: "log-level")
        ) {
            try file("log_level = \"a\"")
        }
        #expect(throws: SettingsError.unknownKey(file: "r.toml", line: 2, key: "tables", nearest: nil)) {
            try file("\n[tables]\nx = 1")
        }
    }

    @Test(
        "a value of another type is refused with its line and what it must be",
        arguments: [
            "state = 1", "peers = \"a:1\"", "peers = [1]", "discovery = \"no\"", "name = [\"a\"]",
            "listen = {}",
        ])
    func wrongType(text: String) {
        #expect { try file("\n\(text)") } throws: {
            "\($0)".hasPrefix("r.toml:2: ") && "\($0)".contains("must be")
        }
    }

    @Test("a value that makes no sense is refused with its place")
    func wrongValue() {
        for text in [
            "listen = [\"localhost:1\"]", "peers = [\"a\"]", "advertise = [\"a:0\"]", "log-level = \"loud\"",
        ] {
            #expect { try settings(Settings.Flags(state: "/s", socket: "/c"), "\n\n" + text) } throws: {
                "\($0)".hasPrefix("r.toml:3: ")
            }
        }
        let long = String(repeating: "é", count: 33)
        for (flag, flags) in [
            ("--listen", Settings.Flags(state: "/s", socket: "/c", listen: "x")),
            ("--peer", Settings.Flags(state: "/s", socket: "/c", peers: ["x"])),
            ("--name", Settings.Flags(state: "/s", socket: "/c", name: long)),
            ("--log-level", Settings.Flags(state: "/s", socket: "/c", logLevel: "loud")),
        ] {
            #expect { try settings(flags) } throws: { "\($0)".hasPrefix("\(flag): ") }
        }
    }

    @Test("a file that was asked for must be there")
    func missing() {
        #expect { try ConfigFile.find("/no/such.toml") } throws: { "\($0)".contains("/no/such.toml") }
        #expect { try ConfigFile.find("/") } throws: { "\($0)".contains("cannot be read") }
    }

    @Test("the config file that is installed documents every key, and says nothing by itself")
    func documented() throws {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../Config/repld.toml")
        let text = try String(contentsOf: path, encoding: .utf8)
        let silent = try file(text)
        #expect(silent.state == nil && silent.listen == nil && silent.peers == nil && silent.discovery == nil)
        let keys = text.split(separator: "\n").filter { $0.hasPrefix("#") && !$0.hasPrefix("# ") }
        let spoken = try file(keys.map { String($0.dropFirst()) }.joined(separator: "\n"))
        #expect(keys.count == ConfigFile.keys.count)
        _ = try Settings(flags: Settings.Flags(), file: spoken, environment: Environment())
    }
}
