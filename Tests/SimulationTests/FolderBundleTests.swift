// Bundles of the sync folder: what goes into one box's file as others read it, what a small file carries
// first, and that a member which lies about what it holds harms itself alone.

import Bytes
import Causality
import Crypto
import Documents
import Node
import Roster
import Simulator
import Testing
import Wire

@Suite struct FolderBundleTests {
    private let bundles = BundleTests()
    private let checkpoints = CheckpointTests()

    @Test("a file shrinks to its receipt when all have read it, and a receipt is what makes it shrink")
    func shrinking() {
        var world = bundles.strangers(3, seed: 3_200)
        for _ in 0..<3 { _ = world.increment(0, "notes", "doc/0") }
        let first = world.folderFile(0)
        #expect(first.account.changes == 3 && !first.account.isCut, "\(first.account)")
        #expect(first.account.bytes == first.bytes.count)
        world.expectTaken(1, first.bytes, new: 3)
        // 0 has not heard of it, and 2 has not read.
        #expect(world.folderFile(0).account.changes == 3)
        let receipt = world.folderFile(1)
        world.expectTaken(0, receipt.bytes, new: 0)
        #expect(world.folderFile(0).account.changes == 3, "2 lacks them")
        // It hands them on, for who never sees the file of 0.
        #expect(receipt.account.changes == 3)
        world.expectTaken(2, receipt.bytes, new: 3)
        let last = world.folderFile(2)
        world.expectTaken(0, last.bytes, new: 0)
        let shrunk = world.folderFile(0)
        #expect(shrunk.account.changes == 0 && shrunk.bytes.count < first.bytes.count, "\(shrunk.account)")
        world.expectEqual([0, 1, 2])
    }

    @Test("a plan is the same until something is held or known that was not, and says what that is")
    func plans() {
        var world = bundles.strangers(3, seed: 3_201)
        // What links said of rosters is not said to the end: files say it.
        for reader in 0..<3 {
            for writer in 0..<3 where writer != reader {
                world.expectTaken(reader, world.folderFile(writer).bytes, new: 0)
            }
        }
        let level = world.folderPlan(0)
        #expect(level != nil && level?.isNeeded == false && level?.members.count == 2, "\(level as Any)")
        world.run(milliseconds: 600_000)
        #expect(world.folderPlan(0) == level)
        _ = world.increment(0, "notes", "doc/0")
        let written = world.folderPlan(0)
        #expect(written?.isNeeded == true && written?.content != level?.content)
        world.expectTaken(1, world.folderFile(0).bytes, new: 1)
        #expect(world.folderPlan(0) == written, "nobody said that it was read")
        world.expectTaken(0, world.folderFile(1).bytes, new: 0)
        let read = world.folderPlan(0)
        #expect(read?.content == written?.content && read?.need != written?.need && read?.isNeeded == true)
        let files = (0..<3).map { world.folderPlan($0)?.file ?? "" }
        #expect(Set(files).count == 3 && Set(written?.members ?? []) == [files[1], files[2]])
    }

    /// So much text that compression leaves some.
    private func noise(_ number: Int, _ words: Int) -> String {
        (0..<words).map { String(($0 * 7_919 + number * 104_729) * 48_271 % 2_147_483_647, radix: 36) }
            .joined()
    }

    @Test("a small file carries all of it piece by piece, as others read")
    func capped() {
        var world = bundles.strangers(2, seed: 3_202)
        for number in 0..<60 {
            _ = world.splice(0, "notes", Key("text/\(number % 5)"), at: 0, noise(number, 1_500))
        }
        let all = world.folderFile(0).bytes.count
        let bytesMax = all / 4
        var (rounds, isCut) = (0, true)
        while isCut, rounds < 60 {
            rounds += 1
            let file = world.folderFile(0, bytesMax: bytesMax)
            #expect(file.bytes.count <= bytesMax)
            isCut = file.account.isCut
            world.expectTaken(1, file.bytes, lacking: 0)
            world.expectTaken(0, world.folderFile(1, bytesMax: bytesMax).bytes)
        }
        #expect((4...12).contains(rounds), "\(rounds) of \(bytesMax) for \(all)")
        world.expectEqual([0, 1])
    }

