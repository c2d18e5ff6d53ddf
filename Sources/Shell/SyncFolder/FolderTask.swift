// What the sync folder's thread does in one turn: asks the node what there is to carry, reads what others
// left, writes what this node should leave, and tells how it went. Whatever is wrong with the folder or a
// file in it is told and tried again; nothing of the node waits for it. The state is on that thread's stack.

import Bytes
import Causality
import Glibc
import Logging
import Node
import NodeRuntime

/// The folder as the config has it.
public struct FolderSettings: Sendable, Equatable {
    public let path: String
    /// Of one file of this node.
    public let fileBytesMax: Int
    /// The state directory, where nothing of the folder may ever be.
    public let state: String

    public init(path: String, fileBytesMax: Int, state: String) {
        (self.path, self.fileBytesMax, self.state) = (path, fileBytesMax, state)
    }
}

/// The state of the thread. Times are milliseconds of the monotonic clock where nothing else is said.
struct FolderTask {
    /// A file of this node.
    struct Own {
        let file: String
        var pace: FolderPace
        var mark: BundleMark?
        var identity: FileIdentity?
        var account = BundleAccount()
        /// Milliseconds since 1970; nil: it was not written yet.
        var writtenAt: UInt64?
    }

    let gateway: any Gateway
    let limits: FolderLimits
    let isService: Bool
    let log: Logger
    /// Full when the thread shall end.
    let bell: Mailbox<Bool>
    let now: @Sendable () -> Instant

    private var settings: FolderSettings?
    /// As the node was told.
    private var told: SyncFolderReport?
    private var own: [SpaceID: Own] = [:]
    var entries: [String: FolderEntry] = [:]
    var counters = SyncFolderReport.Counters()
    /// Changes and operations taken from all files.
    var news: UInt64 = 0
    /// Why the last write failed; nil: it did not.
    private var trouble: FolderTrouble?
    private var isCrowded = false
    var logAfter: UInt64 = 0
    private var areDraftsGone = false

    init(
        gateway: any Gateway, limits: FolderLimits, isService: Bool, log: Logger, bell: Mailbox<Bool>,
        now: @escaping @Sendable () -> Instant
    ) {
        (self.gateway, self.limits, self.isService) = (gateway, limits, isService)
        (self.log, self.bell, self.now) = (log, bell, now)
    }

    var isStopped: Bool { bell.wait(milliseconds: 0) != nil }

    /// Asks the node and waits for its answer.
    func ask(_ request: NodeRequest) -> NodeAnswer {
        let answer = Mailbox<NodeAnswer>()
        gateway.submit(request) { answer.put($0) }
        return answer.wait()
    }

    // MARK: One turn

    mutating func turn(_ wanted: FolderSettings?) {
        if wanted?.path != settings?.path {
            (own, entries, trouble, isCrowded, areDraftsGone) = ([:], [:], nil, false, false)
        }
        settings = wanted
        guard let wanted else {
            if told != nil, case .syncFolder = ask(.syncFolder(nil)) { told = nil }
            return
        }
        let folder: FolderDirectory
        do throws(FolderFailure) {
            folder = try FolderDirectory(wanted.path, besides: wanted.state)
        } catch {
            return tell(FolderTrouble(error, wanted.path, isService: isService))
        }
        // The node has to be asked whatever it says: what it says of a space may be new.
        guard var plans = plans() else { return }
        do throws(FolderFailure) {
            if try read(folder, plans) { plans = self.plans() ?? plans }
        } catch {
            return tell(FolderTrouble(error, wanted.path, isService: isService))
        }
        write(folder, plans, wanted)
        clean(folder, plans, wanted)
        tell(trouble)
    }

    /// Nil while the node does not answer: it stops, or is overloaded.
    private mutating func plans() -> [FolderSpacePlan]? {
        guard let settings, case .syncFolder(let plans) = ask(.syncFolder(told ?? report(nil, settings)))
        else {
            return nil
        }
        return plans
    }

