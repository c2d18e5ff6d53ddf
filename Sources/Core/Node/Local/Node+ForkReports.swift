// What a person sees of forks and of skipped changes.

import Bytes
import Causality
import Identity
import Replication
import Wire

extension Node {
    /// Closed logs, ascending by replica.
    mutating func forks(of index: SpaceHandle) throws(NodeError) -> [ForkReport] {
        try need(.reader, in: index)
        try stored { node throws(StoreFailure) in
            try node.spaces[index].writeRun(to: &node.transaction)
        }
        return try reading(in: index) { node throws(StoreFailure) in
            var reports: [ForkReport] = []
            for replica in node.spaces[index].forks.proven.replicas {
                reports.append(try node.fork(replica, in: index))
            }
            return reports
        }
    }

    private func fork(_ replica: ReplicaID, in index: SpaceHandle) throws(StoreFailure) -> ForkReport {
        let space = spaces[index]
        let author = space.author(of: replica)
        let first = space.forks.branch(of: replica)?.first ?? .max
        var branch: ForkReport.Branch?
        if let last = space.logs[replica]?.last, last >= first {
            let reissue = try reissue(of: replica, in: index)
            branch = ForkReport.Branch(
                first: first, last: last, reissuedIn: reissue?.replica,
                isReissued: reissue == nil ? false : try isReissued(replica, from: first, in: index))
        }
        return ForkReport(
            replica: replica, device: author, deviceName: author.map(space.nameOf) ?? "",
            closedAt: space.forks.closed[replica]?.first ?? first,
            since: space.forks.since[replica] ?? 0, branch: branch)
    }

    /// Skipped changes, in commit order.
    mutating func skipped(of index: SpaceHandle) throws(NodeError) -> [SkippedReport] {
        try need(.reader, in: index)
        try stored { node throws(StoreFailure) in
            try node.spaces[index].writeRun(to: &node.transaction)
        }
        return try reading(in: index) { node throws(StoreFailure) in
            var reader = LogReader(space: node.spaces[index].id)
            var reports: [SkippedReport] = []
            let records = node.spaces[index].skipped.values.sorted {
                $0.change.position < $1.change.position
            }
            for record in records {
                let change = try reader.change(record.change, from: node.store)
                let author = node.spaces[index].namedAuthor(of: change.replica)
                reports.append(
                    SkippedReport(
                        change: change.id, device: author?.device, deviceName: author?.name ?? "",
                        reason: record.reason.word,
                        since: record.since, documents: change.touched.map(\.string)))
            }
            return reports
        }
    }
}

extension SkippedRecord.Reason {
    /// The API's word for it.
    fileprivate var word: String {
        switch self {
        case .unknown: "newer-version"
        case .quarantined: "quarantined"
        case .unreadable: "unreadable"
        }
    }
}
