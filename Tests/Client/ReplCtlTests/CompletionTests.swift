// What Tab offers: the tree of verbs as the parser knows it, the daemon's names, and bash's quoting.

import Foundation
import Testing

@testable import replctl

@Suite struct CompletionTests {
    private static let daemon: @Sendable (FakeRequest) -> FakeAnswer = { request in
        switch request.target {
        case "/v1/spaces":
            .whole(200, #"{"spaces":[{"name":"home","role":"admin","documents":3},{"name":"work"}]}"#)
        case "/v1/spaces/home/members":
            .whole(
                200,
                #"{"members":[{"device":"AAAAAAA-1","name":"pi"},{"device":"BBBBBBB-1","name":"pi"},"#
                    + #"{"device":"CCCCCCC-1","name":"attic"}]}"#)
        case "/v1/spaces/home/documents/d":
            .whole(200, #"{"key":"d","value":{"a.b":{"=x":1},"list":[1,2],"7":0},"version":"v"}"#)
        case "/v1/spaces/home/documents?prefix=n&limit=100":
            .whole(200, #"{"documents":[{"key":"n/1"},{"key":"n\u0007"}],"next":null}"#)
        case "/v1/spaces/home/documents?prefix=&limit=100":
            .whole(200, #"{"documents":[{"key":"a/1"}],"next":"a/1"}"#)
        case "/v1/spaces/home/documents?prefix=&limit=1":
            .whole(200, #"{"documents":[{"key":"a/1"}],"next":"a/1"}"#)
        case "/v1/spaces/home/documents?prefix=&after=a%2f%f4%8f%bf%bf&limit=1":
            .whole(200, #"{"documents":[{"key":"b"}],"next":"b"}"#)
        case "/v1/spaces/home/documents?limit=1":
            .whole(200, #"{"documents":[{"key":"d"}],"next":"d"}"#)
        case "/v1/spaces/home/documents?prefix=&after=b&limit=1":
            .whole(200, #"{"documents":[],"next":null}"#)
        default: .whole(404, #"{"error":{"code":"no-such-space","message":"no","hint":""}}"#)
        }
    }

    /// Holds the candidates, without what is said of them, and that nothing else is said.
    private func expect(
        _ words: String..., socket: String = "/nowhere", offers expected: [String]
    ) async throws {
        let result = try await complete(["__complete", "--words"] + words, socket: socket)
        let offered = result.output.split(separator: "\n").map { line in
            line.hasPrefix("\t") ? String(line) : String(line.prefix { $0 != "\t" })
        }
        #expect(offered == expected && result.code == .ok && result.error.isEmpty, "\(words)")
    }

    /// However busy this machine is.
    private func complete(_ words: [String], socket: String = "/nowhere") async throws -> CommandResult {
        try await DaemonNames.$timeoutSeconds.withValue(3_600) {
            try await replctl(words, environment: ["REPL_SOCKET": socket])
        }
    }

    @Test("names of things come from the daemon, and fit what was typed")
    func names() async throws {
        try await FakeDaemon.serving(Self.daemon) { daemon in
            let s = daemon.socket
            try await expect("get", "", socket: s, offers: ["home", "work"])
            try await expect("get", "--json", "h", socket: s, offers: ["home"])
            try await expect("get", "home", "n", socket: s, offers: ["n/1"])
            try await expect("get", "home", "", socket: s, offers: ["a/", "b"])
            try await expect("get", "home", "d", "", socket: s, offers: [#"\7"#, #"a\.b"#, "list"])
            try await expect("set", "home", "d", "a", socket: s, offers: [#"a\.b="#])
            try await expect("set", "home", "d", #"a\.b."#, socket: s, offers: [#"a\.b.\=x="#])
            try await expect("get", "home", "d", "list.", socket: s, offers: ["list.0", "list.1"])
            try await expect(
                "wait", "home", "c", "--on", "", socket: s, offers: ["AAAAAAA", "BBBBBBB", "attic"])
            try await expect("index", "add", "home", "i", "l", socket: s, offers: ["list"])
            try await expect("get", "nowhere", "", socket: s, offers: [])
            try await expect("--socket", s, "ls", "w", offers: ["work"])
            try await expect("ls", "--socket=\(s)", "w", offers: ["work"])
        }
    }

    @Test("verbs, options and closed lists need no daemon")
    func words() async throws {
        try await expect("sp", offers: ["spaces", "space", "splice"])
        try await expect("space", "inv", offers: ["invite", "invites"])
        try await expect(
            "space", "invite", "h", "--role", "", offers: ["relay", "reader", "writer", "admin"])
        try await expect("space", "invite", "h", "--role=w", offers: ["--role=writer"])
        try await expect("space", "invite", "h", "--ro", offers: ["--role"])
        try await expect("space", "invite", "--role", "admin", "h", "--ro", offers: [])
        try await expect("make", "h", "d", "p", "o", offers: ["ordered-set"])
        try await expect("help", "ki", offers: ["kinds"])
        try await expect("help", "space", "rev", offers: ["revoke"])
        try await expect("backup", "", offers: ["\tfiles"])
        try await expect("restore", "f", "--state", "", offers: ["\tdirectories"])
        try await expect("completion", "", offers: ["bash", "zsh", "fish"])
        try await expect("nonsense", "", offers: [])
        try await expect("get", "", offers: [])
        try await expect("incr", "h", "d", "n", "-5", "--if-e", offers: ["--if-exists"])
        try await expect("get", "--", "-", offers: [])
    }

    @Test("each verb that takes a space completes it, and each that takes a key, the key")
    func everyVerb() async throws {
        var verbs: [([String], CommandTree)] = []
        for verb in try CommandTree.own().subcommands where verb.name != "help" {
            verbs +=
                verb.subcommands.isEmpty
                ? [([verb.name], verb)]
                : verb.subcommands.filter { $0.name != "help" }.map { ([verb.name, $0.name], $0) }
        }
        #expect(verbs.count > 30)
        try await FakeDaemon.serving(Self.daemon) { [verbs] daemon in
            for (words, verb) in verbs {
                let places = verb.positionals.map(\.valueName)
                guard places.first == "space" else { continue }
                let line = ["__complete", "--words", "--socket", daemon.socket] + words
                let spaces = try await complete(line + ["ho"])
                #expect(spaces.output.hasPrefix("home"), "\(words)")
                guard places.count > 1, places[1] == "key" || places[1] == "prefix" else { continue }
                let keys = try await complete(line + ["home", "n"])
                #expect(keys.output == "n/1\n", "\(words)")
            }
        }
    }

    @Test("words of a bash line are unquoted, and what is put in is quoted for where it stands")
    func bash() {
        let breaks = " \t\n\"'><=;|&(:"
        func line(_ text: String) -> BashLine { BashLine(text, breaks: breaks) }
        #expect(line("replctl get  h").words == ["get", "h"])
        #expect(line("X=1 replctl get ").words == ["get", ""])
        #expect(
            line(#"replctl get a\ b "c d" 'e"f' "g\"h\i"#).words == ["get", "a b", "c d", #"e"f"#, #"g"h\i"#])
        #expect(line("replctl").words == [""])
        #expect(line("replctl get s").quoted("sp ace's") == #"sp\ ace\'s"#)
        #expect(line("replctl get 's").quoted("sp ace's") == #"sp ace'\''s"#)
        #expect(line("replctl get \"s").quoted("sp $x") == #"sp \$x"#)
        #expect(line("replctl get a:b").quoted("a:bc") == "bc")
        #expect(line("replctl get --role=w").quoted("--role=writer") == "writer")
        #expect(line(#"replctl get a\:b"#).quoted("a:bc") == "a:bc")
    }
}