    @Test("who is away for long, or lies that it lacks everything, does not keep news from the others")
    func fairness() {
        var world = bundles.strangers(3, seed: 3_203)
        for number in 0..<40 { _ = world.splice(0, "notes", "text", at: 0, noise(number, 1_500)) }
        world.expectTaken(1, world.folderFile(0).bytes, new: 40)
        world.expectTaken(0, world.folderFile(1).bytes)
        // 2 never says a word: all of it is for 2, and it is more than fits.
        _ = world.increment(0, "notes", "doc/new")
        let bytesMax = world.folderFile(0).bytes.count / 3
        let file = world.folderFile(0, bytesMax: bytesMax)
        #expect(file.account.isCut && file.bytes.count <= bytesMax && file.bytes.count > bytesMax / 3)
        world.expectTaken(1, file.bytes, new: 1)
        world.expectEqual([0, 1])
        // And 2 gets on with the rest of the file, from its own beginning.
        let taken = world.takeBundle(2, file.bytes)
        #expect(taken.tally.new > 0, "\(taken)")
    }

    @Test("a part that goes on from a later part of the file lacks nothing when the file is read again")
    func passes() {
        var world = bundles.strangers(3, seed: 3_204)
        for _ in 0..<5 { _ = world.increment(0, "notes", "doc/0") }
        world.expectTaken(1, world.folderFile(0).bytes, new: 5)
        world.expectTaken(0, world.folderFile(1).bytes)
        for _ in 0..<2 { _ = world.increment(0, "notes", "doc/0") }
        // The two are for 1 and stand first; 2 lacks all seven, and gets them up to the next seal.
        let file = world.folderFile(0).bytes
        let first = world.takeBundle(2, file)
        #expect(first.tally.new == 7 && first.tally.lacking == 2, "\(first)")
        world.expectTaken(2, file, new: 0, lacking: 0)
        world.expectTaken(1, file, new: 2, lacking: 0)
        world.expectEqual([0, 1, 2])
    }

    // MARK: Lies

    @Test("a member that says it holds everything is given nothing, and the others all")
    func boaster() {
        var world = bundles.strangers(3, seed: 3_205)
        let before = world.held(0)
        for _ in 0..<3 { _ = world.increment(0, "notes", "doc/0") }
        let held = world.held(0)
        // Not of the log of 0 itself, which would mean that 0 has lost some of it.
        let own = Set(held.entries(beyond: before).map(\.replica))
        let said = held.entries.map {
            own.contains($0.replica) ? $0 : .init($0.replica, SequenceNumber($0.last.value + 1_000))
        }
        world.say(1, to: 0, VersionVector(said))
        let file = world.folderFile(0)
        #expect(file.account.changes == 3, "2 lacks them")
        world.expectTaken(2, file.bytes, new: 3)
        world.expectTaken(0, world.folderFile(2).bytes)
        #expect(world.folderFile(0).account.changes == 0)
        let alarms = world.alarms(0)
        #expect(alarms.isEmpty)
    }

