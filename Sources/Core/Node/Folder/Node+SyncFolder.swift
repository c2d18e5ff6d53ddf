// What the node would have in the sync folder, and what the shell's task told of it. Both are small: a task
// asks every few seconds, so what others lack is computed from vectors that are in memory and from the latest
// statement of each member, and no log is read for it.

import Bytes
import Causality
import Crypto
import Identity
import Mesh
import Replication
import Roster
import Wire

/// Another member, as the folder's bundle is written for it.
struct FolderReader: Sendable {
    let device: DeviceID
    /// At least what it said last, of what is held here.
    let held: VersionVector
    /// Roster operations that it may lack, by place.
    let operations: [RosterPlace]
}

extension Node {
    /// The task has looked at the folder; nil: there is none any more.
    mutating func record(_ report: SyncFolderReport?, at now: Instant) {
        syncFolder = report
        syncFolder?.lookedAt = now.wall
        let code = "sync-folder"
        guard let report, report.state != .ready, report.state != .missing else {
            return resolveAlarm(code: code)
        }
        let alarm = Alarm(code: code, message: report.problem, hint: report.hint, since: now.wall)
        let isOther = alarms.list.contains { $0.code == code && $0.message != alarm.message }
        if isOther { resolveAlarm(code: code) }
        raise(alarm)
    }

    /// Every space whose bundle this node may write and read.
    mutating func folderPlans() -> [FolderSpacePlan] {
        var plans: [FolderSpacePlan] = []
        for index in spaces.indices {
            guard let role = spaces[index].roster.role(of: device), role >= .reader else { continue }
            do throws(NodeError) {
                plans.append(try folderSpacePlan(of: index))
            } catch {
                batch.log(
                    .error, "store-read",
                    "space \(spaces[index].name) is left out of the sync folder for now (\(error))")
            }
        }
        return plans
    }

    private mutating func folderSpacePlan(of index: SpaceHandle) throws(NodeError) -> FolderSpacePlan {
        try reading(in: index) { node throws(StoreFailure) in try node.updateAdvertised(index) }
        guard let told = spaces[index].replication.advertised else {
            throw .noRight(have: try myRole(in: index), need: .reader)
        }
        let readers = try folderReaders(in: index)
        let (space, roster) = (spaces[index].id, spaces[index].roster)
        let needy = readers.filter {
            !$0.held.covers(told.sealed) || roster.operations(at: $0.operations).contains(where: \.matters)
        }
        let others = roster.devices.filter { $0 != device }
        return FolderSpacePlan(
            space: space, file: FolderFileName.name(of: device, in: space),
            content: folderContent(of: index, told),
            need: folderNeed(of: readers, lacking: told.sealed, cuts: spaces[index].logs.cuts),
            isNeeded: !needy.isEmpty,
            members: others.filter { roster.role(of: $0) != nil }.map {
                FolderFileName.name(of: $0, in: space)
            },
            gone: others.filter { roster.role(of: $0) == nil }.map { FolderFileName.name(of: $0, in: space) })
    }

    /// Names what is held here, as far as it matters to a bundle.
    private func folderContent(of index: SpaceHandle, _ told: AdvertisedLogs) -> Bytes32 {
        let space = spaces[index]
        var writer = ByteWriter(reserving: 256 + told.sealed.count * 24)
        for head in space.roster.heads.sorted() { head.encode(into: &writer) }
        writer.vector(told.sealed)
        for replica in space.forks.proven.replicas { replica.raw.encode(into: &writer) }
        (space.documents.bases.standing?.id ?? .zero).encode(into: &writer)
        return Blake2b.hash256(writer.bytes, personal: "repld-folder-v1")
    }

    /// Names what others are not known to hold.
    private func folderNeed(
        of readers: [FolderReader], lacking held: VersionVector, cuts: VersionVector
    ) -> Bytes32 {
        var writer = ByteWriter(reserving: 256)
        for reader in readers {
            reader.device.publicKey.encode(into: &writer)
            writer.vector(reader.held.met(with: held))
            writer.varint(reader.operations.count)
            writer.u8(reader.held.covers(cuts) ? 0 : 1)
        }
        return Blake2b.hash256(writer.bytes, personal: "repld-folder-v1")
    }

