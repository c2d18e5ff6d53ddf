// Bugs on purpose, to prove that the simulator would find them (TESTING.md, "Planted bugs"). They are
// compiled in only with -D PLANTED_BUGS, for a test build that is never shipped, and one is chosen at run
// time. In every other build `isPlanted` is the constant false: what it guards is compiled to nothing. A bug
// is a literal and not a case or a property, because the metadata of a type would carry its names into the
// shipped programs even when nothing uses them; ReplSimTests looks for the names in those programs.

#if PLANTED_BUGS
/// Which bug is on, by the name that `replsim --bug` takes; none at first.
public enum PlantedBugs {
    // Set once, before anything else runs, in a process of one thread.
    nonisolated(unsafe) public static var chosen: StaticString = ""
}

/// True when this bug is switched on. `replsim` has the list of all of them.
public func isPlanted(_ bug: StaticString) -> Bool {
    let chosen = PlantedBugs.chosen
    return bug.utf8CodeUnitCount == chosen.utf8CodeUnitCount
        && bug.withUTF8Buffer { a in chosen.withUTF8Buffer { b in a.elementsEqual(b) } }
}
#else
/// No bug is on in this build.
@_alwaysEmitIntoClient @inline(__always)
public func isPlanted(_ bug: StaticString) -> Bool { false }
#endif
