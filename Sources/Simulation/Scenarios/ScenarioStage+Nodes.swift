// What nodes do: requests of programs, and what befalls the box.

import Bytes
import ControlAPI
import Node
import Simulator
import Wire

extension ScenarioStage {
    static let nodeForm = """
        NODE create SPACE | invite TOKEN [as ROLE] | join NODE SPACE [as ROLE] | use TOKEN | revoke TOKEN | \
        leave SPACE [anyway] | watch STREAM [begin|after STREAM] | crash | start | save BACKUP | \
        restore BACKUP [noticed] | clone NODE [noticed] | disk full|dying|well | clock [+|-]TIME | \
        sleep TIME | \

        """

    /// A command to a node, which it does, or refuses as expected.
    mutating func playNode(_ node: Int, _ words: [String], refusal: String?) throws(ScenarioFault.Reason) {
        guard let verb = words.first else { throw .malformed(Self.nodeForm + ScenarioOperation.form) }
        let rest = Array(words.dropFirst())
        if try !playBox(node, verb, rest) {
            let found = try self.refusal(of: node, verb, words)
            guard found == refusal else { throw .outcome(expected: refusal, found: found) }
        } else if refusal != nil {
            throw .malformed("a box does not refuse to \(verb)")
        }
    }

    // MARK: Requests

    /// The code with which the node refuses it; nil: it was done.
    private mutating func refusal(of node: Int, _ verb: String, _ words: [String])
        throws(ScenarioFault.Reason) -> String?
    {
        let rest = Array(words.dropFirst())
        if ScenarioOperation.verbs.contains(verb) {
            guard let transaction = ScenarioOperation.transaction(words) else {
                throw .malformed(ScenarioOperation.form)
            }
            // Two boxes that write the same in one millisecond would make the same change.
            world.run(milliseconds: 1)
            return try code(world.ask(node, .transact(SpaceReference(space), transaction)))
        }
        switch (verb, rest.count) {
        case ("create", 1):
            if space.isEmpty { space = rest[0] }
            return try code(world.ask(node, .createSpace(name: rest[0])))
        case ("invite", 1), ("invite", 3):
            return try invite(node, to: space, as: try role(rest.dropFirst()), called: rest[0])
        case ("join", 2), ("join", 4):
            let (host, role) = (try index(rest[0]), try role(rest.dropFirst(2)))
            if let refused = try invite(host, to: rest[1], as: role, called: Self.joinToken) {
                return refused
            }
            return try join(node, Self.joinToken)
        case ("use", 1): return try join(node, rest[0])
        case ("revoke", 1):
            guard let id = tokens[rest[0]]?.id else { throw .malformed("no token is called \(rest[0])") }
            return try code(world.ask(node, .revokeInvite(SpaceReference(space), id: id)))
        case ("leave", 1),
            ("leave", 2) where rest.last == "anyway" || rest.count == 1:
            let isForced = rest.count == 2
            return try code(world.ask(node, .leaveSpace(SpaceReference(rest[0]), isForced: isForced)))
        case ("watch", 1...): return try watch(node, rest)
        default: throw .malformed(Self.nodeForm + ScenarioOperation.form)
        }
    }

    private static let joinToken = "of the last join"

    private func role(_ words: some BidirectionalCollection<String>) throws(ScenarioFault.Reason) -> Role {
        guard let last = words.last else { return .writer }
        guard words.count == 2, words.first == "as", let role = Role(name: last) else {
            throw .malformed("as relay, as reader, as writer or as admin")
        }
        return role
    }

    private mutating func invite(_ node: Int, to space: String, as role: Role, called name: String)
        throws(ScenarioFault.Reason) -> String?
    {
        let request = NodeRequest.invite(SpaceReference(space), role: role, expiresSeconds: 3_600)
        let answer = world.ask(node, request)
        if case .invite(let id, let token) = answer { tokens[name] = (id, token) }
        return try code(answer)
    }

