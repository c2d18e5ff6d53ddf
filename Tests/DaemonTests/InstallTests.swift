// `make install` into a folder of the test's own: everything that a package needs, and nothing elsewhere.

import Foundation
import Testing

extension DaemonTests {
    @Suite struct InstallTests {
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
                    "/opt/repl/bin/repld", "/opt/repl/bin/replctl", "/etc/repld/repld.toml",
                    "/usr/lib/systemd/system/repld.service", "/usr/lib/systemd/system/repld.socket",
                    "/usr/lib/systemd/user/repld.service", "/usr/lib/systemd/user/repld.socket",
                    "/usr/lib/sysusers.d/repld.conf", "/usr/lib/tmpfiles.d/repld.conf",
                    "/opt/repl/share/bash-completion/completions/replctl",
                    "/opt/repl/share/zsh/vendor-completions/_replctl",
                    "/opt/repl/share/fish/vendor_completions.d/replctl.fish",
                    "/opt/repl/share/doc/repld/OPERATING.md", "/opt/repl/share/doc/repld/LOGS.md",
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
                }
                let config = "\(world.folder)/etc/repld/repld.toml"
                try Data("name = \"mine\"\n".utf8).write(to: URL(fileURLWithPath: config))
                #expect(try install(to: world.folder, prefix: "/opt/repl").end == .exit(0))
                #expect(try String(contentsOfFile: config, encoding: .utf8) == "name = \"mine\"\n")
            }
        }
    }
}