    @Test("a member whose state was put back says less than before, and is given again what it lost")
    func restored() {
        var world = bundles.strangers(2, seed: 3_206)
        let before = world.held(1)
        for _ in 0..<3 { _ = world.increment(0, "notes", "doc/0") }
        world.expectTaken(1, world.folderFile(0).bytes, new: 3)
        world.run(milliseconds: 1_000)
        // A change that was made on them says that it held them, too.
        _ = world.increment(1, "notes", "doc/1")
        world.expectTaken(0, world.folderFile(1).bytes, new: 1)
        #expect(world.folderFile(0).account.changes == 0)
        world.run(milliseconds: 1_000)
        world.say(1, to: 0, before)
        #expect(world.folderFile(0).account.changes == 4)
        // What it said before is older than that, however often it is put into the folder again.
        world.say(1, to: 0, world.held(0), shift: -3_600_000)
        #expect(
            world.folderFile(0).account.changes == 0, "but what says more counts, whatever its clock says")
    }

    // MARK: Members

    @Test("who signed a file is seen to have lived then, and not in times to come")
    func seen() {
        var world = bundles.strangers(2, seed: 3_209)
        world.run(milliseconds: 3_600_000)
        let file = world.folderFile(1).bytes
        let written = world.now.wall
        world.run(milliseconds: 3_600_000)
        world.expectTaken(0, file)
        #expect(world.lastSeen(1, by: 0).map { $0 + 60_000 > written && $0 <= written } == true)
        world.say(1, to: 0, world.held(1), shift: -60_000)
        #expect(world.lastSeen(1, by: 0).map { $0 + 120_000 > world.now.wall } == true)
        world.say(1, to: 0, world.held(1), shift: 10 * 365 * 86_400_000)
        let seen = world.lastSeen(1, by: 0)
        #expect(seen.map { $0 <= world.now.wall } == true)
    }

    @Test("who was removed has no part in a file any more, and its own is told as gone")
    func removal() {
        var world = bundles.strangers(3, seed: 3_207)
        let files = (0..<3).map { world.folderPlan($0)?.file ?? "" }
        let request = NodeRequest.removeMember(SpaceReference("notes"), world.member(2), isDryRun: false)
        guard case .memberRemoved? = world.ask(0, request) else {
            Issue.record("not removed: \(world.logs())")
            return
        }
        _ = world.increment(0, "notes", "doc/secret")
        let plan = world.folderPlan(0)
        #expect(plan?.gone == [files[2]] && plan?.members == [files[1]], "\(plan as Any)")
        let file = world.folderFile(0)
        guard case .bundle(.sealedForOthers)? = world.takeBundle(2, file.bytes).error else {
            Issue.record("who was removed opened it")
            return
        }
        world.expectTaken(1, file.bytes, new: 1)
        world.expectTaken(0, world.folderFile(1).bytes)
        #expect(world.folderPlan(0)?.isNeeded == false, "2 lacks it, and is no member")
        world.expectEqual([0, 1])
    }

    @Test("who was away while the log was cut takes the base from the file, or is told why it is not there")
    func base() {
        var world = World(seed: 3_208)
        let isMade = world.makeSpace("notes", nodes: 3)
        #expect(isMade, "\(world.logs())")
        world.keepNothing([0, 1, 2])
        for number in 0..<5 { _ = world.increment(2, "notes", Key("own/\(number)")) }
        let isLevel = world.run(within: 60_000) { $0.areEqual([0, 1, 2], "notes") }
        #expect(isLevel && checkpoints.checkpoint(&world, at: 0, [0, 1, 2]) != nil, "\(world.logs())")
        world.separate([2])
        checkpoints.leaveOut(2, &world)
        for node in 0..<2 { _ = world.ask(node, .collect(SpaceReference("notes"))) }
        bundles.part(&world, 3)
        _ = world.increment(0, "notes", "doc/late")
        let small = world.folderFile(0, bytesMax: 4_000)
        #expect(small.account.missingBase != nil && small.bytes.count <= 4_000, "\(small.account)")
        world.expectTaken(1, small.bytes, new: 1)
        let file = world.folderFile(0)
        #expect(file.account.missingBase == nil && !file.account.isCut, "\(file.account)")
        let taken = world.takeBundle(2, file.bytes)
        #expect(taken.isWhole && taken.tally.baseDocuments > 0, "\(taken)")
        let again = world.takeBundle(2, file.bytes)
        #expect(again.isWhole && again.tally.lacking <= 0, "\(again)")
        world.run(milliseconds: 120_000)
        world.expectTaken(0, world.folderFile(2).bytes)
        world.expectTaken(1, world.folderFile(2).bytes)
        world.run(milliseconds: 120_000)
        world.expectEqual([0, 1, 2])
    }

    @Test(
        "boxes that only read each other's files become equal, whatever order they look in", arguments: 0..<8)
    func gossip(seed: Int) {
        var dice = SeededGenerator(seed: UInt64(seed))
        var world = bundles.strangers(4, seed: 3_300 + UInt64(seed))
        var files: [Int: [UInt8]] = [:]
        func look(_ reader: Int) {
            for (_, file) in files.sorted(by: { $0.key < $1.key }).filter({ $0.key != reader }).shuffled(
                using: &dice)
            {
                for _ in 0..<3 {
                    let taken = world.takeBundle(reader, file)
                    #expect(taken.isWhole, "\(taken)")
                    if taken.tally.lacking <= 0 || taken.tally.new == 0 { break }
                }
            }
            files[reader] = world.folderFile(reader, bytesMax: 5_000).bytes
        }
        for round in 0..<30 {
            let text = (0..<40).map { String(($0 * 7_919 + round * 31) % 1_000_003, radix: 36) }.joined()
            _ = world.splice(round % 4, "notes", Key("text/\(round % 3)"), at: 0, text)
            look(Int.random(in: 0..<4, using: &dice))
        }
        var rounds = 0
        while !world.areEqual([0, 1, 2, 3], "notes"), rounds < 60 {
            rounds += 1
            for reader in 0..<4 {
                world.run(milliseconds: 1_000)
                look(reader)
            }
        }
        world.expectEqual([0, 1, 2, 3])
        for _ in 0..<2 { for reader in 0..<4 { look(reader) } }
        for node in 0..<4 {
            #expect(world.folderPlan(node)?.isNeeded == false, "\(node) after \(rounds) rounds")
        }
    }
}

