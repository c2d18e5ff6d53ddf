// `replctl index`: what each of its verbs asks for and prints.

import Testing

@testable import replctl

private func answer(_ state: String) -> String {
    #"{"name":"owners","path":["owner","a.b",0],"prefix":"task/","state":"\#(state)","documents":42}"#
}

@Suite struct IndexCommandTests {
    @Test("add declares a path and a prefix, and says whether it is ready")
    func add() async throws {
        try await FakeDaemon.serving({ request in
            .whole(201, answer(request.body.contains("prefix") ? "building" : "ready"))
        }) { daemon in
            let path = #"owner.a\.b.0"#
            let built = try await replctl([
                "index", "add", "home", "owners", path, "--prefix", "task/", "--socket", daemon.socket,
            ])
            #expect(built.code == .ok && built.output == "owners is being built\n")
            #expect(built.error == "to see how far it is: replctl index ls home\n")
            let ready = try await replctl(["--socket", daemon.socket, "index", "add", "home", "owners", path])
            #expect(ready.code == .ok && ready.output == "owners is ready: 42 documents\n")
            #expect(daemon.requests.map(\.method) == ["PUT", "PUT"])
            #expect(
                daemon.requests.map(\.target) == Array(repeating: "/v1/spaces/home/indexes/owners", count: 2))
            #expect(daemon.requests[0].body == #"{"path":["owner","a.b",0],"prefix":"task/"}"#)
            #expect(daemon.requests[1].body == #"{"path":["owner","a.b",0]}"#)
        }
    }

    @Test("ls prints paths as they are typed, and drop names what is gone")
    func list() async throws {
        try await FakeDaemon.serving({ request in
            request.method == "DELETE"
                ? .whole(200, "{}") : .whole(200, #"{"indexes":[\#(answer("building"))]}"#)
        }) { daemon in
            let listed = try await replctl(["index", "ls", "home", "--socket", daemon.socket])
            #expect(
                listed.output == """
                    NAME    PATH          PREFIX  STATE     DOCUMENTS
                    owners  owner.a\\.b.0  task/   building         42

                    """)
            let dropped = try await replctl(["index", "drop", "home", "owners", "--socket", daemon.socket])
            #expect(dropped.code == .ok && dropped.output == "dropped owners\n")
            #expect(daemon.requests.map(\.target).last == "/v1/spaces/home/indexes/owners")
        }
    }

    @Test("a verb that there is not is refused with the one that was meant")
    func unknown() async throws {
        let result = try await replctl(["index", "dorp", "home"])
        #expect(result.code == .badInput)
        #expect(result.error.contains(#"there is no verb "dorp" of replctl index"#))
        #expect(result.error.contains("did you mean: replctl index drop"))
    }
}
