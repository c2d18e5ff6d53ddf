// A base from the traitor: it offers what stands to whoever it speaks to, and gives pages that are well
// formed and not what the manifest names. Whoever asked it closes the link, and asks somebody else.

import Bytes
import Causality
import Documents
import Node
import SecureLink
import Wire

extension Trial {
    /// Says that it has the base, and answers what it is asked for.
    mutating func forgePages(
        _ link: inout HostileLink, to victim: Int, _ strike: inout Strike
    ) throws(Violation) {
        let others = running().filter { $0 != victim }
        let standing = others.compactMap { checker.views[$0].chains.last?.last?.id }.first
        guard let standing else { return }
        let offer = BaseOfferFrame(checkpoint: standing, collected: standing, logBytes: 1, baseBytes: 1)
        link.say(frame(offer), &world)
        var answered = 0
        let end = world.time + 2_000
        while world.time < end {
            try runEvents(until: world.time + 50)
            link.listen(&world)
            for asked in link.heard[answered...] where asked.type == FrameType.baseAsk.rawValue {
                let wants: [BaseAskFrame.Want]
                do throws(DecodeFault) {
                    wants = try BaseAskFrame(decoding: asked.body).wants
                } catch {
                    throw Violation(.stored, "node \(victim) asked for a base and does not decode: \(error)")
                }
                for want in wants { give(want, on: &link, of: others, &strike) }
            }
            answered = link.heard.count
        }
    }

    /// Tables and manifests are true, so that it comes to pages.
    private mutating func give(
        _ want: BaseAskFrame.Want, on link: inout HostileLink, of others: [Int], _ strike: inout Strike
    ) {
        guard let space = checker.space else { return }
        let known = others.compactMap { world.nodes[$0].node?.inspectBase(want.hash, in: space) }.first
        guard var bytes = known, want.offset < UInt64(bytes.count) else {
            return link.say(frame(BaseNoneFrame(hash: want.hash)), &world)
        }
        if let forged = forged(bytes, &strike) {
            bytes = forged
            result.marks.insert("forged-page-told")
        }
        var offset = Int(want.offset)
        while offset < bytes.count {
            let part = BasePartFrame(of: bytes, hash: want.hash, from: offset)
            link.say(frame(part), &world)
            offset += min(bytes.count - offset, WireLimits.basePartBytesMax)
        }
    }

    /// The page with a document that somebody else edited; nil: it is none.
    private func forged(_ bytes: [UInt8], _ strike: inout Strike) -> [UInt8]? {
        do throws(DecodeFault) {
            var documents = try BasePage(decoding: bytes).documents
            let index = strike.number(0...documents.count - 1)
            var document = try Document(snapshot: documents[index].snapshot)
            let nobody = ReplicaID(raw: Bytes16(high: strike.dice.next(), low: 1))
            let edit = Operation.Body.act(
                in: ContainerPath(generation: .first),
                .write(slot: .key("forged"), value: .bool(true), generation: .first))
            let stamp = OperationStamp(
                dot: Dot(nobody, SequenceNumber(1)), timestamp: Timestamp(milliseconds: world.now.wall),
                context: VersionVector())
            _ = document.apply(
                [Operation(document: documents[index].key, body: edit)], stamps: [stamp], wantsPatches: false)
            documents[index] = BasePage.Document(
                key: documents[index].key, frontier: documents[index].frontier,
                snapshot: document.encodeSnapshot())
            return BasePage(documents: documents).encoded()
        } catch {
            return nil
        }
    }
}
