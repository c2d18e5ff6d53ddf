// A history's runs become a text: into an empty one all at once, into one that has content run by run. The
// content of what the history deletes again is never copied.

import Bytes
import Causality

extension TextContainer {
    /// Applies runs in a causal order; what they name is covered. `text`: the history's inserted text.
    mutating func replay(_ replay: TextReplay, replicas: [ReplicaID], text: [UInt8]) {
        guard isEmpty, let builder = SequenceBuilder.build(replay.runs, replicas: replicas)
        else {
            for run in replay.runs { apply(run, replicas, text) }
            return
        }
        var visible: [UInt8] = []
        visible.reserveCapacity(text.count / 2)
        // Neighbours in the text are mostly neighbours in the history: one copy for many atoms.
        var gathered = 0..<0
        builder.forEachVisible { atom in
            let bytes = builder.bytes(of: atom, in: text)
            if gathered.upperBound == bytes.lowerBound {
                gathered = gathered.lowerBound..<bytes.upperBound
            } else {
                visible.append(contentsOf: text[gathered])
                gathered = bytes
            }
        }
        visible.append(contentsOf: text[gathered])
        fold(builder, replicas: replicas, utf8: visible)
    }

    private mutating func apply(_ run: TextRun, _ replicas: [ReplicaID], _ text: [UInt8]) {
        func dot(_ dot: ReplayDot) -> Dot? {
            dot.isNone ? nil : Dot(replicas[Int(dot.replica)], SequenceNumber(dot.sequence))
        }
        guard let first = dot(run.first) else { return }
        if run.isDeletion {
            hide(DotRange(first.replica, first.sequence, first.sequence + (run.count - 1)))
        } else {
            text[run.text..<run.text + run.byteCount].withUnsafeBufferPointer { utf8 in
                _ = insert(utf8, first: first, left: dot(run.left), right: dot(run.right))
            }
        }
    }
}

extension SequenceBuilder {
    /// Where the characters of a visible atom stand in the history's text.
    func bytes(of atom: Int32, in text: [UInt8]) -> Range<Int> {
        let run = run(of: atom)
        let (before, count) = (Int(starts[Int(atom)] - run.first.sequence), count(of: atom))
        if run.isASCII { return run.text + before..<run.text + before + count }
        let start = Self.skip(before, from: run.text, in: text)
        return start..<Self.skip(count, from: start, in: text)
    }

    private static func skip(_ scalars: Int, from start: Int, in text: [UInt8]) -> Int {
        var (place, rest) = (start, scalars)
        while rest > 0 {
            let first = text[place]
            place += first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
            rest -= 1
        }
        return place
    }
}
