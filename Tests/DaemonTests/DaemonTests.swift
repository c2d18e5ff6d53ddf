// Tests of real processes: the release programs that `make test` names in REPL_PROGRAMS, spoken to over
// their socket with plain HTTP. What can be shown in one process is shown below, in the floors; here are
// the promises that only processes can break: kill -9, files, ports, signals, several daemons. One test
// after the other: each starts daemons.

import Testing

@Suite(
    .serialized, .onOwnThreads,
    .enabled(if: Programs.folder != nil, "REPL_PROGRAMS names no folder of programs"),
    .compactMapIssues { issue in
        // The trait stands at this suite and, inherited, at each below it: once is enough.
        guard !issue.comments.contains(where: { $0.rawValue.hasPrefix(DaemonWorld.tailHead) }) else {
            return issue
        }
        var issue = issue
        issue.comments += DaemonWorld.currentTails.map { Comment(rawValue: $0) }
        return issue
    })
enum DaemonTests {}