    private mutating func join(_ node: Int, _ name: String) throws(ScenarioFault.Reason) -> String? {
        guard let token = tokens[name]?.token else { throw .malformed("no token is called \(name)") }
        return try code(world.ask(node, .join(token: token, name: nil), within: Self.patience))
    }

    private mutating func watch(_ node: Int, _ words: [String]) throws(ScenarioFault.Reason) -> String? {
        let start: WatchStart
        switch (words.count, words.dropFirst().first) {
        case (1, _): start = .now
        case (2, "begin"): start = .begin
        case (3, "after"):
            guard let cursor = streams[words[2]]?.cursor else {
                throw .malformed("no stream \(words[2]) has told anything")
            }
            start = .cursor(cursor)
        default: throw .malformed("watch STREAM [begin|after STREAM]")
        }
        let request = world.request(
            node, .watch(SpaceReference(space), start: start, prefix: "", follow: true))
        streams[words[0]] = Stream(node: node, request: request)
        return nil
    }

    /// Nil for an answer that grants what was asked.
    private func code(_ answer: NodeAnswer?) throws(ScenarioFault.Reason) -> String? {
        guard let answer, answer.isFinal else { throw .outcome(expected: nil, found: "no answer came") }
        guard case .failed(let error) = answer else { return nil }
        return APIError(error).code
    }

    // MARK: Boxes

    /// What befalls a box; false when the verb is none of these.
    private mutating func playBox(_ node: Int, _ verb: String, _ words: [String])
        throws(ScenarioFault.Reason) -> Bool
    {
        switch (verb, words.count) {
        case ("crash", 0): if isRunning(node) { world.crash(node) }
        case ("start", 0): if !isRunning(node) { world.start(node) }
        case ("save", 1): backups[words[0]] = world.diskCopy(node)
        case ("restore", 1...2):
            guard let disk = backups[words[0]] else { throw .malformed("no backup is called \(words[0])") }
            if isRunning(node) { world.crash(node) }
            world.replaceDisk(node, with: disk, seen: try noticed(words.dropFirst(), "a backup was put back"))
            world.start(node)
        case ("clone", 1...2):
            guard nodes[words[0]] == nil else { throw .malformed("a node is called \(words[0])") }
            let seen = try noticed(words.dropFirst(), "the disk was copied")
            nodes[words[0]] = world.addClone(of: node, seen: seen)
        case ("disk", 1): try spoilDisk(of: node, words[0])
        case ("clock", 1): try setClock(of: node, words[0])
        case ("sleep", 1):
            guard let time = ScenarioWord.milliseconds(words[0]) else { throw .malformed("sleep TIME") }
            world.freeze(node, milliseconds: time)
        default: return false
        }
        return true
    }

    private func isRunning(_ node: Int) -> Bool { world.nodes[node].node != nil }

    /// What the state directory knows at the next start.
    private func noticed(_ words: ArraySlice<String>, _ what: String) throws(ScenarioFault.Reason) -> String?
    {
        guard let word = words.first else { return nil }
        guard word == "noticed" else { throw .malformed("noticed, or nothing") }
        return what
    }

    private mutating func spoilDisk(of node: Int, _ word: String) throws(ScenarioFault.Reason) {
        switch word {
        case "full":
            world.setDiskFault(node, .init(failure: .noSpace, isLasting: true))
        case "dying": world.setDiskFault(node, .init(failure: .failingSync))
        case "well": world.setDiskFault(node, nil)
        default: throw .malformed("disk full, disk dying or disk well")
        }
    }

    private mutating func setClock(of node: Int, _ word: String) throws(ScenarioFault.Reason) {
        guard let time = ScenarioWord.milliseconds(String(word.drop { "+-".contains($0) })) else {
            throw .malformed("clock +1h, clock -30s or clock 0s")
        }
        var clock = WorldClock()
        clock.offset = word.hasPrefix("-") ? -Int64(time) : Int64(time)
        world.setClock(node, to: clock)
    }
}