    // MARK: Reading

    /// True when something was taken that was not here.
    private mutating func read(_ folder: FolderDirectory, _ plans: [FolderSpacePlan]) throws(FolderFailure)
        -> Bool
    {
        let listing = try folder.names(limit: limits.entriesMax)
        if !areDraftsGone {
            for plan in plans { folder.removeDrafts(of: plan.file, among: listing.names) }
            areDraftsGone = true
        }
        let candidates = candidates(listing, plans)
        let kept = Set(candidates)
        entries = entries.filter { kept.contains($0.key) }
        let spaces = Set(plans.map(\.space))
        let before = news
        for name in candidates where !isStopped {
            let newsBefore = news
            look(at: name, in: folder, spaces: spaces)
            guard news > newsBefore, let space = entries[name]?.space else { continue }
            own[space]?.pace.took()
        }
        return news > before
    }

    /// Files of members first, whatever else is in the folder; then strangers' as many as are looked at. Our
    /// own are read once: what an older state of this device left there may be more than it has now.
    private mutating func candidates(
        _ listing: (names: [String], isMore: Bool), _ plans: [FolderSpacePlan]
    ) -> [String] {
        let present = Set(listing.names)
        let named = plans.flatMap { plan in
            (own[plan.space] == nil ? [plan.file] : []) + plan.members + plan.gone
        }
        let ours = Set(plans.map(\.file))
        let known = named.filter { listing.isMore || present.contains($0) }
        let all = Set(known).union(ours)
        let strangers = listing.names.filter {
            $0.hasSuffix(FolderFileName.suffix) && !$0.hasPrefix(".") && !all.contains($0)
        }.sorted()
        isCrowded = listing.isMore || strangers.count > limits.strangersMax
        return known + strangers.prefix(limits.strangersMax)
    }

    // MARK: Writing

    private mutating func write(
        _ folder: FolderDirectory, _ plans: [FolderSpacePlan], _ settings: FolderSettings
    ) {
        own = own.filter { space, _ in plans.contains { $0.space == space } }
        var isBlocked = false
        for plan in plans where !isStopped && !isBlocked {
            var file = own[plan.space] ?? Own(file: plan.file, pace: FolderPace(limits))
            let isThere = isThere(&file, in: folder)
            let due = file.pace.due(plan, bytesMax: settings.fileBytesMax, isThere: isThere)
            if let due, due <= now().monotonic {
                do throws(FolderWriteFault) {
                    try write(&file, plan, folder, settings, wasThere: isThere)
                    trouble = nil
                } catch {
                    file.pace.failed(at: now().monotonic)
                    if case .folder(let failure) = error {
                        trouble = FolderTrouble(failure, settings.path, isService: isService)
                        // The others would fail in the same way.
                        isBlocked = true
                    }
                }
            }
            own[plan.space] = file
        }
    }

    /// Whether the file is as it was written. Some file systems give it another identity when they are
    /// mounted again.
    private func isThere(_ file: inout Own, in folder: FolderDirectory) -> Bool {
        guard let mark = file.mark else { return false }
        guard let found = folder.identity(of: file.file) else { return false }
        if found == file.identity { return true }
        do {
            guard try folder.file(file.file).mark() == mark else { return false }
        } catch {
            return false
        }
        file.identity = found
        return true
    }

    private enum FolderWriteFault: Error {
        case folder(FolderFailure)
        /// The node could not give it: it has its reasons, and says them elsewhere.
        case node
    }

    private mutating func write(
        _ file: inout Own, _ plan: FolderSpacePlan, _ folder: FolderDirectory, _ settings: FolderSettings,
        wasThere: Bool
    ) throws(FolderWriteFault) {
        let choice = BundleChoice.folder(bytesMax: settings.fileBytesMax)
        let answer = ask(.writeBundle(SpaceReference(plan.space.description), choice))
        guard case .folderBundle(let job) = answer else { throw .node }
        let mark = try write(job, as: plan.file, in: folder)
        file.mark = mark
        file.identity = folder.identity(of: plan.file)
        (file.account, file.writtenAt) = (job.account, now().wall)
        file.pace.wrote(
            plan, job.account, bytesMax: settings.fileBytesMax, wasThere: wasThere, at: now().monotonic)
        counters.filesWritten += 1
        counters.bytesWritten += mark.size
    }

