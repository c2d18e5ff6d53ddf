// The part of the contract about programs: remembered answers, and readers beside the node, over each store.

import Bytes
import Causality
import Node
import Testing
import Wire

private let home = space(1)
private let a = replica(1)

@Suite struct ReaderContractTests {
    @Test("remembered answers are replaced, and expired ones go", arguments: Kind.allCases)
    func answers(kind: Kind) throws {
        var disk = try Disk(kind)
        func answer(_ expires: UInt64, _ change: Dot?) -> IdempotencyRecord {
            IdempotencyRecord(bodyHash: .zero, change: change, version: "v\(expires)", expires: expires)
        }
        try disk.transact { store in
            try store.put(record(home))
            try store.put(home, "k", answer(100, nil))
            try store.put(home, "k", answer(200, Dot(a, SequenceNumber(3))))
            try store.put(home, "l", answer(199, nil))
        }
        #expect(try disk.store.idempotency(home, "k") == answer(200, Dot(a, SequenceNumber(3))))
        #expect(try disk.store.idempotency(home, "l") == answer(199, nil))
        try disk.transact { try $0.expireIdempotency(before: 200, moved: 0) }
        #expect(try disk.store.idempotency(home, "k") != nil)
        #expect(try disk.store.idempotency(home, "l") == nil)
        // A clock that was put on by 1,000 takes what is kept with it, and back again.
        try disk.transact { try $0.expireIdempotency(before: 1_150, moved: 1_000) }
        #expect(try disk.store.idempotency(home, "k")?.expires == 1_200)
        try disk.transact { try $0.expireIdempotency(before: 0, moved: -5_000) }
        #expect(try disk.store.idempotency(home, "k")?.expires == 0)
        try disk.transact { try $0.expireIdempotency(before: 1, moved: 0) }
        #expect(try disk.store.idempotency(home, "k") == nil)
    }

    @Test(
        "a reader sees the last commit before it was opened, while the writer goes on",
        arguments: Kind.allCases)
    func reader(kind: Kind) throws {
        var disk = try Disk(kind)
        try disk.transact { store in
            try store.put(record(home))
            try store.put(home, document("a"))
        }
        try disk.store.begin()
        try disk.store.put(home, document("b"))
        let early: any StoreReading = try disk.store.reader()
        try disk.store.commit()
        let late: any StoreReading = try disk.store.reader()
        try disk.transact { try $0.put(home, document("a", visible: false)) }
        try disk.transact { try $0.remove(home) }
        #expect(try early.documents(home, prefix: "", after: nil, limit: 9).map(\.key) == ["a"])
        #expect(try early.documentCount(home) == 1)
        #expect(try late.documents(home, prefix: "", after: nil, limit: 9).map(\.key) == ["a", "b"])
        #expect(try disk.store.reader().spaces() == [])
    }

    @Test("a reader is read on other threads while commits go on", arguments: Kind.allCases)
    func concurrentReaders(kind: Kind) async throws {
        var disk = try Disk(kind)
        try disk.transact { store in
            try store.put(record(home))
            for number in 0..<200 { try store.put(home, document(Key("k\(number)"))) }
        }
        try await withThrowingTaskGroup(of: Int.self) { group in
            for round in 0..<20 {
                let reader: any StoreReading & Sendable = try disk.store.reader()
                group.addTask {
                    let listed = try reader.documents(home, prefix: "", after: nil, limit: 9_999).count
                    let counted = try reader.documentCount(home)
                    return listed == counted ? listed : -1
                }
                try disk.transact { try $0.put(home, document(Key("new\(round)"))) }
            }
            var seen: [Int] = []
            for try await count in group { seen.append(count) }
            #expect(seen.sorted() == Array(200..<220))
        }
    }
}
