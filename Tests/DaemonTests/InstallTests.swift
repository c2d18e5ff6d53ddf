// `make install` into a folder of the test's own: everything that a package needs, and nothing elsewhere.

import Foundation
import Testing

extension DaemonTests {
    @Suite struct InstallTests {
        @Test(
            "the README, OPERATING.md and make say the same of how the service is started: users come first")
        func steps() throws {
            let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("../..").standardized.path
            let said = try ChildProcess.run(
                "/usr/bin/make", ["-n", "-C", root, "install-files", "PROGRAMS=/none", "DESTDIR="], within: 20
            )
            #expect(said.end == .exit(0))
            for text in [
                try String(contentsOfFile: root + "/README.md", encoding: .utf8),
                try String(contentsOfFile: root + "/Sources/Docs/OPERATING.md", encoding: .utf8),
                String(decoding: said.output, as: UTF8.self),
            ] {
                let users = try #require(
                    text.range(
                        of: "systemd-sysusers && systemd-tmpfiles --create && systemctl daemon-reload"))
                let start = try #require(text.range(of: "systemctl enable --now repld.socket repld"))
                #expect(users.upperBound < start.lowerBound)
                #expect(!text.contains("systemctl enable --now repld\n"))
            }
        }

        private func install(to folder: String, prefix: String) throws -> (
            end: ChildProcess.End, output: [UInt8]
        ) {
            let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("../..").standardized.path
            return try ChildProcess.run(
                "/usr/bin/make",
                [
                    "-C", root, "install-files", "DESTDIR=\(folder)", "PREFIX=\(prefix)",
                    "PROGRAMS=\(try Programs.path(""))",
                ], within: 60)
        }

        @Test(
            "what a package needs is installed, and a config file that is there stays"
        )
        func installs() throws {
            try DaemonWorld.run { world in
                let result = try install(to: world.folder, prefix: "/opt/repl")
                try #require(result.end == .exit(0), "\(String(decoding: result.output, as: UTF8.self))")
                for file in [
                    "/opt/repl/bin/notes", "/opt/repl/share/man/man1/notes.1",
                    "/opt/repl/share/bash-completion/completions/notes",
                    "/opt/repl/share/zsh/site-functions/_notes",
                    "/opt/repl/share/fish/vendor_completions.d/notes.fish",
                    "/opt/repl/bin/repld", "/opt/repl/bin/replctl", "/etc/repld/repld.toml",
                    "/usr/lib/systemd/system/repld.service", "/usr/lib/systemd/system/repld.socket",
                    "/usr/lib/systemd/user/repld.service", "/usr/lib/systemd/user/repld.socket",
                    "/usr/lib/sysusers.d/repld.conf", "/usr/lib/tmpfiles.d/repld.conf",
                    "/opt/repl/share/bash-completion/completions/replctl",
                    "/opt/repl/share/zsh/site-functions/_replctl",
                    "/opt/repl/share/fish/vendor_completions.d/replctl.fish",
                    "/opt/repl/share/doc/repld/OPERATING.md", "/opt/repl/share/doc/repld/LOGS.md",
                    "/opt/repl/share/doc/repld/API.md", "/opt/repl/share/doc/repld/COOKBOOK.md",
                    "/opt/repl/share/doc/repld/copyright",
                    "/opt/repl/share/doc/repld/CONSOLE.md",
                    "/opt/repl/share/man/man8/repld.8", "/opt/repl/share/man/man1/replctl.1",
                    "/opt/repl/share/man/man1/replsim.1", "/opt/repl/share/man/man5/repld.toml.5",
                    "/opt/repl/share/repld/repld.rules.yml", "/opt/repl/share/repld/grafana.json",
                    "/opt/repl/share/repld/repld-textfile",
                ] {
                    let size =
                        try FileManager.default.attributesOfItem(atPath: world.folder + file)[.size] as? Int
                    #expect((size ?? 0) > 20, "\(file)")
                }
                for unit in ["system", "user"] {
                    let text = try String(
                        contentsOfFile: "\(world.folder)/usr/lib/systemd/\(unit)/repld.service",
                        encoding: .utf8)
                    #expect(text.contains("ExecStart=/opt/repl/bin/repld") && !text.contains("/usr/bin/"))
                    // What the unit names as its page is installed.
                    #expect(!text.contains("/usr/share/"))
                    for match in text.matches(of: /file:\/\/(\S+)/) {
                        #expect(access(world.folder + String(match.1), R_OK) == 0, "\(match.1)")
                    }
                }
                let config = "\(world.folder)/etc/repld/repld.toml"
                try Data("name = \"mine\"\n".utf8).write(to: URL(fileURLWithPath: config))
                #expect(try install(to: world.folder, prefix: "/opt/repl").end == .exit(0))
                #expect(try String(contentsOfFile: config, encoding: .utf8) == "name = \"mine\"\n")
            }
        }
    }
}
