import Bytes
import Causality
import Crypto
import Documents
import Testing

@testable import Wire

@Suite("Vectors of blocks of changes") struct BlockVectorTests {
    @Test(
        "the blocks of blocks.json are of the changes that they say, and our samples are pressed to these bytes"
    )
    func blocks() throws {
        var cases: [String: VectorCase] = [:]
        for one in try VectorFile("blocks").cases("blocks") {
            cases[one.name] = one
            var reader = try BlockReader(try one.bytes("hex"))
            var (changes, starts): ([Change], [ReplicaID: BoundaryPosition]) = ([], [:])
            while let change = try reader.next() {
                changes.append(change)
                starts[change.replica] = reader.start(of: change.replica)
            }
            #expect(try CanonicalChange.of(changes, starts: starts) == CanonicalChange.of(one), "\(one.name)")
        }
        for sample in BlockSamples.all {
            let one = try #require(cases[sample.name], "no vector of \(sample.name)")
            #expect(try sample.block(.stored) == one.bytes("hex"), "\(sample.name)")
        }
        for made in HandMadeBlocks.valid {
            let one = try #require(cases[made.name], "no vector of \(made.name)")
            #expect(try made.operations > 0 && one.bytes("hex").count > 40)
        }
    }

    @Test("the invalid blocks of blocks.json are refused for the reason they say")
    func invalid() throws {
        let cases = try VectorFile("blocks").cases("invalid")
        #expect(cases.count > 40)
        for one in cases {
            do throws(DecodeFault) {
                var reader = try BlockReader((try? one.bytes("hex")) ?? [])
                while try reader.next() != nil {}
                Issue.record("\(one.name) was accepted")
            } catch {
                #expect(error.vectorName == (try one.text("fault")), "\(one.name)")
            }
        }
    }

    @Test("the texts of blocks.json show what they say")
    func texts() throws {
        for one in try VectorFile("blocks").cases("texts") {
            var reader = try BlockReader(try one.bytes("hex"))
            var document = Document(key: "d")
            while let change = try reader.next() {
                _ = document.apply(change.operations, stamps: change.stamps(), wantsPatches: false)
            }
            let shown = document.value(at: [.key("t")])
            #expect(shown == .scalar(.string(Key(try one.text("text")))), "\(one.name)")
        }
    }

    @Test("a log is sent in blocks of all three codecs, over boundaries")
    func codecs() throws {
        let log = try SegmentedLog(seed: 1, rounds: 6)
        #expect(log.codecs == [2, 0, 1, 1, 2, 0])
        let sizes = try log.segments.map {
            try Segment(of: SegmentedLog.space, decoding: $0).header.seals.count
        }
        #expect(sizes.max() == 2)
    }
}
