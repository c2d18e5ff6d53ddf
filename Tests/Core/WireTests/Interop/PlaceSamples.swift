// Texts whose authors name any two positions as origins, neighbours or not, in any order, known or unknown to
// each other: what the rule of places in WIRE.md must settle.

import Bytes
import Causality
import Documents
import Wire

struct PlaceSample {
    /// In a causal order.
    let changes: [Change]
    /// What the text shows after all of them.
    let text: String

    init(seed: UInt64, count: Int) throws {
        var random = SeededGenerator(seed: seed)
        var logs = [SampleLog(3), SampleLog(1), SampleLog(2)]
        var (known, changes, letters): ([Dot], [Change], UInt32) = ([], [], 0)
        for _ in 0..<count {
            let author = Int.random(in: 0..<logs.count, using: &random)
            // Mostly they know little of each other, so that much is concurrent.
            let seen = known.filter { dot in
                dot.replica == logs[author].replica || logs[author].context.contains(dot)
                    || Int.random(in: 0..<6, using: &random) == 0
            }
            func origin() -> Dot? {
                let isNone = Int.random(in: 0..<4, using: &random) == 0
                return isNone ? nil : seen.randomElement(using: &random)
            }
            var (left, right) = (origin(), origin())
            // An origin of another container is none here.
            if Int.random(in: 0..<12, using: &random) == 0 { left = known.isEmpty ? nil : logs[0].dot(1) }
            if Int.random(in: 0..<12, using: &random) == 0 { right = left }
            for dot in [left, right].compactMap({ $0 }) where dot.replica != logs[author].replica {
                logs[author].context.advance(to: dot)
            }
            let length = known.isEmpty ? 1 : Int.random(in: 1...3, using: &random)
            var text = ""
            for _ in 0..<length {
                text.unicodeScalars.append(Unicode.Scalar(0x4E00 + letters) ?? "?")
                letters += 1
            }
            let path = known.isEmpty ? BlockSamples.path("other", .text) : BlockSamples.text
            let change = logs[author].change(path, .insertText(left: left, right: right, text))
            known += (0..<length).map { Dot(change.replica, change.first + $0) }
            changes.append(change)
        }
        self.changes = changes
        var document = Document(key: "d")
        for change in changes {
            _ = document.apply(change.operations, stamps: change.stamps(), wantsPatches: false)
        }
        guard case .scalar(.string(let shown))? = document.value(at: [.key("t")]) else {
            text = ""
            return
        }
        text = shown.string
    }
}
