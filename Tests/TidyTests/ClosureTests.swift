// A client links what a client needs: neither a node nor the libraries that only nodes use. Read from the
// manifest's text, because SwiftPM's own description of a package starts a second build.

import Testing

/// The targets of Package.swift with what each names in `dependencies` or `on`.
private struct Manifest {
    /// Names in quotes of each target; those of packages (`nioCore`) are not in quotes and not in here.
    private(set) var dependencies: [String: Set<String>] = [:]

    init(_ text: String) {
        let lists = Self.lists(in: text)
        // Each declaration: a call that makes a target, up to the next one.
        let kinds =
            #/(?:core|shell|program|tests|target|executableTarget|systemLibrary|macro)\(\s*(?:name: )?"(\w+)"/#
        let heads = text.matches(of: kinds)
        for (index, head) in heads.enumerated() {
            let end = index + 1 < heads.count ? heads[index + 1].range.lowerBound : text.endIndex
            let body = text[head.range.upperBound..<end]
            var names = Set(body.matches(of: /"(\w+)"/).map { String($0.1) })
            let words = Set(body.split { !$0.isLetter && !$0.isNumber && $0 != "\"" }.map(String.init))
            for (list, members) in lists where words.contains(list) { names.formUnion(members) }
            dependencies[String(head.1)] = names
        }
    }

    /// The named lists of floors (`base`, `data` …), each with the members of the lists that it adds to.
    private static func lists(in text: String) -> [String: Set<String>] {
        var lists: [String: Set<String>] = [:]
        for list in text.matches(of: /let (\w+): \[Target\.Dependency\] = (.+)/) {
            var members = Set(list.2.matches(of: /"(\w+)"/).map { String($0.1) })
            for (name, others) in lists where list.2.hasPrefix(name + " +") { members.formUnion(others) }
            lists[String(list.1)] = members
        }
        return lists
    }

    /// The target and all that it stands on.
    func closure(of target: String) -> Set<String> {
        var found: Set<String> = []
        var open = [target]
        while let next = open.popLast() {
            guard found.insert(next).inserted else { continue }
            open += (dependencies[next] ?? []).filter { dependencies[$0] != nil }
        }
        return found
    }
}

@Suite struct ClosureTests {
    @Test(
        "a client links no node, no libsodium and no zstd",
        arguments: ["ReplClient", "ReplModels", "replctl", "notes"])
    func client(target: String) throws {
        let manifest = Manifest(try SourceTree.text("Package.swift"))
        let closure = manifest.closure(of: target)
        #expect(closure.isSuperset(of: ["ReplClient", "JSON", "Bytes"]), "\(closure.sorted())")
        let unwanted: Set = [
            "Node", "Crypto", "CSodium", "Wire", "CZstd", "Documents", "ControlAPI", "SQLiteStore", "CSQLite",
        ]
        #expect(closure.isDisjoint(with: unwanted), "\(closure.intersection(unwanted).sorted())")
    }

    @Test(
        "no program needs the macros, so none builds swift-syntax",
        arguments: ["repld", "replctl", "replsim", "replbench", "notes", "ReplClient", "ReplModels"])
    func macros(target: String) throws {
        let manifest = Manifest(try SourceTree.text("Package.swift"))
        #expect(manifest.closure(of: "Replicating").isSuperset(of: ["ReplicatingMacros", "Documents"]))
        #expect(manifest.closure(of: "ReplModeling").isSuperset(of: ["ReplicatingMacros", "ReplModels"]))
        #expect(
            manifest.closure(of: target).isDisjoint(with: [
                "Replicating", "ReplicatingMacros", "ReplModeling",
            ]))
    }

    @Test("the closure of a daemon has what a client's has not")
    func daemon() throws {
        let closure = Manifest(try SourceTree.text("Package.swift")).closure(of: "repld")
        #expect(closure.isSuperset(of: ["Node", "CSodium", "CZstd", "CSQLite", "ControlAPI", "JSON"]))
    }
}
