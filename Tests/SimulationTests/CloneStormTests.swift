// Boxes that are copied, put back, killed and cut off while all of them write. In the end every acknowledged
// write counts once, everywhere.

import Bytes
import Causality
import Documents
import Foundation
import Node
import Simulator
import Testing
import Wire

@Suite struct CloneStormTests {
    @Test(
        "copies and old disks among crashes and walls: every acknowledged write counts once", arguments: seeds
    )
    func storm(seed: UInt64) {
        var world = World(seed: seed)
        var dice = SeededGenerator(seed: seed ^ 0x5EED)
        let isMade = world.makeSpace("notes", nodes: 3)
        #expect(isMade, "\(world.logs())")
        var (count, clones, restores) = (0, 0, 0)
        var old: (index: Int, disk: MemoryStore)?
        for _ in 0..<60 {
            let index = Int.random(in: 0..<world.nodes.count, using: &dice)
            switch Int.random(in: 0..<20, using: &dice) {
            case 0 where clones < clonesMax:
                world.addClone(of: Int.random(in: 1..<3, using: &dice))
                clones += 1
            case 1: world.separate([index])
            case 2: world.reunite()
            case 3: world.crashAndStart(index, &dice)
            case 4: old = (index, world.diskCopy(index))
            case 5:
                // What nobody else holds is lost with the disk; so everybody holds it first.
                guard let back = old, restores < 2 else { continue }
                world.reunite()
                let all = Array(world.nodes.indices)
                guard world.run(within: 900_000, until: { $0.areEqual(all, "notes") }) else {
                    Issue.record("not level before a restore: \(world.logs())")
                    return
                }
                world.crash(back.index)
                world.replaceDisk(back.index, with: back.disk)
                world.start(back.index)
                (old, restores) = (nil, restores + 1)
            default: count += world.writeSome(index, "notes", &dice)
            }
        }
        world.reunite()
        let all = Array(world.nodes.indices)
        let done = world.run(within: 900_000) { world in
            let text = String(decoding: world.export(0, "notes") ?? [], as: UTF8.self)
            return text.contains(#""n":\#(count)}"#) && world.areEqual(all, "notes")
        }
        let exports = all.map { String(decoding: world.export($0, "notes") ?? [], as: UTF8.self).prefix(90) }
        #expect(
            done, "\(count) acknowledged, \(clones) clones, \(restores) restores: \(exports)\n\(world.logs())"
        )
        let text = String(decoding: world.export(0, "notes") ?? [], as: UTF8.self)
        #expect(text.filter { $0 == "x" }.count == count + 1, "a letter for each write, and that of the key")
    }
}

/// REPL_STORMS=100 runs more of them, REPL_CLONES=2 with more copies.
/// 413: a copy wrote on what the other copy had re-issued, so a context named the log it was to go into.
private let seeds: [UInt64] = Array(400..<400 + (storms ?? 2)) + ((storms ?? 2) > 13 ? [] : [413])
private let clonesMax = ProcessInfo.processInfo.environment["REPL_CLONES"].flatMap { Int($0) } ?? 1
private let storms = ProcessInfo.processInfo.environment["REPL_STORMS"].flatMap { UInt64($0) }
