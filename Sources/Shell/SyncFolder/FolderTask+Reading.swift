// One file that somebody else left: taken as a person's `replctl bundle read` takes it, a few records at a
// time, and judged by the node alone.

import Bytes
import Causality
import ControlAPI
import Logging
import Node
import Wire

extension FolderTask {
    /// Reads a file if there is something new about it.
    mutating func look(at name: String, in folder: FolderDirectory, spaces: Set<SpaceID>) {
        var entry = entries[name] ?? FolderEntry()
        let (monotonic, wall) = (now().monotonic, Int64(now().wall / 1_000))
        guard let found = folder.identity(of: name) else {
            entries[name] = nil
            return
        }
        let step = entry.step(found, spaces: spaces, news: news, at: monotonic)
        if case .pass = step { return }
        defer { entries[name] = entry }
        let isChanged = entry.identity != found
        if isChanged { entry.tries = 0 }
        entry.identity = found
        entry.isRacy = found.isRacy(atWall: wall)
        entry.retryAt = monotonic + UInt64(FolderLimits.racySeconds) * 1_000
        let file: FolderFile
        do throws(FolderFileFault) {
            file = try folder.file(name)
        } catch {
            return refuse(&entry, name, error)
        }
        if case .compare(let mark) = step {
            do throws(FolderFailure) {
                if try file.mark() == mark { return }
            } catch {
                return refuse(&entry, name, .failed(error))
            }
        }
        guard file.identity.size <= limits.fileBytesMax else {
            return refuse(
                &entry, name, "it has \(file.identity.size >> 20) MiB, more than is read of a file")
        }
        read(file, name, &entry)
    }

    // MARK: Taking

    private enum Ending {
        case whole
        case refused(String)
        case foreign(SpaceID)
        /// Not now; in words.
        case later(String)
    }

    /// Its first part may go on from its second: again, as long as that brings something new.
    private mutating func read(_ file: FolderFile, _ name: String, _ entry: inout FolderEntry) {
        var (new, pass) = (0, 0)
        while true {
            pass += 1
            var intake = BundleIntake(space: nil)
            let ending = take(file, &intake)
            let tally = intake.tally
            entry.space = intake.headSpace
            entry.tally = tally
            new += tally.new
            news += UInt64(tally.new + tally.operations + tally.baseDocuments)
            counters.changesTaken += UInt64(tally.new)
            entry.news = news
            guard case .whole = ending else { return end(ending, name, &entry) }
            let isMoving = tally.new + tally.operations + tally.baseDocuments > 0
            if tally.lacking <= 0 || !isMoving || pass == limits.passesMax { break }
        }
        entry.tally.new = new
        counters.filesRead += 1
        entry.problem = nil
        entry.readAt = now().wall
        do throws(FolderFailure) {
            entry.outcome = .whole(try file.mark())
        } catch {
            return refuse(&entry, name, .failed(error))
        }
        guard entry.tally.lacking > 0 else { return entry.tries = 0 }
        let count = entry.tally.lacking
        entry.problem = "\(count) \(count == 1 ? "change goes" : "changes go") on from what is not here yet"
        wait(&entry)
    }

    private mutating func end(_ ending: Ending, _ name: String, _ entry: inout FolderEntry) {
        switch ending {
        case .whole: break
        case .refused(let words): refuse(&entry, name, words)
        case .foreign(let space):
            entry.outcome = .foreign(space)
            entry.problem = nil
        case .later(let words):
            entry.outcome = .later
            entry.problem = words
            wait(&entry)
        }
    }

    /// Tried again later each time.
    private func wait(_ entry: inout FolderEntry) {
        let pause = min(limits.pollMilliseconds << min(entry.tries, 16), limits.retryMillisecondsMax)
        entry.tries += 1
        entry.retryAt = now().monotonic + pause
    }

    private mutating func take(_ file: FolderFile, _ intake: inout BundleIntake) -> Ending {
        let ending = steps(file, &intake)
        // The node need not wait for more of it.
        if let request = intake.giveUp() { _ = ask(request) }
        return ending
    }

    private mutating func steps(_ file: FolderFile, _ intake: inout BundleIntake) -> Ending {
        var (offset, hasEnded) = (UInt64(0), false)
        do {
            while true {
                if isStopped { return .later("the daemon stops") }
                switch try intake.next(hasEnded: hasEnded) {
                case .ask(let request): try intake.answered(ask(request))
                case .whole(let request):
                    _ = ask(request)
                    return .whole
                case .more:
                    let bytes =
                        offset < limits.fileBytesMax ? try file.read(at: offset, limits.pieceBytes) : []
                    offset += UInt64(bytes.count)
                    counters.bytesRead += UInt64(bytes.count)
                    hasEnded = bytes.isEmpty
                    intake.append(bytes)
                }
            }
        } catch let fault as BundleFault {
            return .refused(APIError(fault).message)
        } catch let refusal as BundleIntake.Refusal {
            return Self.ending(refusal)
        } catch let failure as FolderFailure {
            return .later("it cannot be read: \(failure.words)")
        } catch {
            preconditionFailure("\(error)")
        }
    }

    private static func ending(_ refusal: BundleIntake.Refusal) -> Ending {
        switch refusal {
        case .stopped(let stop):
            let words = APIError(stop).message
            if case .bad = stop { return .refused(words) }
            return .later(words)
        case .failed(let error):
            switch error {
            case .bundle(.foreign(let space)): return .foreign(space)
            case .bundle(.sealedForOthers): return .refused(APIError(error).message)
            default: return .later(APIError(error).message)
            }
        }
    }

    // MARK: Refusing

    private mutating func refuse(_ entry: inout FolderEntry, _ name: String, _ fault: FolderFileFault) {
        switch fault {
        case .gone: entry = FolderEntry()
        case .noFile(let kind): refuse(&entry, name, "it is no file but \(kind)")
        case .failed(let failure): refuse(&entry, name, "it cannot be read: \(failure.words)")
        }
    }

    private mutating func refuse(_ entry: inout FolderEntry, _ name: String, _ words: String) {
        let isNew = entry.problem != words
        entry.outcome = .refused
        entry.problem = words
        guard isNew else { return }
        counters.filesRefused += 1
        // Whoever writes to the folder must not fill the log.
        let moment = now().monotonic
        guard moment >= logAfter else { return }
        logAfter = moment + limits.logMilliseconds
        log.warning(
            "\(name) of the sync folder is not taken: \(words)", metadata: ["code": "folder-file"])
    }
}
