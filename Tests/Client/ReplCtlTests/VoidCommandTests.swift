// What `replctl void` prints of what is held and has no effect.

import Testing

@testable import replctl

@Suite struct VoidCommandTests {
    private static let lines = """
        {"adopted":null,"adoptedElsewhere":true,"author":{"device":"TXCWM6Y-NN35KGI","name":"phone"},\
        "by":{"device":"ABCDEFG-NN35KGI","name":"attic"},"cause":"removed","change":"aa:7",\
        "documents":["n/1","n/2"],"timestamp":1795382768379}
        {"adopted":"bb:3","adoptedElsewhere":false,"author":{"device":"TXCWM6Y-NN35KGI","name":""},\
        "by":null,"cause":"forked","change":"aa:8","documents":[],"timestamp":1795382768379}

        """

    @Test("a row says whose change it is, why it is void, and whether somebody adopted it")
    func table() async throws {
        try await FakeDaemon.serving({ _ in .whole(200, Self.lines) }) { daemon in
            let result = try await replctl(["void", "home", "--socket", daemon.socket])
            #expect(result.code == .ok, "\(result.error)")
            let rows = result.output.split(separator: "\n").map {
                $0.split(separator: " ", omittingEmptySubsequences: true).map(String.init)
            }
            try #require(rows.count == 3, "\(result.output)")
            #expect(rows[1].prefix(3) == ["aa:7", "phone", "removed"])
            #expect(rows[1].suffix(3) == ["elsewhere", "n/1", "n/2"])
            #expect(rows[2].prefix(3) == ["aa:8", "TXCWM6Y", "forked"] && rows[2].last == "yes")
            let json = try await replctl(["void", "home", "--json", "--socket", daemon.socket])
            #expect(json.output == Self.lines)
        }
    }

    @Test("where nothing is void it says so, and prints nothing")
    func empty() async throws {
        try await FakeDaemon.serving({ _ in .whole(200, "") }) { daemon in
            let result = try await replctl(["void", "home", "--socket", daemon.socket])
            #expect(result.code == .ok && result.output.isEmpty && result.error == "nothing is void\n")
        }
    }
}
