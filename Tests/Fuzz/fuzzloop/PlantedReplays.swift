// The bugs of the bulk road that the test build has, each by the name that guards its lines in Sources/Core;
// TESTING.md says what each does. The simulator cannot find them: the daemon does not take that road
// (decision 0121). A test compares this list with the guards.

#if PLANTED_BUGS
import Bytes
import Glibc

extension PlantedBugs {
    /// Each within this many executions.
    static let replays: [(name: StaticString, executionsMax: UInt64)] = [
        ("near-stays", 20_000),
        ("row-one-short", 20_000),
        ("run-forgets-right", 20_000),
        ("replay-without-context", 20_000),
        ("edits-after-delete", 20_000),
        ("edit-of-first", 20_000),
        ("siblings-turned", 20_000),
    ]

    /// Switches the bug on that REPL_PLANTED_BUG names, if it names one.
    static func chooseFromEnvironment() {
        guard let name = getenv("REPL_PLANTED_BUG").map({ String(cString: $0) }) else { return }
        guard let found = replays.first(where: { $0.name.description == name }) else {
            print("no planted bug has the name \(name)")
            exit(2)
        }
        chosen = found.name
    }
}
#endif
