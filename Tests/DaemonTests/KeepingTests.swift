// Nothing is lost by a slip, on the real programs: other kinds for values, conflicts listed and ended,
// documents under other keys, and places counted from the end.

import Foundation
import Testing

extension DaemonTests {
    @Suite struct KeepingTests {
        /// Runs replctl on a box; gives its exit code and what it printed.
        @discardableResult
        private func replctl(_ box: Daemon, _ arguments: String...) throws -> (code: Int32, output: String) {
            let result = try ChildProcess.run(
                try Programs.path("replctl"), arguments + ["--socket", box.socket], within: 20)
            guard case .exit(let code) = result.end else {
                Issue.record("\(arguments): \(result.end)")
                return (-1, "")
            }
            return (code, String(decoding: result.output, as: UTF8.self))
        }

        private func convert(_ path: String, _ kind: String) -> String {
            #"{"op":"convert","document":"d","path":["\#(path)"],"kind":"\#(kind)"}"#
        }

        @Test("convert keeps the value, does-not-fit is 422, and wrong-kind carries the operation that helps")
        func converting() throws {
            try DaemonWorld.run { world in
                let a = try world.started("a")
                try a.api.createSpace("s")
                try a.api.write(
                    "s", #"{"op":"set","document":"d","path":[],"value":{"t":"x","n":1,"l":["a"]}}"#)
                let refused = try a.api.transact(
                    "s", [#"{"op":"splice","document":"d","path":["t"],"index":0,"insert":"y"}"#])
                #expect(refused.status == 409 && refused.code == "wrong-kind")
                let error = try refused.json()["error"]
                #expect(
                    error["convert"] == ["op": "convert", "document": "d", "path": ["t"], "kind": "text"])
                #expect(error["shown"] == "register" && error["wanted"] == "text")
                for (path, kind) in [("t", "text"), ("n", "counter"), ("l", "set")] {
                    #expect(try a.api.transact("s", [convert(path, kind)]).status == 200)
                    #expect(try a.api.transact("s", [convert(path, kind)]).json()["change"] == nil)
                }
                #expect(try a.api.value("s", "d") == ["t": "x", "n": 1, "l": ["a"]])
                let misfit = try a.api.transact("s", [convert("n", "text")])
                #expect(misfit.status == 422 && misfit.code == "does-not-fit")
                #expect(try a.api.transact("s", [convert("t", "map")]).status == 422)
                #expect(try replctl(a, "incr", "s", "d", "n", "2").code == 0)
                #expect(try replctl(a, "get", "s", "d", "n").output == "3\n")
                try a.api.write("s", #"{"op":"set","document":"d","path":["r"],"value":"v"}"#)
                #expect(try replctl(a, "convert", "s", "d", "r", "text").code == 0)
                #expect(try replctl(a, "convert", "s", "d", "r", "text", "--must-exist").code == 1)
            }
        }

        @Test(
            "what two wrote apart is listed with who wrote it, page by page, and ended by number or by value")
        func conflicts() throws {
            try DaemonWorld.run { world in
                let a = try world.started("a")
                try a.api.createSpace("s")
                let b = try world.started("b", peers: [a])
                _ = try b.api.join(try a.api.token("s"))
                try eventually("both to be level", within: 20) {
                    try b.api.get("/v1/spaces/s").json()["members"] == 2
                }
                try b.stop()
                for key in ["k1", "k2"] {
                    try a.api.write(
                        "s", #"{"op":"set","document":"\#(key)","path":["x"],"value":"from a"}"#,
                        #"{"op":"set","document":"\#(key)","path":["y"],"value":1}"#)
                }
                try a.stop()
                try b.start(peers: [a])
                for key in ["k1", "k2"] {
                    try b.api.write(
                        "s", #"{"op":"set","document":"\#(key)","path":["x"],"value":"from b"}"#,
                        #"{"op":"set","document":"\#(key)","path":["y"],"value":2}"#)
                }
                try a.start(peers: [b])
                try eventually("both to be level", within: 20) {
                    try a.api.export("s") == b.api.export("s")
                        && a.api.json("/v1/spaces/s/conflicts")["conflicts"].array.count == 4
                }
                let first = try a.api.json("/v1/spaces/s/conflicts?limit=1")
                #expect(first["conflicts"].array.count == 1)
                let place = first["conflicts"][0]
                #expect(place["document"] == "k1" && place["path"] == ["x"])
                #expect(place["shown"]["value"] == "from b" && place["shown"]["author"]["name"] == "b")
                #expect(
                    place["others"][0]["value"] == "from a" && place["others"][0]["author"]["name"] == "a")
                #expect(place["others"][0]["timestamp"].integer ?? 0 > 0)
                // Every page goes on where the one before ended.
                var (pages, next) = (1, first["next"].string)
                while let after = next {
                    let text = after.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
                    let page = try a.api.json("/v1/spaces/s/conflicts?limit=1&after=\(text)")
                    pages += page["conflicts"].array.count
                    next = page["next"].string
                }
                #expect(pages == 4)
                #expect(try a.api.json("/v1/spaces/s/conflicts?after=k1")["conflicts"].array.count == 2)
                #expect(try a.api.json("/v1/spaces/s/conflicts?document=k2")["conflicts"].array.count == 2)
                #expect(try a.api.json("/v1/spaces/s/conflicts?prefix=none")["conflicts"].array.count == 0)
                try settle(a, b)
            }
        }

        private func settle(_ a: Daemon, _ b: Daemon) throws {
            func resolve(_ rest: String) throws -> HTTPAnswer {
                try a.api.post(
                    "/v1/spaces/s/conflicts:resolve", #"{"document":"k1","path":["x"],\#(rest)}"#)
            }
            let version = try a.api.json("/v1/spaces/s/documents/k1")["version"].string ?? ""
            #expect(try resolve(#""take":2"#).status == 422)
            #expect(try resolve(#""take":0,"value":1"#).status == 422)
            #expect(try resolve(#""take":1,"version":"\#(version)""#).status == 200)
            #expect(try a.api.value("s", "k1")["x"] == "from a")
            // The version is of before.
            let late = try resolve(#""value":"mine","version":"\#(version)""#)
            #expect(late.status == 412 && late.code == "condition-failed")
            #expect(try replctl(a, "resolve", "s", "k1", "y", "--value", "3").code == 0)
            #expect(try replctl(a, "resolve", "s", "k2", "x", "--take", "0").code == 0)
            #expect(try replctl(a, "resolve", "s", "k2", "y", "--take", "5").code == 3)
            let left = try replctl(a, "conflicts", "s").output
            #expect(left.contains("k2") && left.contains("0 (shows)") && !left.contains("k1"), "\(left)")
            try eventually("the other to have it", within: 20) {
                try b.api.value("s", "k1") == ["x": "from a", "y": 3]
                    && b.api.json("/v1/spaces/s/conflicts")["conflicts"].array.count == 1
            }
        }

        @Test("a document is copied and moved with its kinds, to where nothing is, in one transaction")
        func copies() throws {
            try DaemonWorld.run { world in
                let a = try world.started("a")
                try a.api.createSpace("s")
                try replctl(
                    a, "set", "s", "one", "x=1", "--text", "t=hey", "--counter", "n=2", "--set", "tags=[1,2]")
                try replctl(a, "append", "s", "one", "l", #"{"k":"v"}"#)
                let typed = try a.api.json("/v1/spaces/s/documents/one?view=typed")["value"]["value"]
                #expect(try replctl(a, "cp", "s", "one", "two").code == 0)
                #expect(try a.api.value("s", "two") == a.api.value("s", "one"))
                let copied = try a.api.json("/v1/spaces/s/documents/two?view=typed")["value"]["value"]
                for key in ["x", "t", "n", "tags", "l"] { #expect(copied[key]["kind"] == typed[key]["kind"]) }
                #expect(try replctl(a, "incr", "s", "two", "n").code == 0)
                #expect(try replctl(a, "splice", "s", "two", "t", "3", "0", "!").code == 0)
                #expect(try replctl(a, "cp", "s", "one", "two").code == 4)
                #expect(try a.api.value("s", "two")["t"] == "hey!")
                #expect(try replctl(a, "mv", "s", "one", "two", "--force").code == 0)
                #expect(try a.api.value("s", "two")["t"] == "hey")
                #expect(try a.api.get("/v1/spaces/s/documents/one").status == 404)
                #expect(try replctl(a, "mv", "s", "one", "three").code == 1)
                #expect(try replctl(a, "cp", "s", "one", "three").code == 1)
                #expect(try replctl(a, "mv", "s", "two", "one").code == 0)
                let log = try a.api.get("/v1/spaces/s/log?document=one").body
                #expect(log.split(separator: 0x0A).count == 4, "each was one change")
                let absent = try a.api.transact(
                    "s", [#"{"op":"copy","document":"x","path":[],"from":"none"}"#])
                #expect(absent.status == 404 && absent.code == "no-such-document")
            }
        }

        @Test("a space is left by a script that says --yes, and not while something would be lost")
        func leaving() throws {
            try DaemonWorld.run { world in
                let a = try world.started("a")
                try a.api.createSpace("s")
                try a.api.write("s", #"{"op":"set","document":"d","path":["x"],"value":1}"#)
                #expect(try replctl(a, "space", "leave", "s").code == 4)
                #expect(try replctl(a, "space", "leave", "s", "--yes").code == 4)
                let b = try world.started("b", peers: [a])
                _ = try b.api.join(try a.api.token("s"))
                try eventually("both to be level", within: 20) { try a.api.export("s") == b.api.export("s") }
                let admin = try a.api.request("DELETE", "/v1/spaces/s")
                #expect(admin.status == 409 && admin.code == "last-admin")
                try a.stop()
                try b.api.write("s", #"{"op":"set","document":"e","path":["x"],"value":1}"#)
                let behind = try b.api.request("DELETE", "/v1/spaces/s")
                #expect(behind.status == 409 && behind.code == "others-behind")
                #expect(
                    try behind.json()["error"]["loses"] == ["documents": 1, "changes": 1, "members": 1])
                try a.start(peers: [b])
                try eventually("b to be free to leave", within: 30) {
                    try b.api.request("DELETE", "/v1/spaces/s").status == 200
                }
                #expect(try a.api.value("s", "e") == ["x": 1])
                #expect(try replctl(a, "space", "leave", "s", "--yes", "--force").code == 0)
            }
        }

        @Test("-1 is behind the last for insert and to, and the last element for from")
        func fromTheEnd() throws {
            try DaemonWorld.run { world in
                let a = try world.started("a")
                try a.api.createSpace("s")
                func list(_ rest: String, status: Int = 200) throws -> JSON {
                    let operation = #"{"document":"d","path":["l"],\#(rest)}"#
                    #expect(try a.api.transact("s", [operation]).status == status, "\(rest)")
                    return try a.api.value("s", "d")["l"]
                }
                #expect(try list(#""op":"insert","index":-1,"values":[1,2]"#) == [1, 2])
                #expect(try list(#""op":"insert","index":-1,"values":[3]"#) == [1, 2, 3])
                #expect(try list(#""op":"insert","index":-2,"values":[4]"#) == [1, 2, 4, 3])
                #expect(try list(#""op":"insert","index":-5,"values":[0]"#) == [0, 1, 2, 4, 3])
                #expect(try list(#""op":"insert","index":-7,"values":[9]"#, status: 422) == [0, 1, 2, 4, 3])
                #expect(try list(#""op":"move","from":-1,"to":0"#) == [3, 0, 1, 2, 4])
                #expect(try list(#""op":"move","from":0,"to":-1"#) == [0, 1, 2, 4, 3])
                #expect(try list(#""op":"move","from":-2,"to":-1"#) == [0, 1, 2, 3, 4])
                #expect(try list(#""op":"move","from":-5,"to":-2"#) == [1, 2, 3, 0, 4])
                #expect(try list(#""op":"move","from":-6,"to":0"#, status: 422) == [1, 2, 3, 0, 4])
                // The same of an ordered set.
                try a.api.write("s", #"{"op":"convert","document":"d","path":["l"],"kind":"ordered-set"}"#)
                #expect(try list(#""op":"insert","index":-1,"values":[1]"#) == [2, 3, 0, 4, 1])
                #expect(try list(#""op":"move","from":-1,"to":-2"#) == [2, 3, 0, 1, 4])
                // And as a person types it.
                #expect(try replctl(a, "append", "s", "d", "l", "9").code == 0)
                #expect(try replctl(a, "insert", "s", "d", "l", "-2", "8").code == 0)
                #expect(try replctl(a, "move", "s", "d", "l", "-1", "0").code == 0)
                #expect(try a.api.value("s", "d")["l"] == [9, 2, 3, 0, 1, 4, 8])
            }
        }

        @Test("what changes nothing says so, and is 1 with --must-exist")
        func nothingChanged() throws {
            try DaemonWorld.run { world in
                let a = try world.started("a")
                try a.api.createSpace("s")
                try replctl(a, "set", "s", "d", "x=1", "--set", "tags=[1]")
                for command in [
                    ["delete", "s", "none"], ["delete", "s", "d", "none"], ["remove", "s", "d", "tags", "7"],
                    ["set", "s", "d", "x=1"], ["make", "s", "d", "tags", "set"],
                    ["incr", "s", "d", "n", "0"],
                ] {
                    let result = try ChildProcess.run(
                        try Programs.path("replctl"), command + ["--socket", a.socket], within: 20)
                    let strict = try ChildProcess.run(
                        try Programs.path("replctl"), command + ["--must-exist", "--socket", a.socket],
                        within: 20)
                    let said = Array("nothing changed\n".utf8)
                    // A counter that is not there is made.
                    if command[0] == "incr" {
                        #expect(strict.end == .exit(1))
                        continue
                    }
                    #expect(result.end == .exit(0) && result.output == said, "\(command)")
                    #expect(strict.end == .exit(1) && strict.output == said, "\(command)")
                }
            }
        }
    }
}
