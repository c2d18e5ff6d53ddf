// console: the page in a browser. It serves until it is interrupted; all that it may is what this user may.

import ArgumentParser
import ConsoleServer
import Glibc
import JSON
import ReplClient
import Terminal

struct ConsoleCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "console", abstract: "Show the node in a browser on this machine.",
        discussion: """
            Serves a page on 127.0.0.1 as long as it runs; Ctrl-C ends it. The first line is the address. It \
            opens one browser, once: for another, run another replctl console. Only programs of this user \
            get an answer, and the page may do what this user may do with replctl.
            From another machine: ssh -L PORT:127.0.0.1:PORT HOST, with the same PORT here and there.
            Examples:
              replctl console
              replctl console --no-browser --port 8421
            """)
    @Option(help: "Listen there; 0 takes a port that is free.") var port = 0
    @Flag(help: "Print the address, and start no browser.") var noBrowser = false
    @OptionGroup var common: DaemonOptions

    func validate() throws {
        guard (0...65_535).contains(port) else {
            throw ValidationError("--port takes a number from 0 to 65535")
        }
    }

    func run() async throws {
        // A page that can show nothing helps nobody; this says what to do.
        _ = try await common.client.call(ClientRequest("GET", ["status"]))
        let server = try await listen()
        if common.json {
            var json = JSONWriter()
            json.object { $0.member("url", server.address) }
            try console.writeLine(json.bytes)
        } else {
            try console.writeLine(server.address)
        }
        if !noBrowser, Browser.hasDisplay(console.environment), Browser.open(server.address) {
            console.complain("opening it in a browser; Ctrl-C ends the console")
        } else {
            console.complain("open this address in a browser on this machine; Ctrl-C ends the console")
        }
        try await server.run()
    }

    private func listen() async throws(CommandFailure) -> ConsoleServer {
        do throws(ConsoleFailure) {
            return try await ConsoleServer.bind(
                port: port, client: common.client, environment: console.environment)
        } catch {
            switch error {
            case .portInUse(let port):
                throw CommandFailure(
                    .failed, "port \(port) of 127.0.0.1 is in use",
                    hint: "choose another with --port, or leave it out for one that is free",
                    name: "port-in-use")
            case .notAllowed(let port):
                throw CommandFailure(
                    .failed, "this user may not listen on port \(port)", hint: "choose one from 1024 on",
                    name: "port-not-allowed")
            case .failed(let reason): throw CommandFailure(.failed, "cannot listen on 127.0.0.1: \(reason)")
            }
        }
    }
}

/// The browser that the person's desktop opens addresses with.
enum Browser {
    static func hasDisplay(_ environment: (String) -> String?) -> Bool {
        ["DISPLAY", "WAYLAND_DISPLAY"].contains { !(environment($0) ?? "").isEmpty }
    }

    /// False when there is none to start. It runs on by itself, in a session of its own: Ctrl-C ends the
    /// console and not the browser, and what it says would stand between our lines.
    static func open(_ address: String) -> Bool {
        var browser = ChildStart(["xdg-open", address])
        browser.descriptors = [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO].map { ($0, .null) }
        browser.hasOwnSession = true
        do throws(ChildStart.Failure) {
            _ = try browser.start()
            return true
        } catch {
            return false
        }
    }
}
