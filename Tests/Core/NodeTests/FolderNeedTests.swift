// Whose turn comes when in a bundle of the sync folder.

import Bytes
import Causality
import Testing

@testable import Node

@Suite struct FolderNeedTests {
    private func vector(_ lasts: UInt64...) -> VersionVector {
        VersionVector(
            lasts.enumerated().map { place, last in
                .init(ReplicaID(raw: Bytes16(high: 0, low: UInt64(place))), SequenceNumber(last))
            })
    }

    @Test("who lacks nothing has no share, who lacks the same shares one, and who lacks least is first")
    func order() {
        let held = vector(10, 10)
        let shares = FolderNeed.shares(
            of: [vector(0, 0), vector(10, 10), vector(10, 4), vector(9, 10), vector(10, 4)], lacking: held)
        #expect(shares == [vector(9, 10), vector(10, 4), vector(0, 0)])
        #expect(FolderNeed.shares(of: [held, vector(10, 10, 3)], lacking: held).isEmpty)
        #expect(FolderNeed.shares(of: [], lacking: held).isEmpty)
    }

    @Test("what a member says beyond what is held here counts for nothing")
    func boasting() {
        let shares = FolderNeed.shares(of: [vector(.max >> 2, 3)], lacking: vector(10, 10))
        #expect(shares == [vector(10, 3)])
    }

    @Test("over the limit the last share serves all that lack most")
    func many() {
        let held = vector(100, 100)
        let readers = (0..<40).map { vector(UInt64(99 - $0), UInt64(60 + $0)) }
        let shares = FolderNeed.shares(of: readers, lacking: held)
        #expect(shares.count == FolderNeed.sharesMax)
        for reader in readers {
            #expect(shares.contains { reader.covers($0) }, "\(reader)")
        }
        #expect(shares.last == vector(75, 60))
    }

    @Test("names of files tell devices and spaces apart, and hold nothing of their ids")
    func names() {
        let ids = (0..<4).map { Bytes32([UInt8](repeating: UInt8($0 + 1), count: 32)) }
        var names: Set<String> = []
        for device in ids {
            for space in ids {
                names.insert(FolderFileName.name(of: DeviceID(publicKey: device), in: SpaceID(raw: space)))
            }
        }
        #expect(names.count == 16)
        #expect(names.allSatisfy { $0.utf8.count == 26 + FolderFileName.suffix.utf8.count })
        // As every release names it: files of two releases lie in one folder.
        let first = FolderFileName.name(of: DeviceID(publicKey: ids[0]), in: SpaceID(raw: ids[1]))
        #expect(first == "iuajbqie4zyng4ztf3svaeauta.replbundle")
    }
}
