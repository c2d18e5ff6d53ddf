// Every endpoint of API.md on one node: its status, its body, its headers.

import Foundation
import Testing

extension DaemonTests {
    @Suite struct EndpointTests {
        @Test("status, peers, spaces, members, metrics and the API's own description answer as described")
        func reports() throws {
            try DaemonWorld.run { world in
                let api = try world.started("a").api
                let status = try api.json("/v1/status")
                let device = try #require(status["device"].string)
                #expect(
                    device.replacing("-", with: "").count == 56, "a device id has 8 groups of 7: \(device)")
                #expect(status["name"] == "a")
                for member in ["version", "instance", "links", "clock"] {
                    #expect(status.has(member), "\(member)")
                }
                #expect(status["spaces"] == [] && status["alarms"] == [])
                let peers = try api.json("/v1/peers")
                #expect(peers["peers"] == [] && peers["addresses"] == [])

                let space = try api.createSpace("notes")
                #expect(space["name"] == "notes" && space["role"] == "admin")
                let id = try #require(space["id"].string)
                let taken = try api.post("/v1/spaces", #"{"name":"notes"}"#)
                #expect(taken.status == 409 && taken.code == "name-taken", "\(taken)")
                try api.write("notes", #"{"op":"set","document":"a","path":["x"],"value":1}"#)

                let listed = try api.json("/v1/spaces")["spaces"]
                #expect(listed.array.count == 1)
                for reference in ["notes", id] {
                    let one = try api.json("/v1/spaces/\(reference)")
                    #expect(one == listed[0], "by \(reference)")
                    #expect(one["members"] == 1 && one["documents"] == 1)
                }
                let members = try api.json("/v1/spaces/notes/members")["members"]
                #expect(members.array.count == 1)
                #expect(members[0]["device"].string == device && members[0]["role"] == "admin")
                for member in ["name", "addedBy", "state"] { #expect(members[0].has(member), "\(member)") }

                let metrics = try api.get("/v1/metrics")
                #expect(metrics.status == 200)
                #expect(metrics.headers["content-type"]?.hasPrefix("text/plain") == true)
                for line in metrics.text.split(separator: "\n") where !line.hasPrefix("#") {
                    #expect(
                        line.wholeMatch(of: /[a-z_]+(\{[^}]*\})? [0-9.+e-]+/) != nil, "no metric: \(line)")
                }
                try #require(metrics.text.contains("\n"))
            }
        }