    /// The other active members that can read a bundle, ascending by device.
    private mutating func folderReaders(in index: SpaceHandle) throws(NodeError) -> [FolderReader] {
        let (space, own) = (spaces[index], device)
        return try reading(in: index) { node throws(StoreFailure) in
            // Many members know the same of the roster.
            var lacking: [[Bytes32]: [RosterPlace]] = [:]
            var readers: [FolderReader] = []
            for member in space.roster.activeDevices() where member != own {
                guard let role = space.roster.role(of: member), role >= .reader else { continue }
                let known = try space.known(of: member, in: node.store)
                // On a link the roster goes before everything else, and is not answered for.
                let isLinked = node.links.connections.table.isLinked(to: member)
                let heads = isLinked ? space.roster.heads.sorted() : Set(known.heads).sorted()
                let operations = lacking[heads] ?? space.roster.places(missingFrom: heads)
                lacking[heads] = operations
                readers.append(FolderReader(device: member, held: known.held, operations: operations))
            }
            return readers
        }
    }

    // MARK: The bundle

    /// What any other active member is not known to hold.
    mutating func folderPlan(in index: SpaceHandle, bytesMax: Int, at now: Instant) throws(NodeError)
        -> BundlePlan
    {
        var plan = try bundlePlan(in: index, at: now)
        let readers = try folderReaders(in: index)
        plan.bytesMax = bytesMax
        // What is cut off is cut between segments.
        plan.source.bytesAim = min(plan.source.bytesAim, bytesMax / 64)
        let lacking = Set(readers.flatMap(\.operations))
        plan.operations = plan.roster.places.filter(lacking.contains)[...]
        let cuts = spaces[index].logs.cuts
        var vectors = readers.map(\.held)
        if vectors.contains(where: { !$0.covers(cuts) }) {
            let found = try folderBase(in: index, bytesMax: bytesMax / 2)
            // Without the base nothing that follows is of use to them.
            vectors = vectors.compactMap { held in
                if held.covers(cuts) { return held }
                guard case .base(_, let boundaries) = found else { return nil }
                var held = held
                held.join(boundaries)
                return held
            }
            switch found {
            case .base(let base, _): plan.base = base
            case .none(let words): plan.missingBase = words
            }
        }
        plan.readers = FolderNeed.shares(of: vectors, lacking: plan.source.advertised.sealed)[...]
        return plan
    }

    private enum FolderBase {
        case base(BundleBase, VersionVector)
        case none(because: String)
    }

    private mutating func folderBase(in index: SpaceHandle, bytesMax: Int) throws(NodeError) -> FolderBase {
        let found: (base: BundleBase, boundaries: VersionVector)?
        do throws(NodeError) {
            found = try bundleBase(in: index, for: VersionVector(), isWanted: true)
        } catch {
            switch error {
            case .bundle(.noCheckpoint), .seeding:
                return .none(
                    because: "a member needs the documents of a checkpoint, and none can be given now")
            default: throw error
            }
        }
        guard let found else { return .none(because: "no checkpoint stands") }
        let bytes = try folderBaseBytes(found.base, in: index)
        guard bytes <= bytesMax else {
            return .none(
                because: "a member needs the documents of the last checkpoint, up to \(bytes >> 20) MiB, "
                    + "which is over half of sync-folder-max")
        }
        return .base(found.base, found.boundaries)
    }

    /// Before compression.
    private mutating func folderBaseBytes(_ base: BundleBase, in index: SpaceHandle) throws(NodeError) -> Int
    {
        let space = spaces[index].id
        return try reading(in: index) { node throws(StoreFailure) in
            var bytes = 0
            for hash in base.tables {
                bytes += try node.store.meta(NodeMeta.content(space, hash))?.count ?? 0
            }
            guard let manifest = try node.store.meta(NodeMeta.content(space, base.manifest)) else {
                return bytes
            }
            do throws(DecodeFault) {
                return try bytes + manifest.count + BaseManifest(decoding: manifest).byteCount
            } catch {
                throw .unreadable(.bases(of: space), error)
            }
        }
    }

    // MARK: Status

    /// The report, with whose files they are.
    var syncFolderStatus: SyncFolderStatus? {
        guard let report = syncFolder else { return nil }
        let named = Set(report.others.map(\.file))
        var writers: [String: SyncFolderStatus.Writer] = [:]
        for space in spaces {
            for device in space.roster.devices {
                let file = FolderFileName.name(of: device, in: space.id)
                guard named.contains(file) else { continue }
                writers[file] = SyncFolderStatus.Writer(
                    device: device, name: self.named(device).name,
                    isMember: space.roster.role(of: device) != nil)
            }
        }
        return SyncFolderStatus(report: report, writers: writers)
    }
}

extension ByteWriter {
    fileprivate mutating func vector(_ vector: VersionVector) {
        varint(vector.count)
        for entry in vector.entries {
            entry.replica.raw.encode(into: &self)
            varint(entry.last.value)
        }
    }
}
