// Names of things that the daemon knows, for completion: each question is short, and no answer is no name.

import Bytes
import JSON
import ReplClient

struct DaemonNames {
    /// How long who pressed Tab waits for a daemon that is busy. A test on a busy machine has time.
    @TaskLocal static var timeoutSeconds: Int64 = 2
    /// More keys than this are shown by what they begin with, up to the next slash.
    static let keysMax = 100

    private let client: ReplClient
    private let line: TypedLine

    init(_ line: TypedLine, _ console: Console) {
        self.line = line
        client = ReplClient(
            socket: line.values["--socket"] ?? ReplClient.standardSocket(console.environment))
    }

    private func ask(
        _ path: [String], _ query: [(name: String, value: String?)] = []
    ) async -> PlainValue? {
        let request = ClientRequest("GET", path, query: query, timeoutSeconds: Self.timeoutSeconds)
        do {
            return try await client.call(request).json()
        } catch {
            // Nobody there, no right, no such space: nothing to offer.
            return nil
        }
    }

    func spaces() async -> [Candidate] {
        await ask(["spaces"])?.list("spaces").map {
            Candidate(
                word: $0.string("name") ?? "",
                note: "\($0.cell("role")), \(Counted.text($0.integer("documents") ?? 0, "document"))")
        } ?? []
    }

    // MARK: Documents

    func keys() async -> [Candidate] {
        guard let space = line.values["space"] else { return [] }
        let page = await page(space, limit: Self.keysMax, after: nil)
        guard page.hasMore else { return page.keys.map { Candidate(word: $0) } }
        return await groups(space)
    }

    private func page(_ space: String, limit: Int, after: String?) async -> (keys: [String], hasMore: Bool) {
        let answer = await ask(
            ["spaces", space, "documents"],
            [("prefix", line.current), ("after", after), ("limit", "\(limit)")])
        guard let answer else { return ([], false) }
        return (
            answer.list("documents").compactMap { $0.string("key") },
            answer["next"].map { $0 != .scalar(.null) } ?? false
        )
    }

    /// What the keys begin with, up to the slash behind what was typed: a question for each.
    private func groups(_ space: String) async -> [Candidate] {
        var groups: [Candidate] = []
        var after: String?
        while groups.count < Self.keysMax {
            guard let key = await page(space, limit: 1, after: after).keys.first else { break }
            let rest = key.dropFirst(line.current.count)
            guard let slash = rest.firstIndex(of: "/") else {
                groups.append(Candidate(word: key))
                after = key
                continue
            }
            let group = String(key[...slash])
            groups.append(Candidate(word: group))
            // Behind all keys of the group: no key has a scalar above this one.
            after = group + "\u{10FFFF}"
        }
        return groups
    }

    /// Places in the document of the line, one step further than what was typed. Where the line is about
    /// many documents, the first of them stands for all.
    func paths(ending: String) async -> [Candidate] {
        guard let space = line.values["space"] else { return [] }
        var key = line.values["key"]
        if key == nil {
            let first = await ask(
                ["spaces", space, "documents"], [("prefix", line.values["--prefix"]), ("limit", "1")])
            key = first?.list("documents").first?.string("key")
        }
        guard let key, let document = await ask(["spaces", space, "documents", key])?["value"] else {
            return []
        }
        let typed = line.current
        // The last dot that is no part of a key.
        var cut = typed.startIndex
        var isEscaped = false
        for index in typed.indices {
            if !isEscaped, typed[index] == "." { cut = typed.index(after: index) }
            isEscaped = !isEscaped && typed[index] == "\\"
        }
        let above = typed[..<cut]
        let place: PlainValue
        do {
            let path = above.isEmpty ? DottedPath.root : try DottedPath(above.dropLast())
            place = try path.find(in: document, isTyped: false)
        } catch {
            return []
        }
        let (keys, kept) = (Self.steps(of: place), String(above))
        return keys.map { Candidate(word: kept + $0 + ending) }
    }

    private static func steps(of value: PlainValue) -> [String] {
        switch value {
        case .object(let members): members.map { DottedPath.escaped($0.key.string) }
        case .array(let elements): elements.indices.map { "\($0)" }
        default: []
        }
    }

    // MARK: Others

    /// By name, where one alone has it.
    func members() async -> [Candidate] {
        let answer =
            if let space = line.values["space"] {
                await ask(["spaces", space, "members"])?.list("members")
            } else {
                await ask(["peers"])?.list("peers")
            }
        let devices = answer ?? []
        return devices.compactMap { entry in
            guard let name = entry.string("name"), let device = entry.string("device") else { return nil }
            let isAlone = devices.count { $0.string("name") == name } == 1
            let short = String(device.prefix(7))
            return Candidate(word: isAlone ? name : short, note: isAlone ? short : name)
        }
    }

    func invites() async -> [Candidate] {
        guard let space = line.values["space"] else { return [] }
        return await ask(["spaces", space, "invites"])?.list("invites").map {
            Candidate(word: $0.cell("id"), note: "\($0.cell("role")), \($0.cell("state"))")
        } ?? []
    }

    func indexes() async -> [Candidate] {
        guard let space = line.values["space"] else { return [] }
        return await ask(["spaces", space, "indexes"])?.list("indexes").map {
            Candidate(word: $0.cell("name"))
        } ?? []
    }
}