extension World {
    /// What this node would keep in a sync folder, and what it says of it.
    fileprivate mutating func folderFile(_ index: Int, bytesMax: Int = 64 << 20)
        -> (bytes: [UInt8], account: BundleAccount)
    {
        let request = NodeRequest.writeBundle(SpaceReference("notes"), .folder(bytesMax: bytesMax))
        guard case .folderBundle(let job)? = ask(index, request) else {
            Issue.record("no file of \(index)")
            return ([], BundleAccount())
        }
        var bytes: [UInt8] = []
        do throws(StoreFailure) {
            while let piece = try job.next() { bytes += piece }
        } catch {
            Issue.record("\(error)")
        }
        return (bytes, job.account)
    }

    fileprivate mutating func folderPlan(_ index: Int) -> FolderSpacePlan? {
        guard case .syncFolder(let plans)? = ask(index, .syncFolder(SyncFolderReport(path: "/folder"))) else {
            return nil
        }
        return plans.first
    }

    fileprivate mutating func lastSeen(_ member: Int, by index: Int) -> UInt64? {
        guard case .members(let members)? = ask(index, .members(SpaceReference("notes"))) else { return nil }
        return members.first { $0.device == nodes[member].device }?.lastSeenAt
    }

    /// The statement that ends the file of a node, as another member reads it.
    fileprivate mutating func statement(_ index: Int) -> BundleStatement? {
        var reader = BundleReader()
        reader.append(folderFile(index).bytes)
        do {
            let reads = index == 0 ? 1 : 0
            guard let head = try reader.nextHead(),
                case .bundleOpened(let key, _, _)? = ask(reads, .openBundle(SpaceReference("notes"), head))
            else { return nil }
            reader.begin(with: key)
            while let piece = try reader.next() {
                if case .statement(let statement) = piece.record { return statement }
            }
        } catch {
            Issue.record("\(error)")
        }
        return nil
    }

    fileprivate mutating func held(_ index: Int) -> VersionVector {
        statement(index)?.held ?? VersionVector()
    }

    /// A statement of a member, as a bundle of its own would bring it.
    fileprivate mutating func say(
        _ member: Int, to index: Int, _ held: VersionVector, shift: Int64 = 0
    ) {
        guard let heads = statement(index)?.heads, let space = nodes[index].node?.spaceIDs.first else {
            Issue.record("nothing is known of the space")
            return
        }
        let statement = BundleStatement(
            heads: heads, held: held, in: space,
            at: Timestamp(milliseconds: UInt64(Int64(now.wall) + shift)), by: nodes[member].deviceKey)
        let answer = ask(
            index,
            .takeBundle(SpaceReference("notes"), [BundlePiece(at: 0, .statement(statement))]))
        guard case .bundleTaken(_, nil)? = answer else {
            Issue.record("not taken: \(String(describing: answer))")
            return
        }
    }
}
