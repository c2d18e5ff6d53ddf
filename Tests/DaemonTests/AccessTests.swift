// What `[access]` gives users of one box. Processes, because it is the kernel's word on who connects: each
// question is asked by curl as another user.

import Foundation
import Testing

extension DaemonTests {
    @Suite(
        .enabled(if: geteuid() == 0, "only root may run children as other users"), .needs("curl"),
        .needs("setpriv"))
    struct AccessTests {
        /// Users of every Debian, and a group that none of them is in.
        private enum Who {
            static let games = ["--reuid=games", "--regid=games", "--clear-groups"]
            static let nobody = ["--reuid=nobody", "--regid=nogroup", "--clear-groups"]
            static let member = ["--reuid=nobody", "--regid=nogroup", "--groups=users"]
        }

        private let rules = """
            [access]
            games = "write:home/note/"
            "@users" = "read:home"
            """

        private func write(_ text: String, _ file: String) throws {
            try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        }

        /// A daemon with a config file, on a socket that everybody can reach: only the second gate is left.
        private func configured(_ world: DaemonWorld, _ text: String) throws -> (daemon: Daemon, file: String)
        {
            let file = "\(world.folder)/repld.toml"
            try write(text, file)
            chmod(world.folder, 0o755)
            let daemon = try world.daemon("a").start(extra: ["--config", file])
            chmod(daemon.socket, 0o666)
            try daemon.api.createSpace("home")
            try daemon.api.createSpace("work")
            for key in ["note/1", "task/1"] {
                try daemon.api.write(
                    "home", #"{"op":"set","document":"\#(key)","path":["t"],"value":"secret"}"#)
            }
            return (daemon, file)
        }

        private func curl(_ daemon: Daemon, _ target: String, _ more: [String]) -> [String] {
            ["curl", "-sS", "--max-time", "30", "-H", "Content-Type:", "--unix-socket", daemon.socket] + more
                + ["http://repld\(target)"]
        }

        /// Status and body of an answer to another user.
        private func ask(
            _ daemon: Daemon, as who: [String], _ target: String, _ more: String...
        ) throws -> (status: Int, body: String) {
            let words = who + curl(daemon, target, ["-w", "\n%{http_code}"] + more)
            let result = try ChildProcess.run("/usr/bin/setpriv", words, within: 40)
            let text = String(decoding: result.output, as: UTF8.self)
            let end = try #require(text.lastIndex(of: "\n"), "\(text)")
            return (Int(text[text.index(after: end)...]) ?? 0, String(text[..<end]))
        }

        private func set(_ key: String) -> String {
            #"{"operations":[{"op":"set","document":"\#(key)","path":["t"],"value":"new"}]}"#
        }

        @Test(
            "a user has what his name is given, a member what his group is given, others nothing more"
        )
        func users() throws {
            try DaemonWorld.run { world in
                let (a, _) = try configured(world, rules)
                let space = "/v1/spaces/home"
                // By his name.
                #expect(try ask(a, as: Who.games, space + "/documents/note/1").status == 200)
                let refused = try ask(a, as: Who.games, space + "/documents/task/1")
                #expect(refused.status == 403 && refused.body.contains(#""code":"not-granted""#))
                #expect(refused.body.contains(#""granted":["write:home/note/"]"#), "\(refused)")
                #expect(refused.body.contains("task/1") && !refused.body.contains("secret"))
                let written = try ask(
                    a, as: Who.games, space + "/transactions", "--data-binary", set("note/1"))
                #expect(written.status == 200, "\(written)")
                #expect(
                    try ask(a, as: Who.games, space + "/transactions", "--data-binary", set("task/1")).status
                        == 403)
                let stream = try ask(
                    a, as: Who.games, space + "/transactions:stream", "--data-binary",
                    set("task/1") + "\n" + set("note/2"))
                let lines = stream.body.split(separator: "\n")
                #expect(lines.count == 2 && lines[0].contains("not-granted") && lines[1].contains("change"))
                let export = try ask(a, as: Who.games, space + "/export")
                #expect(export.body.contains("note/2") && !export.body.contains("task/1"), "\(export)")
                #expect(try ask(a, as: Who.games, "/v1/spaces").body.contains("work") == false)
                #expect(try ask(a, as: Who.games, "/v1/spaces/work/members").status == 403)
                for target in ["/v1/peers", "/v1/metrics", "/v1/support", space + "/invites", space + "/log"]
                {
                    #expect(try ask(a, as: Who.games, target).status == 403, "\(target)")
                }
                // By a group, and by nothing.
                #expect(try ask(a, as: Who.member, space + "/documents/task/1").status == 200)
                #expect(
                    try ask(a, as: Who.member, space + "/transactions", "--data-binary", set("task/1")).status
                        == 403)
                let nobody = try ask(a, as: Who.nobody, space + "/documents/note/1")
                #expect(nobody.status == 403 && nobody.body.contains("no-credentials"), "\(nobody)")
                #expect(
                    try a.api.value("home", "task/1")["t"] == "secret", "root reads, and nothing was written")
            }
        }

        @Test("a cursor of a listing goes on only for who has what its caller had")
        func cursors() throws {
            try DaemonWorld.run { world in
                let (a, _) = try configured(world, rules)
                let page = try a.api.json("/v1/spaces/home/documents?limit=1")
                let cursor = try #require(page["next"].string)
                let target = "/v1/spaces/home/documents?cursor=\(cursor)"
                let stolen = try ask(a, as: Who.games, target)
                #expect(stolen.status == 410 && !stolen.body.contains("task/1"), "\(stolen)")
                #expect(try a.api.get(target).status == 200, "it is still there for its own")
            }
        }

        @Test(
            "a reload applies to the next request, ends streams of whom it changes, and leaves others alone")
        func reload() throws {
            try DaemonWorld.run { world in
                let (a, file) = try configured(world, rules)
                func stream(_ who: [String], _ name: String) throws -> (ChildProcess, String) {
                    let output = "\(world.folder)/\(name)"
                    let words = who + curl(a, "/v1/spaces/home/changes", ["-N"])
                    let child = try ChildProcess("/usr/bin/setpriv", words, output: output)
                    try eventually("the stream of \(name)", within: 20) {
                        (try? String(contentsOfFile: output, encoding: .utf8))?.contains("cursor") ?? false
                    }
                    return (child, output)
                }
                let (changed, changedOutput) = try stream(Who.games, "games")
                let (same, sameOutput) = try stream(Who.member, "users")
                try write(rules.replacing("write:home/note/", with: "read:work"), file)
                let answer = try a.api.post("/v1/reload", "")
                #expect(answer.status == 200 && answer.text.contains(#""applied":["access"]"#), "\(answer)")
                #expect(try changed.waitForEnd(within: 20, "the stream of games") == .exit(0))
                let said = try String(contentsOfFile: changedOutput, encoding: .utf8)
                #expect(said.contains(#""code":"not-granted""#), "\(said)")
                #expect(try ask(a, as: Who.games, "/v1/spaces/home/documents/note/1").status == 403)
                #expect(try ask(a, as: Who.games, "/v1/spaces/work/members").status == 200)
                try a.api.write("home", #"{"op":"set","document":"task/1","path":["t"],"value":"seen"}"#)
                try eventually("the other stream to go on", within: 20) {
                    try String(contentsOfFile: sameOutput, encoding: .utf8).contains("seen")
                }
                #expect(same.poll() == nil)
                // Without the section nothing is left of it.
                try write("", file)
                _ = try a.api.post("/v1/reload", "")
                let nobody = try ask(a, as: Who.games, "/v1/spaces/work/members")
                #expect(nobody.status == 403 && nobody.body.contains("no-credentials"), "\(nobody)")
            }
        }
    }
}
