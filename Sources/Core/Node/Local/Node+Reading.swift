// Requests that are opened right after a commit: on exactly that state, most of them on a read snapshot.

import Causality
import Documents
import Roster
import Wire

extension Node {
    mutating func openReading(_ id: RequestID, _ request: NodeRequest, at now: Instant) {
        do throws(NodeError) {
            try open(id, request, at: now)
        } catch {
            batch.refuse(id, error)
        }
    }

    private mutating func open(_ id: RequestID, _ request: NodeRequest, at now: Instant) throws(NodeError) {
        switch request {
        case .watch(let reference, let start, let prefix, let follow, let filter):
            let index = try handle(of: reference)
            // Again: others of the same batch may have taken the last places.
            try readers.needRoomForWatcher()
            try reading(in: index) { node throws(StoreFailure) in
                try node.openWatch(id, in: index, start: start, prefix: prefix, follow: follow, filter)
            }
        case .export(let reference, let view, let prefix):
            let index = try handle(of: reference)
            try need(.reader, in: index)
            let space = spaces[index].id
            let reader = try reading(in: index) { node throws(StoreFailure) in try node.store.reader() }
            let job = ExportJob(store: reader, space: space, view: view, prefix: prefix)
            batch.answer(id, .reading(job, cursor: cursor(of: index)))
        case .conflicts(let reference, let query):
            let index = try handle(of: reference)
            try need(.reader, in: index)
            let reader = try reading(in: index) { node throws(StoreFailure) in try node.store.reader() }
            let job = conflictJob(reader, query, in: index)
            batch.answer(id, .reading(job, cursor: cursor(of: index)))
        case .list(let reference, let query):
            let index = try handle(of: reference)
            try need(.reader, in: index)
            let (space, cursor) = (spaces[index].id, cursor(of: index))
            let listing = try reading(in: index) { node throws(StoreFailure) in
                try ListingScan(store: node.store.reader(), space: space, query: query, cursor: cursor)
            }
            batch.answer(id, .listing(listing))
        case .log(let reference, let after, let document):
            let index = try handle(of: reference)
            try need(.reader, in: index)
            let space = spaces[index].id
            if let after, !spaces[index].isDurable(after) { throw .noSuchChange(after) }
            let (names, cuts) = (authorNames(of: index), spaces[index].logs.cuts)
            if let after, cuts.contains(after) { throw .collected(since: spaces[index].logs.since) }
            let since = cuts.isEmpty || after != nil ? nil : spaces[index].logs.since
            let authors = spaces[index].logs.authors
            let job = try reading(in: index) { node throws(StoreFailure) in
                try LogJob(
                    store: node.store.reader(), space: space, document: document, after: after,
                    authors: authors, names: names, collectedSince: since)
            }
            batch.answer(id, .reading(job, cursor: cursor(of: index)))
        case .writeBundle, .endBundle: try openBundleJob(id, request, at: now)
        case .syncFolder: batch.answer(id, .syncFolder(folderPlans()))
        case .void(let reference, let query): try openVoid(id, query, in: try handle(of: reference))
        case .explain(let reference, let subject, let peer):
            let index = try handle(of: reference)
            var device: DeviceID?
            if let peer { device = try member(peer, in: index, isActive: false).device }
            let report = try stored { node throws(StoreFailure) in
                try node.view.explain(subject, in: index, peer: device, at: now)
            }
            batch.answer(id, .explained(report))
        default: preconditionFailure("\(request) is answered within its batch")
        }
    }

    private func conflictJob<Reader: StoreReading & Sendable>(
        _ reader: Reader, _ query: ConflictQuery, in index: SpaceHandle
    ) -> ConflictJob<Reader> {
        let authors = spaces[index].authors(for: ConflictJob<Reader>.self)
        return ConflictJob(store: reader, space: spaces[index].id, query: query, authors: authors)
    }

    private mutating func openVoid(
        _ id: RequestID, _ query: VoidQuery, in index: SpaceHandle
    ) throws(NodeError) {
        try need(.reader, in: index)
        let author = try query.member.map { (reference) throws(NodeError) in
            try member(reference, in: index, isActive: false).device
        }
        let reader = try reading(in: index) { node throws(StoreFailure) in try node.store.reader() }
        let job = voidJob(reader, query.reason, of: author, in: index)
        batch.answer(id, .reading(job, cursor: cursor(of: index)))
    }

    private func voidJob<Reader: StoreReading & Sendable>(
        _ reader: Reader, _ reason: VoidReason?, of author: DeviceID?, in index: SpaceHandle
    ) -> VoidJob<Reader> {
        let space = spaces[index]
        var names: [DeviceID: String] = [:]
        for member in space.roster.members() { names[member.device] = member.description.name.string }
        return VoidJob(
            store: reader, space: space.id, reason: reason, author: author, judge: space.voidJudge,
            authors: space.logs.authors, names: names)
    }

    /// The names of all who wrote something that is held.
    private func authorNames(of index: SpaceHandle) -> [DeviceID: String] {
        var names: [DeviceID: String] = [:]
        for entry in spaces[index].held.entries {
            guard let author = spaces[index].author(of: entry.replica), names[author] == nil else { continue }
            names[author] = spaces[index].nameOf(author)
        }
        return names
    }
}
