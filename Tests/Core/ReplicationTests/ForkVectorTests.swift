// The hashes of forks as another implementation makes them (Tests/Vectors/wire/forks.json).

import Bytes
import Causality
import Foundation
import Replication
import Testing
import Wire

@Suite struct ForkVectorTests {
    private func cases(_ list: String) throws -> [[String: Any]] {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Vectors/wire/forks.json")
        let json = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
        return try #require((json as? [String: [[String: Any]]])?[list])
    }

    private func bytes(_ value: Any?) throws -> [UInt8] {
        try #require((value as? String).flatMap { Hex.decode($0) })
    }

    private func number(_ value: Any?) throws -> UInt64 {
        try #require((value as? String).flatMap { UInt64($0) })
    }

    @Test("the hash over closed logs is that of forks.json")
    func closed() throws {
        for one in try cases("closed") {
            var logs = ClosedLogs()
            for entry in try #require(one["entries"] as? [[String: Any]]) {
                let replica = ReplicaID(raw: Bytes16(try bytes(entry["replica"])))
                let closing = Closing(
                    first: SequenceNumber(try number(entry["first"])),
                    trunkHash: Bytes32(try bytes(entry["trunkHash"])))
                let isNew = logs.close(replica, closing)
                #expect(isNew)
            }
            #expect(logs.hash.bytes == (try bytes(one["hash"])))
        }
    }

    @Test("re-issued branches have the names of forks.json")
    func reissues() throws {
        for one in try cases("reissues") {
            let reissue = Reissue(
                of: ReplicaID(raw: Bytes16(try bytes(one["branch"]))),
                from: SequenceNumber(try number(one["first"])), try bytes(one["bytes"]),
                by: DeviceID(publicKey: Bytes32(try bytes(one["device"]))),
                in: SpaceID(raw: Bytes32(try bytes(one["space"]))))
            #expect(reissue.declaration.incarnation == (try number(one["incarnation"])))
            #expect(reissue.replica.raw.bytes == (try bytes(one["replica"])))
        }
    }
}
