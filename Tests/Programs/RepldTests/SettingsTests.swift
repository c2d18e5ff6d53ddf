// What a person may write into flags and the config file, and the words that come back when it is wrong.

import Bytes
import ControlServer
import Foundation
import Logging
import Node
import PeerNetwork
import Testing

@testable import repld

private func file(_ text: String) throws -> ConfigFile { try ConfigFile(text, path: "r.toml") }

extension ConfigFile {
    fileprivate func says(_ key: ConfigKey) -> Bool {
        switch key.form {
        case .string: string(key.name) != nil
        case .strings: strings(key.name) != nil
        case .bool: bool(key.name) != nil
        case .integer: integer(key.name) != nil
        case .amount: integer(key.name) != nil || string(key.name) != nil
        case .entries: entries(key.name) != nil
        }
    }
}

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
            discovery.enabled = false
            discovery.ignore = ["veth*"]
            name = "kitchen"
            log-level = "debug"
            advertise = ["[2001:db8::1]:9"]
            """
        var flags = Settings.Flags(socket: "/c", peers: ["b:2"])
        let fromFile = try settings(flags, text)
        #expect(fromFile.state == "/from-file")
        #expect(fromFile.listen == [ListenAddress("127.0.0.1:7"), ListenAddress("[::1]:8")])
        #expect(fromFile.peers == ["b:2", "a.example:1"])
        #expect(fromFile.discovery == DiscoverySettings(isEnabled: false, ignored: ["veth*"]))
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
        #expect(made.discovery == DiscoverySettings())
        #expect(made.logLevel == .info)
        #expect((1...Settings.nameBytesMax).contains(made.name.utf8.count))
    }

    @Test("broken syntax is named with file, line and column")
    func syntax() {
        #expect { try file("name = \"a\"\nstate = = 1\n") } throws: { "\($0)".hasPrefix("r.toml:2:9: ") }
    }

    @Test("an unknown key is refused with its line and the nearest right one")
    func unknownKey() {
        for (text, place, key, nearest) in [
            ("\n# x\n  listn = \"a\"\n", "r.toml:3:3", "listn", "listen"),
            ("log_level = \"a\"", "r.toml:1:1", "log_level", "log-level"),
            ("\n[tables]\nx = 1", "r.toml:2:1", "tables", nil),
            ("a.listen = 1", "r.toml:1:1", "a", nil),
            ("peers = [\n\"a:1\", # listn = 1\n\"b:1\"]\nnmae = 1", "r.toml:4:1", "nmae", "name"),
            ("name = \"\"\"\nlistn = 1\n\"\"\"\n\tlistn = 1", "r.toml:4:2", "listn", "listen"),
            ("\"log-levle\" = 1", "r.toml:1:1", "log-levle", "log-level"),
        ] as [(String, String, String, String?)] {
            #expect(throws: SettingsError.unknownKey(place: place, key: key, nearest: nearest), "\(text)") {
                try file(text)
            }
        }
    }

    @Test(
        "a value of another type is refused with its line and what it must be",
        arguments: [
            "state = 1", "peers = \"a:1\"", "peers = [1]", "discovery.enabled = \"no\"", "name = [\"a\"]",
            "listen = {}",
        ])
    func wrongType(text: String) {
        #expect { try file("\n\(text)") } throws: {
            "\($0)".hasPrefix("r.toml:2:1: ") && "\($0)".contains("must be")
        }
    }

    @Test("a value that makes no sense is refused with its place")
    func wrongValue() {
        for text in [
            "listen = [\"localhost:1\"]", "peers = [\"a\"]", "advertise = [\"a:0\"]", "log-level = \"loud\"",
        ] {
            #expect { try settings(Settings.Flags(state: "/s", socket: "/c"), "\n\n" + text) } throws: {
                "\($0)".hasPrefix("r.toml:3:1: ")
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

    @Test("a control socket that no path can be is refused before anything starts, with its place and limit")
    func socketPath() throws {
        let (fits, long) = (String(repeating: "a", count: 103), String(repeating: "a", count: 104))
        #expect(try settings(Settings.Flags(state: "/s", socket: fits)).socket == fits)
        #expect(try settings(Settings.Flags(state: "/s"), "socket = \"\(fits)\"").socket == fits)
        for (flags, text, place) in [
            (Settings.Flags(state: "/s", socket: long), "", "--socket"),
            (Settings.Flags(state: "/s", socket: ""), "", "--socket"),
            (Settings.Flags(state: "/s"), "\nsocket = \"\(long)\"", "r.toml:2:1"),
        ] {
            #expect { try settings(flags, text) } throws: {
                "\($0)".hasPrefix("\(place): ") && "\($0)".contains("1 to 103 bytes")
            }
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
        #expect(ConfigKey.all.allSatisfy { silent.says($0) == false })
        // A line of "#key = value" or "#[section]" is a setting that is off; all else is prose.
        let lines = text.split(separator: "\n").filter {
            $0.hasPrefix("#") && !$0.hasPrefix("# ") && $0 != "#"
        }
        let spoken = try file(lines.map { String($0.dropFirst()) }.joined(separator: "\n"))
        for key in ConfigKey.all { #expect(spoken.says(key), "\(key.name) is not documented") }
        // The paragraph above a key says what a reload does with it.
        var (prose, section) = ("", "")
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("#["), let end = line.firstIndex(of: "]") {
                section = line[line.index(line.startIndex, offsetBy: 2)..<end] + "."
            } else if line.hasPrefix("# ") {
                prose += line
            } else if line.hasPrefix("#"), let equals = line.firstIndex(of: "=") {
                let isNamed = ConfigKey.isOfNames(String(section.dropLast()))
                let name =
                    isNamed
                    ? String(section.dropLast())
                    : section + line[..<equals].dropFirst().filter { $0 != " " }
                let key = try #require(ConfigKey.named(name), "\(name)")
                #expect(prose.contains("Needs a restart.") == (key.change == .needsRestart), "\(name)")
            } else {
                prose = ""
            }
        }
        _ = try Settings(flags: Settings.Flags(), file: spoken, environment: Environment())
    }

    @Test(
        "what is kept of the log is said in time, bytes, all or nothing; times and sizes have units or none")
    func history() throws {
        func node(_ text: String) throws -> NodeSettings {
            try settings(Settings.Flags(state: "/s", socket: "/c"), text).node
        }
        let silent = try node("")
        #expect(silent.retainHistory == .standard && silent.checkpointLogBytes == nil)
        #expect(silent.checkpointSeconds == 86_400 && silent.absentAfterSeconds == 60 * 86_400)
        for (text, kept) in [
            ("\"30d\"", .seconds(30 * 86_400)), ("\"90m\"", .seconds(5_400)), ("4096", .bytes(4_096)),
            ("\"2 GiB\"", .bytes(2 << 30)), ("\"4096\"", .bytes(4_096)), ("\"all\"", .all), ("0", .none),
            ("\"0d\"", .none), ("\"0\"", .none), ("\"3650d\"", .seconds(HistoryText.secondsMax)),
        ] as [(String, Retention)] {
            #expect(try node("retain-history = \(text)").retainHistory == kept, "\(text)")
        }
        #expect(try node("checkpoint-log-bytes = \"64KiB\"").checkpointLogBytes == 64 << 10)
        #expect(try node("checkpoint-seconds = 1").checkpointSeconds == 1)
        #expect(try node("absent-after = \"12h\"").absentAfterSeconds == 43_200)
        for (text, need) in [
            ("retain-history = \"ever\"", "\"all\""), ("retain-history = \"3651d\"", "\"30d\""),
            ("retain-history = \"\"", "\"all\""), ("checkpoint-log-bytes = 65535", "at least 64 KiB"),
            ("checkpoint-log-bytes = \"30d\"", "at least 64 KiB"), ("checkpoint-seconds = 0", "1 second"),
            ("checkpoint-seconds = \"1 d\"", "1 second"), ("absent-after = 315360001", "10 years"),
            ("absent-after = \"99999999999999999999d\"", "10 years"), ("absent-after = true", "10 years"),
            ("retain-history = -1", "\"all\""), ("retain-history = 1.5", "\"all\""),
        ] {
            #expect { try node("\n" + text) } throws: {
                "\($0)".hasPrefix("r.toml:2:1: ") && "\($0)".contains(need) && ExitStatus.of($0) == 78
            }
        }
    }

    @Test("a reload takes exactly the keys that may change, and each key sees its own setting")
    func taking() throws {
        // One other value for each key: a new key needs one here.
        let others = [
            "state": "\"/other\"", "socket": "\"/other.sock\"", "listen": "[\"127.0.0.1:1\"]",
            "advertise": "[\"a.example:1\"]", "peers": "[\"b.example:2\"]", "discovery.enabled": "false",
            "discovery.interfaces": "[\"eth0\"]", "discovery.ignore": "[\"eth1\"]",
            "discovery.silent": "[\"eth2\"]", "discovery.no-multicast": "[\"eth3\"]",
            "discovery.no-broadcast": "[\"eth4\"]",
            "name": "\"other\"", "log-level": "\"debug\"", "ping-interval-seconds": "7",
            "link-timeout-seconds": "60",
            "link-bytes-per-second": "1000",
            "total-bytes-per-second": "2000", "active-links": "8", "disk-floor": "\"5%\"",
            "retain-history": "0", "checkpoint-log-bytes": "\"1MiB\"", "checkpoint-seconds": "\"1h\"",
            "absent-after": "3600", "access": "{ www-data = \"read:household\" }",
            "sync-folder": "\"/media/stick/repld\"", "sync-folder-max": "\"16MiB\"",
        ]
        let base = "state = \"/s\"\nsocket = \"/c\"\nname = \"box\"\n"
        let running = try settings(Settings.Flags(), base)
        for key in ConfigKey.all {
            let value = try #require(others[key.name], "another value for \(key.name)")
            let text = base.split(separator: "\n").filter { !$0.hasPrefix("\(key.name) ") }.joined(
                separator: "\n")
            let wanted = try settings(Settings.Flags(), "\(key.name) = \(value)\n\(text)")
            let differing = ConfigKey.all.filter { !$0.isEqual(running, wanted) }.map(\.name)
            #expect(differing == [key.name])
            #expect(
                key.isEqual(running.taking(from: wanted), wanted) == (key.change == .applies), "\(key.name)")
        }
    }

    @Test("users and groups of [access] become numbers with their rules; what names them twice adds up")
    func access() throws {
        let flags = Settings.Flags(state: "/s", socket: "/c")
        #expect(try settings(flags).access == AccessSettings())
        let text = """
            [access]
            www-data = "write:household/note/"
            "@users" = ["read:household", "write:readings"]
            games = []
            """
        let access = try settings(flags, text).access
        let household = AccessRule(space: "household", mayWrite: false)
        #expect(access.rules.users.count == 2 && access.rules.groups.count == 1)
        #expect(
            access.rules.users[33] == [AccessRule(space: "household", prefix: "note/", mayWrite: true)])
        #expect(access.rules.users[5] == [], "named, and given nothing")
        #expect(access.rules.groups[100] == [household, AccessRule(space: "readings", mayWrite: true)])
        // What leaves the box in a report names nobody, and no keys.
        #expect(access.description == "2 users, 1 groups")
        #expect(try settings(flags, "access = { games = \"read:a\" }").access.rules.users.count == 1)
    }

    @Test("a line of [access] that gives nothing sure is refused, with its place")
    func wrongAccess() {
        for (line, need) in [
            ("games = \"household\"", "read:SPACE"), ("games = \"read:\"", "read:SPACE"),
            ("games = \"admin:household\"", "read:SPACE"), ("games = \"read:a b\"", "read:SPACE"),
            ("games = [\"read:a\", \"all\"]", "read:SPACE"), ("games = 1", "read:SPACE"),
            ("games = [1]", "read:SPACE"), ("nobody-of-this-name = \"read:a\"", "a user of this machine"),
            ("\"@no-such-group\" = \"read:a\"", "a group of this machine"),
            ("root = \"read:a\"", "read the state itself"), ("\"@root\" = \"read:a\"", "not 0"),
            ("a.b = \"read:a\"", "quotes"), ("games = \"read:a\"\ngames = \"read:b\"", "twice"),
        ] {
            #expect { try settings(Settings.Flags(state: "/s", socket: "/c"), "[access]\n" + line) } throws: {
                "\($0)".hasPrefix("r.toml:") && "\($0)".contains(need) && ExitStatus.of($0) == 78
            }
        }
    }

    private func environment(_ variables: [String: String], isRoot: Bool = false) -> Environment {
        Environment(isRoot: isRoot) { variables[$0] }
    }

    private func socket(_ variables: [String: String], state: String = "/s", isRoot: Bool = false) throws
        -> (path: String, note: String?)
    {
        let settings = try Settings(
            flags: Settings.Flags(state: state), file: nil,
            environment: environment(variables, isRoot: isRoot))
        return (settings.socket, settings.socketNote)
    }

    @Test("the socket is where the environment says, and in the state directory where it says nothing")
    func sockets() throws {
        let folder = NSTemporaryDirectory() + "repld-runtime-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { rmdir(folder) }
        #expect(try socket(["XDG_RUNTIME_DIR": folder]) == ("\(folder)/repld/control.sock", nil))
        #expect(
            try socket(["XDG_RUNTIME_DIR": folder, "REPL_SOCKET": "/r"]) == ("/r", nil))
        #expect(try socket(["RUNTIME_DIRECTORY": "/run/a:/run/b"]) == ("/run/a/control.sock", nil))
        #expect(try socket([:], isRoot: true) == ("/run/repld/control.sock", nil))
        let unset = try socket(["XDG_RUNTIME_DIR": ""])
        #expect(unset.path == "/s/control.sock")
        #expect(unset.note?.hasPrefix("XDG_RUNTIME_DIR is not set, so") == true)
        // As `su` leaves it: the directory of somebody who has logged out.
        let gone = try socket(["XDG_RUNTIME_DIR": "/run/user/none"])
        #expect(gone.path == "/s/control.sock")
        #expect(gone.note?.hasPrefix("XDG_RUNTIME_DIR is /run/user/none: No such file") == true)
        #expect {
            try socket([:], state: "/" + String(repeating: "s", count: 100))
        } throws: {
            "\($0)".contains("the state directory (XDG_RUNTIME_DIR is not set)")
                && "\($0)".contains("--socket")
        }
    }

    @Test("without any place for the state the variables that would say it are named")
    func noState() throws {
        #expect {
            try Settings(flags: Settings.Flags(), file: nil, environment: environment([:]))
        } throws: {
            "\($0)".contains("neither XDG_STATE_HOME nor HOME is set") && ExitStatus.of($0) == 78
        }
    }

    @Test("what is missing between the home directory and the state is made, for its user alone, and no more")
    func parents() throws {
        let folder = NSTemporaryDirectory() + "repld-home-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder + "/home", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let home = environment(["HOME": "\(folder)/home/"])
        home.makeParents(of: "\(folder)/home/a/b/state")
        var status = stat()
        for path in ["a", "a/b"] {
            #expect(stat("\(folder)/home/\(path)", &status) == 0 && status.st_mode & 0o777 == 0o700)
        }
        #expect(stat("\(folder)/home/a/b/state", &status) != 0, "the state directory makes itself")
        for other in ["\(folder)/homes/a/state", "\(folder)/home/c/../../d/state", "\(folder)/e/state"] {
            home.makeParents(of: other)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["home"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/home") == ["a"])
        environment(["HOME": "/"]).makeParents(of: "\(folder)/f/state")
        #expect(stat("\(folder)/f", &status) != 0)
    }
}
