// Programs that count in UTF-16: their splices land where they meant them, and what watchers are told in
// UTF-16 takes their copy to the same text.

import Bytes
import Causality
import Testing

@testable import Documents

@Suite struct UTF16Tests {
    private static let path: [PathElement] = ["t"]
    private static let words = ["a", "xy", "é", "漢字", "👍", "a👎b", "🇩🇪", "e\u{301}", "𝒳"]

    private func text(_ replica: SimulatedReplica) -> String? {
        guard case .scalar(.string(let text))? = replica.document.value(at: Self.path) else { return nil }
        return text.string
    }

    @Test("splices in UTF-16 and patches in UTF-16 mean one text", arguments: 0..<30 as Range<UInt64>)
    func random(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var (a, b) = pair([(Self.path, .splice(index: 0, delete: 0, insert: "start 👍 end"))])
        var model = Array("start 👍 end".utf16)
        var mirror = model
        for _ in 0..<120 {
            // Offsets between characters, as an editor has them.
            let borders =
                [0]
                + model.indices.map { $0 + 1 }.filter { border in
                    border == model.count || !UTF16.isTrailSurrogate(model[border])
                }
            let start = borders[Int.random(in: 0..<borders.count, using: &random)]
            let behind = borders.filter { $0 >= start }.prefix(4)
            let end = behind[behind.startIndex + Int.random(in: 0..<behind.count, using: &random)]
            let isDeletion = Int.random(in: 0..<4, using: &random) == 0
            let insert = isDeletion ? "" : Self.words[Int.random(in: 0..<Self.words.count, using: &random)]
            model.replaceSubrange(start..<end, with: insert.utf16)
            let change = a.author([
                (Self.path, .spliceUTF16(index: start, delete: end - start, insert: insert))
            ])
            #expect(text(a).map { Array($0.utf16) } == model)
            guard let change else { continue }
            for patch in b.document.apply(change.operations, stamps: change.stamps) {
                guard case .spliceText(let index, let delete, let text) = patch.change else {
                    Issue.record("\(patch) is no splice")
                    continue
                }
                let units = patch.utf16 ?? UTF16Splice(index: index, delete: delete)
                mirror.replaceSubrange(units.index..<units.index + units.delete, with: text.utf16)
            }
            #expect(mirror == model)
        }
        b.document.checkInvariants()
        #expect(b.document.encodeSnapshot() == a.document.encodeSnapshot())
        var folded = try Document(snapshot: a.document.encodeSnapshot())
        let request = OperationRequest(
            document: SimulatedReplica.key, path: Self.path,
            verb: .spliceUTF16(index: model.count, delete: 0, insert: "."))
        _ = try folded.author(
            request, dot: dot(9, 1), timestamp: Timestamp(milliseconds: 9_000_000), context: a.known)
        #expect(
            folded.value(at: Self.path)
                == .scalar(.string(Key(String(decoding: model, as: UTF16.self) + "."))))
    }

    @Test("several splices of one transaction are told in UTF-16 too")
    func merged() throws {
        var (a, b) = pair([(Self.path, .splice(index: 0, delete: 0, insert: "👍👎abc"))])
        let made = a.author([
            (Self.path, .spliceUTF16(index: 2, delete: 2, insert: "")),
            (Self.path, .spliceUTF16(index: 2, delete: 0, insert: "x")),
            (Self.path, .spliceUTF16(index: 0, delete: 2, insert: "")),
        ])
        let change = try #require(made)
        let patches = b.document.apply(change.operations, stamps: change.stamps)
        #expect(
            patches == [
                Patch(
                    path: Self.path, change: .spliceText(index: 1, delete: 1, insert: "x"),
                    utf16: UTF16Splice(index: 2, delete: 2)),
                Patch(
                    path: Self.path, change: .spliceText(index: 0, delete: 1, insert: ""),
                    utf16: UTF16Splice(index: 0, delete: 2)),
            ])
        #expect(text(b) == "xabc")
    }

    @Test("half a pair, an offset past the end, and what is no text are refused")
    func refused() {
        var (a, _) = pair([(Self.path, .splice(index: 0, delete: 0, insert: "a👍b")), (["n"], .set(1))])
        func splice(_ index: Int, _ delete: Int) -> OperationRequest.Verb {
            .spliceUTF16(index: index, delete: delete, insert: "x")
        }
        let half = AuthorError.invalidValue(
            "index and delete stand between characters, not inside a surrogate pair")
        #expect(a.refusal(Self.path, splice(2, 0)) == half)
        #expect(a.refusal(Self.path, splice(1, 1)) == half)
        #expect(a.refusal(Self.path, splice(5, 0)) == .indexPastEnd(index: 5, count: 4))
        #expect(a.refusal(Self.path, splice(3, 2)) == .indexPastEnd(index: 3, count: 4))
        #expect(a.refusal(Self.path, splice(1, .max)) == .indexPastEnd(index: 1, count: 4))
        #expect(a.refusal(Self.path, splice(-1, 0)) != nil && a.refusal(Self.path, splice(0, -1)) != nil)
        #expect(a.refusal(["n"], splice(0, 0)) == .wrongKind(found: "register", wanted: "text"))
        #expect(a.refusal(["new"], splice(1, 0)) == .indexPastEnd(index: 1, count: 0))
        #expect(a.author([(["new"], splice(0, 0))]) != nil)
    }
}
