// The bytes that each verb sends, against API.md.

import Testing

@testable import replctl

private let written = FakeAnswer.whole(200, #"{"change":"c:1","version":"v"}"#)

/// One command and the request that it is.
struct Verbatim: Sendable, CustomTestStringConvertible {
    let arguments: [String]
    let method: String
    let target: String
    let body: String

    init(_ arguments: String..., sends method: String, _ target: String, _ body: String = "") {
        self.arguments = arguments
        self.method = method
        self.target = target
        self.body = body
    }

    var testDescription: String { arguments.joined(separator: " ") }

    static func operation(_ arguments: String..., sends operations: String...) -> Verbatim {
        var verbatim = Verbatim(sends: "POST", "/v1/spaces/home/transactions", "")
        verbatim = Verbatim(
            arguments: arguments, method: verbatim.method, target: verbatim.target,
            body: #"{"operations":["# + operations.joined(separator: ",") + "]}")
        return verbatim
    }

    private init(arguments: [String], method: String, target: String, body: String) {
        (self.arguments, self.method, self.target, self.body) = (arguments, method, target, body)
    }
}

private let writes: [Verbatim] = [
    .operation(
        "set", "home", "note/1", "title=Groceries", "items=[\"milk\",\"bread\"]", "done=false",
        sends: #"{"op":"set","document":"note/1","path":["title"],"value":"Groceries"}"#,
        #"{"op":"set","document":"note/1","path":["items"],"value":["milk","bread"]}"#,
        #"{"op":"set","document":"note/1","path":["done"],"value":false}"#),
    .operation("set", "home", "d", "={}", sends: #"{"op":"set","document":"d","path":[],"value":{}}"#),
    .operation("delete", "home", "d", sends: #"{"op":"delete","document":"d","path":[]}"#),
    .operation("delete", "home", "d", "a.0", sends: #"{"op":"delete","document":"d","path":["a",0]}"#),
    .operation("incr", "home", "d", "n", sends: #"{"op":"increment","document":"d","path":["n"],"by":1}"#),
    .operation(
        "incr", "home", "d", "n", "-5", sends: #"{"op":"increment","document":"d","path":["n"],"by":-5}"#),
    .operation(
        "add", "home", "d", "tags", "\"weekend\"", "-2", "x",
        sends: #"{"op":"add","document":"d","path":["tags"],"value":"weekend"}"#,
        #"{"op":"add","document":"d","path":["tags"],"value":-2}"#,
        #"{"op":"add","document":"d","path":["tags"],"value":"x"}"#),
    .operation(
        "remove", "home", "d", "tags", "7",
        sends: #"{"op":"remove","document":"d","path":["tags"],"value":7}"#),
    .operation(
        "insert", "home", "d", "items", "2", "\"eggs\"", "{\"b\":1,\"a\":2}",
        sends: #"{"op":"insert","document":"d","path":["items"],"index":2,"values":["eggs",{"a":2,"b":1}]}"#),
    .operation(
        "insert", "home", "d", "items", "-1", "x",
        sends: #"{"op":"insert","document":"d","path":["items"],"index":-1,"values":["x"]}"#),
    .operation(
        "append", "home", "d", "items", "x", "2",
        sends: #"{"op":"insert","document":"d","path":["items"],"index":-1,"values":["x",2]}"#),
    .operation(
        "prepend", "home", "d", "items", "--", "--x",
        sends: #"{"op":"insert","document":"d","path":["items"],"index":0,"values":["--x"]}"#),
    .operation(
        "incr", "home", "d", "n", "--", "-5",
        sends: #"{"op":"increment","document":"d","path":["n"],"by":-5}"#),
    .operation(
        "set", "home", "d", "--text", "body=hi", "--set", "tags=[1]", "--list", "items=[]", "a=@@b",
        sends: #"{"op":"set","document":"d","path":["a"],"value":"@b"}"#,
        #"{"op":"make","document":"d","path":["body"],"kind":"text"}"#,
        #"{"op":"set","document":"d","path":["body"],"value":"hi"}"#,
        #"{"op":"make","document":"d","path":["tags"],"kind":"set"}"#,
        #"{"op":"set","document":"d","path":["tags"],"value":[1]}"#,
        #"{"op":"make","document":"d","path":["items"],"kind":"list"}"#,
        #"{"op":"set","document":"d","path":["items"],"value":[]}"#),
    .operation(
        "move", "home", "d", "items", "0", "-1",
        sends: #"{"op":"move","document":"d","path":["items"],"from":0,"to":-1}"#),
    .operation(
        "move", "home", "d", "items", "3", "0",
        sends: #"{"op":"move","document":"d","path":["items"],"from":3,"to":0}"#),
    .operation(
        "splice", "home", "d", "body", "5", "2", "12",
        sends: #"{"op":"splice","document":"d","path":["body"],"index":5,"delete":2,"insert":"12"}"#),
    .operation(
        "splice", "home", "d", "body", "0", "1", "",
        sends: #"{"op":"splice","document":"d","path":["body"],"index":0,"delete":1,"insert":""}"#),
    .operation(
        "convert", "home", "d", "body", "text",
        sends: #"{"op":"convert","document":"d","path":["body"],"kind":"text"}"#),
    .operation(
        "make", "home", "d", "seen", "ordered-set",
        sends: #"{"op":"make","document":"d","path":["seen"],"kind":"ordered-set"}"#),
]

private let others: [Verbatim] = [
    Verbatim("status", sends: "GET", "/v1/status"),
    Verbatim("peers", sends: "GET", "/v1/peers"),
    Verbatim("reload", sends: "POST", "/v1/reload"),
    Verbatim("reload", "--check", sends: "POST", "/v1/reload?check=true"),
    Verbatim("spaces", sends: "GET", "/v1/spaces"),
    Verbatim("space", "create", "home", sends: "POST", "/v1/spaces", #"{"name":"home"}"#),
    Verbatim("space", "show", "a/b", sends: "GET", "/v1/spaces/a%2fb"),
    Verbatim("space", "members", "home", sends: "GET", "/v1/spaces/home/members"),
    Verbatim(
        "space", "invite", "home", "--role", "reader", "--expires", "2h", sends: "POST",
        "/v1/spaces/home/invites", #"{"role":"reader","expiresSeconds":7200}"#),
    Verbatim("space", "invites", "home", sends: "GET", "/v1/spaces/home/invites"),
    Verbatim("space", "revoke", "home", "ab", sends: "DELETE", "/v1/spaces/home/invites/ab"),
    Verbatim("space", "keys", "home", sends: "GET", "/v1/spaces/home/keys"),
    Verbatim("space", "keys", "home", "--rotate", sends: "POST", "/v1/spaces/home/keys"),
    Verbatim("members", "home", sends: "GET", "/v1/spaces/home/members"),
    Verbatim("space", "remove", "home", "attic", "--yes", sends: "DELETE", "/v1/spaces/home/members/attic"),
    Verbatim(
        "space", "remove", "home", "attic", "--dry-run", sends: "DELETE",
        "/v1/spaces/home/members/attic?dryRun=true"),
    Verbatim(
        "space", "role", "home", "attic", "reader", sends: "PATCH", "/v1/spaces/home/members/attic",
        #"{"role":"reader"}"#),
    Verbatim("void", "home", sends: "GET", "/v1/spaces/home/void"),
    Verbatim(
        "void", "home", "--cause", "removed", "--member", "TXCWM6Y", sends: "GET",
        "/v1/spaces/home/void?cause=removed&member=TXCWM6Y"),
    Verbatim(
        "adopt", "home", "a:1", "b:2", sends: "POST", "/v1/spaces/home/void:adopt",
        #"{"changes":["a:1","b:2"]}"#),
    Verbatim(
        "adopt", "home", "--member", "TXCWM6Y", sends: "POST", "/v1/spaces/home/void:adopt",
        #"{"member":"TXCWM6Y"}"#),
    Verbatim("forks", "home", sends: "GET", "/v1/spaces/home/forks"),
    Verbatim("quarantine", "home", sends: "GET", "/v1/spaces/home/quarantine"),
    Verbatim(
        "conflicts", "home", "n/1", "--prefix", "n/", sends: "GET",
        "/v1/spaces/home/conflicts?document=n%2f1&prefix=n%2f"),
    Verbatim(
        "resolve", "home", "d", "l.0", "--take", "1", "--if-version", "v", sends: "POST",
        "/v1/spaces/home/conflicts:resolve", #"{"document":"d","path":["l",0],"take":1,"version":"v"}"#),
    Verbatim(
        "resolve", "home", "d", "t", "--value", "x", sends: "POST", "/v1/spaces/home/conflicts:resolve",
        #"{"document":"d","path":["t"],"value":"x"}"#),
    Verbatim("space", "leave", "home", "--yes", sends: "DELETE", "/v1/spaces/home"),
    Verbatim(
        "space", "leave", "home", "-y", "--force", sends: "DELETE", "/v1/spaces/home?force=true"),
    Verbatim("ls", "home", "a b&c", sends: "GET", "/v1/spaces/home/documents?prefix=a%20b%26c"),
    Verbatim(
        "ls", "home", "n/", "--values", "--long", "--limit", "5", "--reverse", sends: "GET",
        "/v1/spaces/home/documents?prefix=n%2f&reverse=true&values=plain&limit=5"),
    Verbatim(
        "ls", "home", "--typed", "--order", "due", "--desc", "--after", "k", "--explain", sends: "GET",
        "/v1/spaces/home/documents?after=k&order=-due&values=typed&explain=true"),
    Verbatim(
        "ls", "home", "--desc", "--keys-only", sends: "GET", "/v1/spaces/home/documents?order=-key"),
    Verbatim(
        "find", "home", "todo/", "done=false", "qty>3", sends: "GET",
        "/v1/spaces/home/documents?prefix=todo%2f&where=done%3dfalse%20and%20qty%3e3"),
    Verbatim(
        "find", "home", "tags", "has", "\"work\"", "--order=-due", sends: "GET",
        "/v1/spaces/home/documents?where=tags%20has%20%22work%22&order=-due"),
    Verbatim(
        "ls", "home", "--at-least", "v", "--timeout", "5s", sends: "GET",
        "/v1/spaces/home/documents?timeoutSeconds=5"),
    Verbatim("log", "home", "--at-least", "v", sends: "GET", "/v1/spaces/home/log?timeoutSeconds=30"),
    Verbatim(
        "export", "home", "--prefix", "n/", "--at-least", "v", sends: "GET",
        "/v1/spaces/home/export?prefix=n%2f&timeoutSeconds=30"),
    Verbatim(
        "log", "home", "--after", "a:1", "--document", "n/1", sends: "GET",
        "/v1/spaces/home/log?after=a:1&document=n%2f1"),
    Verbatim("export", "home", "--typed", sends: "GET", "/v1/spaces/home/export?view=typed"),
    Verbatim(
        "wait", "home", "a:1", "--on", "d1", "--on", "d2", "--timeout", "1m", sends: "GET",
        "/v1/spaces/home/wait?change=a:1&timeoutSeconds=60&on=d1&on=d2"),
    Verbatim(
        "watch", "home", "n/", "--since", "begin", "--no-follow", sends: "GET",
        "/v1/spaces/home/changes?since=begin&prefix=n%2f&follow=false"),
    Verbatim(
        "watch", "home", "--where", "a=1", "--no-follow", sends: "GET",
        "/v1/spaces/home/changes?where=a%3d1&follow=false"),
]

@Suite struct RequestTests {
    @Test("each write is one transaction, and prints its change", arguments: writes)
    func write(verbatim: Verbatim) async throws {
        try await FakeDaemon.serving({ _ in written }) { daemon in
            let result = try await replctl(["--socket", daemon.socket] + verbatim.arguments)
            #expect(result.code == .ok && result.output == "c:1\n" && result.error.isEmpty)
            let request = try #require(daemon.requests.first)
            #expect(request.method == verbatim.method && request.target == verbatim.target)
            #expect(request.body == verbatim.body)
            #expect(request.headers["content-type"] == "application/json")
        }
    }

    @Test("each other verb is its endpoint", arguments: others)
    func other(verbatim: Verbatim) async throws {
        try await FakeDaemon.serving({ _ in .whole(200, "{}") }) { daemon in
            let result = try await replctl(
                verbatim.arguments + ["--json"], environment: ["REPL_SOCKET": daemon.socket])
            #expect(result.code == .ok, "\(result.error)")
            let request = try #require(daemon.requests.first)
            #expect(request.method == verbatim.method && request.target == verbatim.target)
            #expect(request.body == verbatim.body)
        }
    }

    @Test("a document's key goes over as it is, slashes kept and all else encoded")
    func key() async throws {
        try await FakeDaemon.serving({ _ in .whole(200, #"{"key":"k","value":{"a":["x"]},"version":"v"}"#) })
        { daemon in
            let result = try await replctl([
                "get", "home", "../a//b?c%2F é", "a.0", "--socket", daemon.socket, "--at-least", "v1",
                "--timeout", "5s",
            ])
            #expect(result.code == .ok && result.output == "x\n")
            let request = try #require(daemon.requests.first)
            #expect(
                request.target == "/v1/spaces/home/documents/../a//b%3fc%252F%20%c3%a9?timeoutSeconds=5")
            #expect(request.headers["repl-at-least"] == "v1")
        }
    }

    @Test("--json prints the daemon's bytes, numbers untouched")
    func untouched() async throws {
        let body = #"{"version":"v","key":"k","value":{"n":1e400,"m":12345678901234567890}}"#
        try await FakeDaemon.serving({ _ in .whole(200, body) }) { daemon in
            let result = try await replctl(["get", "home", "k", "--json", "--socket", daemon.socket])
            #expect(result.code == .ok && result.output == body + "\n")
        }
    }

    @Test("a list of keys goes on from page to page")
    func pages() async throws {
        try await FakeDaemon.serving({ request in
            request.target.contains("cursor=")
                ? .whole(200, #"{"documents":[{"key":"b","version":"v"}],"next":null}"#)
                : .whole(200, #"{"documents":[{"key":"a","version":"v"}],"next":"a"}"#)
        }) { daemon in
            #expect(try await replctl(["ls", "home", "--socket", daemon.socket]).output == "a\nb\n")
            let json = try await replctl(["ls", "home", "--json", "--socket", daemon.socket]).output
            #expect(json == #"{"key":"a","version":"v"}"# + "\n" + #"{"key":"b","version":"v"}"# + "\n")
        }
    }

    @Test("a write that changed nothing prints no change")
    func nothing() async throws {
        try await FakeDaemon.serving({ _ in .whole(200, #"{"change":null,"version":"v"}"#) }) { daemon in
            let result = try await replctl(["set", "home", "k", "a=1", "--socket", daemon.socket])
            #expect(result.code == .ok && result.output.isEmpty && result.error == "nothing changed\n")
        }
    }
}