    private func write(_ job: any FolderBundle, as name: String, in folder: FolderDirectory)
        throws(FolderWriteFault) -> BundleMark
    {
        func ofFolder<Result>(_ body: () throws(FolderFailure) -> Result) throws(FolderWriteFault) -> Result {
            do throws(FolderFailure) { return try body() } catch { throw .folder(error) }
        }
        let draft = try ofFolder { () throws(FolderFailure) in try folder.draft(of: name) }
        while let piece = try next(of: job) {
            if isStopped { throw .node }
            try ofFolder { () throws(FolderFailure) in try draft.append(piece) }
        }
        return try ofFolder { () throws(FolderFailure) in try draft.finish() }
    }

    private func next(of job: any FolderBundle) throws(FolderWriteFault) -> [UInt8]? {
        do throws(StoreFailure) {
            return try job.next()
        } catch {
            log.warning("a bundle for the sync folder: \(error)", metadata: ["code": "folder-bundle"])
            throw .node
        }
    }

    // MARK: Cleaning

    /// Files of who is no member any more go when everything in them is here, and in our own file for those
    /// who lack it.
    private mutating func clean(
        _ folder: FolderDirectory, _ plans: [FolderSpacePlan], _ settings: FolderSettings
    ) {
        for plan in plans where own[plan.space]?.pace.isUp(to: plan) == true {
            for name in plan.gone {
                guard let entry = entries[name], case .whole = entry.outcome, entry.tally.lacking <= 0,
                    let identity = entry.identity, !entry.isRacy
                else { continue }
                do throws(FolderFailure) {
                    guard try folder.remove(name, ifStill: identity) else { continue }
                    entries[name] = nil
                    counters.filesRemoved += 1
                    log.notice(
                        "\(name) of the sync folder was read and removed: its box is no member any more",
                        metadata: ["code": "folder-removed"])
                } catch {
                    // It stays, and does no harm.
                    continue
                }
            }
        }
    }

    // MARK: Telling

    private mutating func tell(_ trouble: FolderTrouble?) {
        guard let settings else { return }
        let report = report(trouble, settings)
        guard report != told || trouble != nil, case .syncFolder = ask(.syncFolder(report)) else { return }
        if report.state != told?.state || report.problem != told?.problem {
            let isFine = report.state == .ready
            log.log(
                level: isFine || told == nil ? .info : .warning,
                "\(isFine ? "the sync folder \"\(report.path)\" is read and written" : report.problem)",
                metadata: ["code": "sync-folder"])
        }
        told = report
    }

    private func report(_ trouble: FolderTrouble?, _ settings: FolderSettings) -> SyncFolderReport {
        var report = SyncFolderReport(path: settings.path)
        report.state = trouble?.state ?? .ready
        report.problem = trouble?.problem ?? ""
        report.hint = trouble?.hint ?? ""
        report.own = own.sorted { $0.key < $1.key }.compactMap { space, file in
            file.writtenAt.map {
                SyncFolderReport.Own(file: file.file, space: space, account: file.account, writtenAt: $0)
            }
        }
        // A folder that is away has no files.
        if trouble?.state != .missing {
            for (name, entry) in entries.sorted(by: { $0.key < $1.key }) {
                if case .foreign = entry.outcome {
                    report.foreign += 1
                    continue
                }
                report.others.append(
                    SyncFolderReport.Other(
                        file: name, space: entry.space, bytes: entry.identity?.size ?? 0,
                        readAt: entry.readAt, tally: entry.tally, problem: entry.problem))
            }
        }
        report.isCrowded = isCrowded
        report.counters = counters
        return report
    }
}
