// What callers whom `[access]` names may ask: each request is judged before anything is done, and shows and
// changes nothing beside what was granted.

import Bytes
import Causality
import Documents
import Node
import Simulator
import Testing
import Wire

private let home = SpaceReference("home")

extension TestNode {
    /// Two spaces with documents.
    fileprivate static func furnished() throws -> TestNode {
        var box = try TestNode()
        for space in ["home", "work"] {
            _ = try box.ask(.createSpace(name: space))
            for key in ["note/1", "note/2", "task/1"] as [Key] {
                _ = try box.transact(space, [set(key, [.key("t")], text(space))])
            }
        }
        return box
    }

    fileprivate mutating func ask(_ rules: String..., request: NodeRequest) throws -> NodeAnswer {
        let grants = AccessGrants(try rules.map { try #require(AccessRule($0)) })
        return try ask(.restricted(to: grants, request))
    }

    /// Nil when it was not refused for want of a grant.
    fileprivate mutating func subject(_ rules: String..., request: NodeRequest) throws
        -> AccessRefusal.Subject?
    {
        let grants = AccessGrants(try rules.map { try #require(AccessRule($0)) })
        let id = submit(.restricted(to: grants, request))
        commit()
        guard case .failed(.notGranted(let refusal))? = answers[id]?.last else { return nil }
        #expect(refusal.grants == grants)
        return refusal.subject
    }
}

private func read(_ key: Key, in space: SpaceReference = home) -> NodeRequest {
    .readDocument(space, key: key, view: .plain, atLeast: nil)
}

private func transaction(_ operations: [OperationRequest], if conditions: [Condition] = []) -> NodeRequest {
    .transact(home, Transaction(operations: operations, conditions: conditions, idempotency: nil))
}

@Suite struct AccessTests {
    @Test("a rule is read or write, a space, and a prefix if it has one")
    func rules() {
        #expect(AccessRule("read:home") == AccessRule(space: "home", mayWrite: false))
        #expect(AccessRule("write:home/note/") == AccessRule(space: "home", prefix: "note/", mayWrite: true))
        #expect(AccessRule("read:home/")?.prefix == "")
        #expect(AccessRule("write:home/a:b/c")?.prefix == "a:b/c")
        for text in ["", "read", "read:", "read:/x", "Read:home", "read:ho me", "all:home", "read:Home"] {
            #expect(AccessRule(text) == nil, "\(text)")
        }
        for text in ["read:home", "write:home/note/", "read:a-b_c.d/é"] {
            #expect(AccessRule(text)?.description == text)
        }
    }

    @Test("documents are read where a rule gives them, by the space's name or its id")
    func reading() throws {
        var box = try TestNode.furnished()
        #expect(try box.subject("read:home", request: read("task/1")) == nil)
        #expect(try box.subject("write:home", request: read("task/1")) == nil)
        #expect(try box.subject("read:home/note/", request: read("note/1")) == nil)
        #expect(
            try box.subject("read:home/note/", request: read("task/1"))
                == .document(space: "home", "task/1", isWrite: false))
        // What is absent is refused before it is said to be absent.
        #expect(try box.subject("read:home/note/", request: read("none")) != nil)
        guard case .space(let report) = try box.ask(.space(home)) else { throw Unexpected() }
        let byID = SpaceReference(report.id.description)
        #expect(try box.subject("read:home", request: read("note/1", in: byID)) == nil)
        #expect(try box.subject("read:\(report.id)", request: read("note/1")) == nil)
        #expect(try box.subject("read:work", request: read("note/1")) == .space("home"))
        #expect(try box.subject(request: read("note/1")) == .space("home"))
    }

    @Test("whether a space is here that no rule names is not told; one that a rule names may be absent")
    func absentSpaces() throws {
        var box = try TestNode.furnished()
        let none = SpaceReference("none")
        #expect(try box.subject("read:home", request: .members(SpaceReference("work"))) == .space("work"))
        #expect(try box.subject("read:home", request: .members(none)) == .space("none"))
        guard case .failed(.noSuchSpace) = try box.ask("read:none", request: .members(none)) else {
            throw Unexpected()
        }
    }

    @Test("an export, a listing, a stream and conflicts are narrowed to the one part that may be read")
    func narrowing() throws {
        var box = try TestNode.furnished()
        func export(_ prefix: Key, _ rules: String...) throws -> String {
            let grants = AccessGrants(rules.compactMap { AccessRule($0) })
            let request = NodeRequest.export(home, view: .plain, prefix: prefix)
            guard case .reading(let job, _) = try box.ask(.restricted(to: grants, request)) else {
                return "refused"
            }
            return try TestNode.drain(job)
        }
        let all = try export("", "read:home")
        #expect(all.contains("note/1") && all.contains("task/1"))
        let notes = try export("", "read:home/note/")
        #expect(notes.contains("note/2") && !notes.contains("task/1"))
        #expect(try export("n", "read:home/note/", "read:home/note/1") == notes)
        #expect(try export("note/2", "read:home/note/").contains("note/1") == false)
        #expect(try export("task", "read:home/note/") == "refused")
        // Two parts are two answers.
        #expect(try export("", "read:home/note/", "read:home/task/") == "refused")
        #expect(try export("task/", "read:home/note/", "read:home/task/").contains("task/1"))

        guard
            case .documents(let page, _, _) = try box.ask(
                "read:home/note/",
                request: .listDocuments(home, prefix: "", after: nil, limit: 10, atLeast: nil))
        else { throw Unexpected() }
        #expect(page.map(\.key) == ["note/1", "note/2"])
        guard
            case .listing(let listing) = try box.ask("read:home/task/", request: .list(home, ListingQuery()))
        else { throw Unexpected() }
        #expect(listing.query.prefix == "task/")
        #expect(
            try box.subject(
                "read:home/note/",
                request: .conflicts(home, ConflictQuery(document: "task/1", prefix: "", after: nil, limit: 1))
            )
                == .document(space: "home", "task/1", isWrite: false))
    }

    @Test("a stream tells of no document that may not be read")
    func streams() throws {
        var box = try TestNode.furnished()
        let grants = AccessGrants([AccessRule(space: "home", prefix: "note/", mayWrite: false)])
        let id = box.submit(
            .restricted(to: grants, .watch(home, start: .begin, prefix: "", follow: true)))
        box.commit()
        _ = try box.transact("home", [set("task/2", [.key("t")], text("secret"))])
        _ = try box.transact(
            "home", [set("task/3", [.key("t")], text("secret")), set("note/3", [.key("t")], text("told"))])
        var keys: [Key] = []
        for answer in box.answers[id] ?? [] {
            switch answer {
            case .watchLine(.state(_, let key, _)): keys.append(key)
            case .watchLine(.change(let event)): keys += event.documents.map(\.key)
            default: break
            }
        }
        #expect(keys == ["note/1", "note/2", "note/3"])
    }

    @Test("a transaction is written whole or refused: each document, what it copies, and what it tests")
    func writing() throws {
        var box = try TestNode.furnished()
        let note = set("note/1", [.key("t")], text("new"))
        let task = set("task/1", [.key("t")], text("new"))
        let copy = OperationRequest(document: "note/9", path: [], verb: .copy(from: "task/1"))
        let test = Condition(document: "task/1", test: .exists(path: [], true))
        #expect(try box.subject("write:home/note/", request: transaction([note])) == nil)
        #expect(
            try box.subject("read:home", request: transaction([note]))
                == .document(space: "home", "note/1", isWrite: true))
        #expect(
            try box.subject("write:home/note/", "read:home", request: transaction([note, task]))
                == .document(space: "home", "task/1", isWrite: true))
        #expect(
            try box.subject("write:home/note/", request: transaction([copy]))
                == .document(space: "home", "task/1", isWrite: false))
        #expect(
            try box.subject("write:home/note/", request: transaction([note], if: [test]))
                == .document(space: "home", "task/1", isWrite: false))
        #expect(try box.subject("write:home/note/", "read:home/task/", request: transaction([copy])) == nil)
        #expect(try box.plain("home", "task/1") == .object([.init("t", text("home"))]), "nothing was written")
    }

    @Test("status and the list of spaces show a caller's own spaces, their alarms, and how these are in sync")
    func shown() throws {
        var box = try TestNode.furnished()
        guard case .status(let status) = try box.ask("read:home/x", request: .status),
            case .status(let whole) = try box.ask(.status),
            case .spaces(let spaces) = try box.ask("read:work", request: .spaces),
            case .spaces(let none) = try box.ask(request: .spaces)
        else { throw Unexpected() }
        #expect(status.spaces.map(\.name) == ["home"] && whole.spaces.count == 2)
        #expect(status.sync.state == .upToDate && status.version == whole.version)
        #expect(spaces.map(\.name) == ["work"] && none.isEmpty)
    }

    @Test("what is about the whole space takes the whole space, what is about the box no rule gives")
    func whole() throws {
        var box = try TestNode.furnished()
        for request in [
            NodeRequest.void(home, VoidQuery()), .keyEpochs(home), .checkpoints(home), .forks(home),
            .skipped(home), .indexes(home), .index(home, name: "x"), .log(home, after: nil, document: nil),
        ] {
            #expect(
                try box.subject("write:home/note/", request: request)
                    == .wholeSpace("home", isWrite: false), "\(request)")
            #expect(try box.subject("read:home", request: request) == nil, "\(request)")
        }
        let adoption = NodeRequest.adopt(home, .changes([]))
        #expect(try box.subject("read:home", request: adoption) == .wholeSpace("home", isWrite: true))
        #expect(try box.subject("write:home", request: adoption) == nil)
        #expect(try box.subject("read:home/x", request: .members(home)) == nil)
        #expect(try box.subject("write:home", request: .log(home, after: nil, document: "note/1")) == nil)
        for request in [
            NodeRequest.peers, .metrics, .backup, .reload(isCheck: false), .createSpace(name: "other"),
            .join(token: "x", name: nil), .leaveSpace(home, isForced: true), .invites(home), .collect(home),
            .invite(home, role: .reader, expiresSeconds: 60), .rotateKeys(home),
            .dropIndex(home, name: "x"), .proposeCheckpoint(home, absent: nil),
        ] {
            #expect(try box.subject("write:home", request: request) == .unrestrictedOnly, "\(request)")
        }
        guard case .spaces(let spaces) = try box.ask(.spaces) else { throw Unexpected() }
        #expect(spaces.count == 2)
    }

    @Test("a batch that is lost is judged again when it is made again")
    func lostBatch() throws {
        var box = try TestNode.furnished()
        box.node.store.fault = MemoryStore.Fault(failure: .noSpace, writesBefore: 0)
        let grants = AccessGrants([AccessRule(space: "home", prefix: "note/", mayWrite: false)])
        let seen = box.submit(.restricted(to: grants, read("note/1")))
        let refused = box.submit(.restricted(to: grants, read("task/1")))
        _ = box.submit(transaction([set("task/1", [.key("t")], text("lost"))]))
        box.commit()
        guard case .document? = box.answers[seen]?.last,
            case .failed(.notGranted)? = box.answers[refused]?.last
        else { throw Unexpected() }
    }
}