        @Test(
            "checkpoints and the log are told to programs and people; only admins propose, nothing goes yet")
        func checkpoints() throws {
            try DaemonWorld.run { world in
                let (a, b) = (try world.started("a"), try world.started("b"))
                try a.api.createSpace("s")
                try b.api.join(try a.api.token("s"))
                try a.api.write("s", Self.increment)
                let told = try a.api.json("/v1/spaces/s/checkpoints")
                #expect(told["standing"] == .null && told["log"]["collectable"] == 0, "\(told)")
                #expect(told["log"]["since"] == "0" && told["waitingFor"] == [])
                let bytes = try #require(told["log"]["bytes"].integer)
                #expect(bytes > 0)
                let metrics = try a.api.get("/v1/metrics").text
                #expect(metrics.contains("repl_log_bytes{space=\"s\"} \(bytes)\n"), "\(told)")
                let refused = try b.api.request("POST", "/v1/spaces/s/checkpoints")
                #expect(refused.status == 403 && refused.code == "no-right", "\(refused)")
                let stranger = try a.api.post("/v1/spaces/s/checkpoints", #"{"absent":["nobody"]}"#)
                #expect(stranger.status == 404 && stranger.code == "no-such-member", "\(stranger)")
                let collected = try a.api.request("POST", "/v1/spaces/s/collect")
                #expect(collected.status == 200 && collected.text == #"{"bytes":0,"changes":0}"#)
                let person = try ChildProcess.run(
                    try Programs.path("replctl"), ["space", "checkpoints", "s", "--socket", a.socket],
                    within: 20)
                let text = String(decoding: person.output, as: UTF8.self)
                #expect(person.end == .exit(0) && text.hasPrefix("standing  none yet\n"), "\(text)")
            }
        }

        @Test("the OpenAPI document names every endpoint, and what it names is there")
        func openAPI() throws {
            try DaemonWorld.run { world in
                let api = try world.started("a").api
                let answer = try api.get("/v1/openapi.json")
                #expect(answer.headers["content-type"] == "application/json")
                let document = try answer.json()
                #expect(document["openapi"].string?.hasPrefix("3.1") == true)
                let paths = document["paths"].object
                let pinned = [
                    "/v1/status", "/v1/peers", "/v1/spaces", "/v1/spaces/{space}",
                    "/v1/spaces/{space}/members",
                    "/v1/spaces/{space}/invites", "/v1/join", "/v1/spaces/{space}/documents",
                    "/v1/spaces/{space}/transactions", "/v1/spaces/{space}/transactions:stream",
                    "/v1/spaces/{space}/changes", "/v1/spaces/{space}/export", "/v1/spaces/{space}/import",
                    "/v1/spaces/{space}/log", "/v1/spaces/{space}/wait", "/v1/spaces/{space}/explain",
                    "/v1/metrics",
                    "/v1/backup",
                ]
                for path in pinned { #expect(paths[path] != nil, "\(path) is not described") }
                #expect(paths.keys.contains { $0.hasPrefix("/v1/spaces/{space}/documents/{") })
                // A path that is described takes its methods and no other.
                try api.createSpace("s")
                for (path, methods) in paths
                where methods.has("get") && !methods.has("put") && !path.contains("changes") {
                    let target = path.replacing("{space}", with: "s").replacing(/\{[^}]*\}/, with: "k")
                    let got = try api.get(target)
                    #expect(got.status != 405 && got.code != "no-such-endpoint", "GET \(target): \(got)")
                    if methods.has("put") { continue }
                    let refused = try api.request("PUT", target, [])
                    #expect(refused.status == 405, "PUT \(target): \(refused)")
                    #expect(refused.headers["allow"]?.contains("GET") == true)
                }
            }
        }

        @Test("a change and a document are explained to programs and to people, with a peer and without")
        func explain() throws {
            try DaemonWorld.run { world in
                let (a, b) = (try world.started("a"), try world.started("b"))
                try a.api.createSpace("s")
                try b.api.join(try a.api.token("s"))
                let change = try #require(try a.api.write("s", Self.increment)["change"].string)
                try eventually("b to have the change on its disk", within: 30) {
                    let told = try a.api.json("/v1/spaces/s/explain?change=\(change)")
                    return told["peers"][0]["reason"] == "held"
                }
                try b.stop()
                let later = try #require(try a.api.write("s", Self.increment)["change"].string)
                try eventually("the link to end", within: 30) {
                    try a.api.json("/v1/spaces/s/explain?key=c")["peers"][0]["reason"] == "not-linked"
                }
                let told = try a.api.json("/v1/spaces/s/explain?key=c")
                #expect(told["here"]["reason"] == "shown" && told["key"] == "c" && !told.has("change"))
                #expect(told["changes"].array.compactMap { $0["change"].string } == [later])
                let peer = told["peers"][0]
                #expect(peer["held"] == false && peer["lacks"][0].string == later, "\(peer)")
                #expect(peer["message"].string?.hasPrefix("not linked for ") == true, "\(peer)")
                let device = try #require(peer["device"].string)
                let named = try a.api.json("/v1/spaces/s/explain?change=\(change)&peer=\(device)")
                #expect(named["here"]["reason"] == "executed" && named["peers"].array.count == 1)
                #expect(named["peers"][0]["held"] == true)
                let person = try ChildProcess.run(
                    try Programs.path("replctl"),
                    ["explain", "s", "c", "--peer", "b", "--socket", a.socket], within: 20)
                let text = String(decoding: person.output, as: UTF8.self)
                #expect(person.end == .exit(0) && text.hasPrefix("here: shown: it is there\n"), "\(text)")
                #expect(text.contains("not-linked  not linked for "), "\(text)")
                #expect(try a.api.get("/v1/spaces/s/explain").code == "missing-subject")
            }
        }

        @Test("one connection serves requests in turn, sent ahead or not, with HEAD and 100-continue")
        func connection() throws {
            try DaemonWorld.run { world in
                let api = try world.started("a").api
                try api.createSpace("s")
                let connection = try api.open()
                for _ in 0..<3 {
                    let exchange = try HTTPExchange(connection, "GET", "/v1/spaces/s", bodyBytes: 0)
                    #expect(try exchange.readAnswer().status == 200)
                }
                let body = Array(
                    #"{"operations":[{"op":"increment","document":"c","path":["n"],"by":1}]}"#.utf8)
                let target = "/v1/spaces/s/transactions"
                var ahead: [HTTPExchange] = []
                for _ in 0..<10 {
                    ahead.append(try HTTPExchange(connection, "POST", target, bodyBytes: body.count))
                    try connection.write(body)
                }
                for exchange in ahead { #expect(try exchange.readAnswer().status == 200) }
                let head = try HTTPExchange(connection, "HEAD", "/v1/spaces/s/documents/c", bodyBytes: 0)
                    .readAnswer()
                #expect(head.status == 200 && head.body == [] && head.headers["repl-cursor"] != nil)
                // A refusal that comes before the body does not spoil what follows it.
                let refused = try HTTPExchange(connection, "POST", "/v1/none", bodyBytes: body.count)
                try connection.write(body)
                #expect(try refused.readAnswer().status == 404)
                #expect(
                    try HTTPExchange(connection, "GET", "/v1/status", bodyBytes: 0).readAnswer().status == 200
                )
                // A body in chunks, announced.
                let expecting = try HTTPExchange(
                    connection, "POST", target,
                    headers: [("Expect", "100-continue"), ("Connection", "close")],
                    bodyBytes: nil)
                #expect(try connection.readLine()?.starts(with: "HTTP/1.1 100".utf8) == true)
                _ = try connection.readLine()
                for byte in body { try expecting.write(chunk: [byte]) }
                try expecting.endChunks()
                #expect(try expecting.readAnswer().status == 200)
                #expect(try connection.readToEnd() == [])
                #expect(try api.value("s", "c") == ["n": 11])
            }
        }

        @Test("a space can be left, and what was in it is gone")
        func leave() throws {
            try DaemonWorld.run { world in
                let api = try world.started("a").api
                try api.createSpace("s")
                try api.write("s", #"{"op":"set","document":"a","path":["x"],"value":1}"#)
                let refused = try api.request("DELETE", "/v1/spaces/s")
                #expect(refused.status == 409 && refused.code == "last-copy")
                #expect(
                    try refused.json()["error"]["loses"] == ["documents": 1, "changes": 1, "members": 0])
                #expect(try api.value("s", "a") == ["x": 1])
                #expect(try api.request("DELETE", "/v1/spaces/s?force=true").status == 200)
                #expect(try api.get("/v1/spaces/s").status == 404)
                #expect(try api.get("/v1/spaces/s/documents/a").code == "no-such-space")
                try api.createSpace("s")
                #expect(try api.export("s") == [])
            }
        }

        @Test("invites are listed by state and can be revoked")
        func invites() throws {
            try DaemonWorld.run { world in
                let api = try world.started("a").api
                try api.createSpace("s")
                let invite = try api.invite("s", role: "reader")
                let id = try #require(invite["id"].string)
                #expect(invite["token"].string?.hasPrefix("repl1-") == true)
                let refused = try api.post("/v1/spaces/s/invites", #"{"role":"king","expiresSeconds":60}"#)
                #expect(refused.status == 422, "\(refused)")
                let open = try api.get("/v1/spaces/s/invites").json()["invites"][0]
                #expect(open["id"].string == id && open["role"] == "reader" && open["state"] == "open")
                #expect(try api.request("DELETE", "/v1/spaces/s/invites/\(id)").status == 200)
                let revoked = try api.get("/v1/spaces/s/invites").json()["invites"][0]
                #expect(revoked["id"].string == id && revoked["state"] == "revoked", "\(revoked)")
                #expect(try api.request("DELETE", "/v1/spaces/s/invites/0000").status == 404)
            }
        }

        @Test("a backup is a consistent copy that a daemon opens as a new incarnation")
        func backup() throws {
            try DaemonWorld.run { world in
                let original = try world.started("a")
                try original.api.createSpace("s")
                for _ in 0..<5 { try increment(original.api) }
                let backup = try original.api.request("POST", "/v1/backup")
                #expect(backup.status == 200)
                #expect(backup.body.starts(with: "SQLite format 3\0".utf8))

                let restored = try world.daemon("b")
                try FileManager.default.createDirectory(
                    atPath: restored.state, withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700])
                let file = try #require(databaseName(in: original.state), "a database in the state directory")
                try Data(backup.body).write(to: URL(fileURLWithPath: restored.state + "/" + file))
                let export = try original.api.export("s", view: "typed")
                let change = try original.api.write("s", Self.increment)["change"].string
                try original.stop()
                try restored.start()
                #expect(try restored.api.export("s", view: "typed") == export)
                let restoredChange = try restored.api.write("s", Self.increment)["change"].string
                let replicas = try [change, restoredChange].map {
                    try #require($0?.split(separator: ":").first)
                }
                #expect(replicas[0] != replicas[1], "a restored backup must write as another replica")
            }
        }

        private static let increment = #"{"op":"increment","document":"c","path":["n"],"by":1}"#

        private func increment(_ api: ControlClient) throws { try api.write("s", Self.increment) }

        private func databaseName(in state: String) -> String? {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: state)) ?? []
            return names.first { name in
                let head = FileManager.default.contents(atPath: state + "/" + name)?.prefix(15)
                return head.map { $0.elementsEqual("SQLite format 3".utf8) } ?? false
            }
        }
    }
}
