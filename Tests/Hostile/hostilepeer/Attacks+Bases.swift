// Who offers a newcomer the base that honest members offer, and gives it other bytes.

import Bytes
import Causality
import Glibc
import Roster
import SecureLink
import Wire

extension Member {
    /// Lies so often to the second of its ports, which a newcomer listens on, about the base that the node at
    /// the first one offers. Each lie must cost the link. The newcomer may be down or not know us yet.
    mutating func lieAboutBases(_ count: Int) throws -> String {
        guard ports.count == 2 else { throw HostileFailure.refused("two ports are needed") }
        let offer = try offeredBase()
        port = ports[1]
        let deadline = HostileLink.now.monotonic + 180_000
        var lies = 0
        while lies < count, HostileLink.now.monotonic < deadline {
            do {
                if try lie(about: offer) { lies += 1 }
            } catch HostileFailure.refused {
                usleep(50_000)
            } catch HostileFailure.system {
                usleep(50_000)
            }
        }
        return "\(lies) lies"
    }

    /// What an honest node offers to who holds nothing.
    private mutating func offeredBase() throws -> BaseOfferFrame {
        var (link, _) = try greetedLink()
        link.say(frame(HaveFrame(.full, [])))
        guard let said = link.wait(for: FrameType.baseOffer.rawValue, within: 10_000) else {
            throw HostileFailure.refused("the node offers no base")
        }
        return try BaseOfferFrame(decoding: said.body)
    }

    /// One link: false when it asked us for nothing, or went down before it was lied to.
    private mutating func lie(about offer: BaseOfferFrame) throws -> Bool {
        var link = try self.link()
        link.say(frame(RosterHaveFrame(heads: roster.heads, summary: [])))
        link.say(frame(HaveFrame(.full, [])))
        link.say(frame(offer))
        guard let said = link.wait(for: FrameType.baseAsk.rawValue, within: 1_000) else { return false }
        for want in try BaseAskFrame(decoding: said.body).wants {
            let bytes = (0..<3_000).map { _ in UInt8.random(in: 0...255, using: &dice) }
            guard link.say(frame(BasePartFrame(of: bytes, hash: want.hash, from: 0))) else { break }
        }
        let deadline = HostileLink.now.monotonic + 15_000
        while !link.isOver {
            guard HostileLink.now.monotonic < deadline else {
                throw HostileFailure.broken("bytes with another hash cost no link")
            }
            link.listen(50)
            link.forget()
        }
        return true
    }
}
