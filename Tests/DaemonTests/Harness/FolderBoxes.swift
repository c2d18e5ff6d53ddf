// Boxes that share a folder and nothing else.

import Foundation
import Testing

/// Boxes of one test and the folder that they share.
final class FolderBoxes {
    let world: DaemonWorld
    let folder: String
    private(set) var all: [Daemon] = []
    /// A hop is a look of the writer and one of the reader; on a busy machine both wait for their turn.
    let patience = 60.0

    init(_ world: DaemonWorld, folder: String? = nil) throws {
        self.world = world
        self.folder = folder ?? world.folder + "/stick"
        try FileManager.default.createDirectory(
            atPath: self.folder, withIntermediateDirectories: true)
    }

    /// Members of "s" that knew each other, and now have addresses that the others never heard.
    func strangers(_ names: String..., max: String? = nil) throws {
        let a = try world.started(names[0])
        try a.api.createSpace("s")
        var met = [a]
        for name in names.dropFirst() {
            let box = try world.started(name, peers: [a])
            _ = try box.api.join(try a.api.token("s"))
            met.append(box)
        }
        for box in met {
            try eventually("\(box.name) to know all", within: 30) {
                try box.api.get("/v1/spaces/s").json()["members"] == .integer(Int64(names.count))
            }
        }
        for box in met { try box.stop() }
        for name in names {
            let box = try world.daemon(name)
            try configure(box, folder, max: max)
            try start(box)
            all.append(box)
        }
    }

    func config(_ box: Daemon) -> String { "\(world.folder)/\(box.name).toml" }

    func configure(_ box: Daemon, _ folder: String?, max: String? = nil) throws {
        var text = folder.map { "sync-folder = \"\($0)\"\n" } ?? ""
        if let max { text += "sync-folder-max = \"\(max)\"\n" }
        try Data(text.utf8).write(to: URL(fileURLWithPath: config(box)))
    }

    func start(_ box: Daemon) throws { try box.start(extra: ["--config", config(box)]) }

    var files: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".replbundle") && !$0.hasPrefix(".") }.sorted()
    }

    var drafts: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".part") }
    }

    func report(_ box: Daemon) throws -> JSON { try box.api.json("/v1/status")["syncFolder"] }

    func own(_ box: Daemon) throws -> JSON { try report(box)["own"].array.first ?? .null }

    func expectEqual(_ boxes: [Daemon]) throws {
        try eventually("boxes to be equal", within: patience, every: 200) {
            let exports = try boxes.map { try $0.api.export("s") }
            return exports.allSatisfy { $0 == exports[0] }
        }
    }

    func write(_ box: Daemon, _ key: String, _ value: String = "x") throws {
        try box.api.write("s", #"{"op":"set","document":"\#(key)","path":["v"],"value":"\#(value)"}"#)
    }

    func fill(_ box: Daemon, _ documents: Int, _ name: String, seed: UInt64 = 11) throws {
        var dice = FaultDice(seed: seed)
        for part in 0..<(documents / 50) {
            let lines = (0..<50).map { number -> String in
                let noise = (0..<120).map { _ in String(dice.below(1_000_000), radix: 36) }.joined()
                let key = "\(name)/\(part)-\(number)"
                return #"{"op":"set","document":"\#(key)","path":["v"],"value":"\#(noise)"}"#
            }
            #expect(try box.api.transact("s", lines).status == 200)
        }
    }

    func replctl(_ box: Daemon, _ arguments: String...) throws -> (code: Int32, output: String) {
        let result = try ChildProcess.run(
            try Programs.path("replctl"), arguments + ["--socket", box.socket], within: 60)
        guard case .exit(let code) = result.end else {
            Issue.record("\(arguments): \(result.end)")
            return (-1, "")
        }
        return (code, String(decoding: result.output, as: UTF8.self))
    }
}
