// What network namespaces are made with: `ip` and `nft`, found where distributions put them. Whether this
// machine lets us make any is tried once, with everything that a test may need, and cleaned up.

import Foundation

enum NamespaceCommands {
    /// The programs' paths; nil where they are not installed.
    static let ip = find("ip")
    static let nft = find("nft")
    static let tc = find("tc")

    /// Nil: namespaces can be made. Else why not, in a person's words.
    static let obstacle: String? = {
        guard geteuid() == 0 else { return "network namespaces need root" }
        guard ip != nil else { return "network namespaces need ip (package iproute2)" }
        guard nft != nil else { return "cutting links needs nft (package nftables)" }
        do {
            try NamespaceLan.removeAbandoned()
            let lan = try NamespaceLan()
            defer { lan.remove() }
            _ = try lan.box("probe")
            try lan.cut([("probe", "probe")])
            return nil
        } catch {
            return "network namespaces cannot be made here: \(error)"
        }
    }()

    /// Nil: lines can be made slow. Else why not.
    static let slownessObstacle: String? = {
        if let obstacle { return obstacle }
        do {
            let lan = try NamespaceLan()
            defer { lan.remove() }
            try lan.box("probe").setRate(kilobits: 1_000)
            return nil
        } catch {
            return "slow lines need tc (package iproute2) and the kernel's token bucket: \(error)"
        }
    }()

    /// Runs `ip` with these words; its output.
    @discardableResult
    static func ip(_ words: String) throws -> String {
        try run(ip, words.split(separator: " ").map(String.init))
    }

    /// Runs a batch of `ip` lines in one process inside the namespace.
    static func ipBatch(in namespace: String, _ lines: [String]) throws {
        try withFile(lines.joined(separator: "\n") + "\n") { path in
            try run(ip, ["-n", namespace, "-batch", path])
        }
    }

    /// Loads a rule set inside the namespace, as one transaction.
    static func nft(in namespace: String, _ rules: String) throws {
        guard let nft else { throw Failure(words: "nft", output: "not installed") }
        try withFile(rules) { path in
            try run(ip, ["netns", "exec", namespace, nft, "-f", path])
        }
    }

    /// Runs `tc` with these words inside the namespace.
    static func tc(in namespace: String, _ words: String) throws {
        guard let tc else { throw Failure(words: "tc", output: "not installed") }
        try run(ip, ["netns", "exec", namespace, tc] + words.split(separator: " ").map(String.init))
    }

    struct Failure: Error, CustomStringConvertible {
        let words: String
        let output: String
        var description: String { "\(words): \(output)" }
    }

    @discardableResult
    static func run(_ program: String?, _ words: [String]) throws -> String {
        let line = ([program ?? "ip"] + words).joined(separator: " ")
        guard let program else { throw Failure(words: line, output: "not installed") }
        let result = try ChildProcess.run(program, words, within: 20)
        let output = String(decoding: result.output, as: UTF8.self)
        guard result.end == .exit(0) else { throw Failure(words: line, output: "\(result.end): \(output)") }
        return output
    }

    private static func withFile(_ text: String, _ body: (String) throws -> Void) throws {
        let path = NSTemporaryDirectory() + "repld-rules-\(UUID().uuidString)"
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        defer { unlink(path) }
        try body(path)
    }

    private static func find(_ name: String) -> String? {
        ["/usr/sbin/", "/sbin/", "/usr/bin/", "/bin/"].map { $0 + name }.first { access($0, X_OK) == 0 }
    }
}
