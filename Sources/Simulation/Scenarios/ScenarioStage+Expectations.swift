// What a scenario expects of a node: documents first, then what else the control API tells.

import Bytes
import Causality
import ControlAPI
import Documents
import JSON
import Node
import Simulator
import Wire

extension ScenarioStage {
    static let expectForm = """
        expect NODE DOC JSON|absent | NODE DOC PATH JSON|absent | NODE conflicts DOC PATH JSON… | \
        NODE documents DOC… | NODE spaces SPACE… | NODE members NODE=ROLE|left… | NODE peers NODE… | \
        NODE peer NODE STATE | NODE alarms CODE… | NODE logged|not-logged CODE | \
        NODE explains DOC REASON | NODE explains DOC to NODE REASON | NODE same|differs NODE | \
        NODE up|down | STREAM lines DOC+DOC…
        """

    mutating func expect(_ words: [String]) throws(ScenarioFault.Reason) {
        guard words.count >= 2 else { throw .malformed(Self.expectForm) }
        let (subject, rest) = (words[0], Array(words[2...]))
        if streams[subject] != nil {
            guard words[1] == "lines" else { throw .malformed(Self.expectForm) }
            return try check(rest.joined(separator: " "), takeLines(of: subject))
        }
        let node = try index(subject)
        if words.count == 2, ["up", "down"].contains(words[1]) {
            return try check(words[1], world.nodes[node].node == nil ? "down" : "up")
        }
        switch (words[1], rest.count) {
        case ("documents", _): try check(rest.joined(separator: " "), documents(of: node))
        case ("spaces", _): try check(rest.sorted().joined(separator: " "), spaces(of: node))
        case ("members", 1...): try check(rest.sorted().joined(separator: " "), members(of: node))
        case ("peers", _): try check(rest.sorted().joined(separator: " "), linked(to: node))
        case ("peer", 2): try check(rest[1], peerState(try index(rest[0]), at: node))
        case ("alarms", _): try check(rest.sorted().joined(separator: " "), alarms(of: node))
        case ("logged", 1): try checkLogged(rest[0], by: node, true)
        case ("not-logged", 1): try checkLogged(rest[0], by: node, false)
        case ("explains", 2): try check(rest[1], reason(rest[0], to: nil, at: node))
        case ("explains", 4) where rest[1] == "to":
            try check(rest[3], reason(rest[0], to: try index(rest[2]), at: node))
        case ("same", 1): try checkSame(node, try index(rest[0]), true)
        case ("differs", 1): try checkSame(node, try index(rest[0]), false)
        case ("conflicts", 2...):
            let expected = PlainValue.array(rest[2...].map(ScenarioWord.value))
            try check(ScenarioWord.text(expected), conflicts(at: rest[1], of: rest[0], node))
        case (let document, 1): try checkDocument(document, "", rest[0], at: node)
        case (let document, 2): try checkDocument(document, rest[0], rest[1], at: node)
        default: throw .malformed(Self.expectForm)
        }
    }

    private func check(_ expected: String, _ found: String) throws(ScenarioFault.Reason) {
        guard expected == found else {
            throw .differs(
                expected: expected.isEmpty ? "nothing" : expected, found: found.isEmpty ? "nothing" : found)
        }
    }

    // MARK: Documents

    /// Reading a document is refused with this code.
    mutating func expectRefusal(_ words: [String], _ code: String) throws(ScenarioFault.Reason) {
        guard words.count == 2 else { throw .malformed("expect NODE DOC -> CODE") }
        try check("refused: \(code)", document(words[1], "", at: try index(words[0])))
    }

    private mutating func checkDocument(_ key: String, _ path: String, _ word: String, at node: Int)
        throws(ScenarioFault.Reason)
    {
        let expected = word == "absent" ? word : ScenarioWord.text(ScenarioWord.value(word))
        try check(expected, document(key, path, at: node))
    }

    /// What a program reads there.
    private mutating func document(_ key: String, _ path: String, at node: Int) -> String {
        let request = NodeRequest.readDocument(
            SpaceReference(space), key: Key(key), view: .plain, atLeast: nil)
        switch world.ask(node, request) {
        case .document(_, .plain(let value), _, _):
            return Self.value(at: path, in: value).map(ScenarioWord.text) ?? "absent"
        case .failed(.noSuchDocument): return "absent"
        case .failed(let error): return "refused: \(APIError(error).code)"
        default: return "no answer"
        }
    }

    private static func value(at path: String, in value: PlainValue) -> PlainValue? {
        if path.isEmpty { return value }
        var value = value
        for step in ScenarioOperation.path(path) {
            switch (step, value) {
            case (.key(let key), .object):
                guard let next = value[key] else { return nil }
                value = next
            case (.index(let index), .array(let items)) where items.indices.contains(index):
                value = items[index]
            default: return nil
            }
        }
        return value
    }

    /// Plain forms of what lost to concurrent edits in a slot, the first to lose last.
    private mutating func conflicts(at path: String, of document: String, _ node: Int) -> String {
        let request = NodeRequest.readDocument(
            SpaceReference(space), key: Key(document), view: .typed, atLeast: nil)
        guard case .document(_, .typed(var value), _, _) = world.ask(node, request) else {
            return "no document"
        }
        for step in ScenarioOperation.path(path) {
            switch (step, value) {
            case (.key(let key), .map(let members, _)):
                guard let member = members.first(where: { $0.key == key }) else { return "no \(path)" }
                value = member.value
            case (.index(let index), .list(let elements, _)) where elements.indices.contains(index):
                value = elements[index].value
            default: return "no \(path)"
            }
        }
        return ScenarioWord.text(.array(value.conflicts.map(\.value.plain)))
    }

    private mutating func documents(of node: Int) -> String {
        let request = NodeRequest.listDocuments(
            SpaceReference(space), prefix: "", after: nil, limit: 1_000, atLeast: nil)
        guard case .documents(let listed, _, _) = world.ask(node, request) else { return "no listing" }
        return listed.map(\.key.string).joined(separator: " ")
    }

    private mutating func checkSame(_ node: Int, _ other: Int, _ isSame: Bool) throws(ScenarioFault.Reason) {
        let (state, otherState) = (self.state(of: node), self.state(of: other))
        guard (state == otherState) == isSame else {
            throw .differs(expected: isSame ? state : "other documents", found: otherState)
        }
    }

    /// What a stream told since it was looked at last: the documents of each change, "=" before one of the
    /// state that it began with, "resync".
    private mutating func takeLines(of name: String) -> String {
        guard var stream = streams[name] else { return "no stream" }
        // What is committed is told; give it time to arrive at the reader.
        let answers = world.nodes[stream.node].answers[stream.request] ?? []
        var lines: [String] = []
        for answer in answers.dropFirst(stream.seen) {
            switch answer {
            case .watching(let cursor): stream.cursor = cursor
            case .watchLine(.change(let event)):
                stream.cursor = event.cursor
                lines.append(event.documents.map(\.key.string).joined(separator: "+"))
            case .watchLine(.state(let cursor, let key, _)):
                stream.cursor = cursor
                lines.append("=\(key.string)")
            case .watchLine(.resync(let cursor)):
                stream.cursor = cursor
                lines.append("resync")
            default: lines.append("end")
            }
        }
        stream.seen = answers.count
        streams[name] = stream
        return lines.joined(separator: " ")
    }

    // MARK: Members and links

    private mutating func spaces(of node: Int) -> String {
        guard case .spaces(let reports) = world.ask(node, .spaces) else { return "no answer" }
        return reports.map(\.name).sorted().joined(separator: " ")
    }

    private mutating func members(of node: Int) -> String {
        guard case .members(let reports) = world.ask(node, .members(SpaceReference(space))) else {
            return "no answer"
        }
        return reports.map { "\(name(of: $0.device))=\($0.state == "active" ? $0.role.name : $0.state)" }
            .sorted().joined(separator: " ")
    }

    private mutating func linked(to node: Int) -> String {
        guard case .peers(let reports, _) = world.ask(node, .peers) else { return "no answer" }
        return reports.filter { $0.state == "connected" }.map { name(of: $0.device) }.sorted()
            .joined(separator: " ")
    }

    private mutating func peerState(_ peer: Int, at node: Int) -> String {
        guard case .peers(let reports, _) = world.ask(node, .peers) else { return "no answer" }
        return reports.first { $0.device == world.nodes[peer].device }?.state ?? "unknown"
    }

    private mutating func alarms(of node: Int) -> String {
        guard case .status(let report) = world.ask(node, .status) else { return "no answer" }
        return Set(report.alarms.map(\.code)).sorted().joined(separator: " ")
    }

    private func checkLogged(_ code: String, by node: Int, _ isExpected: Bool) throws(ScenarioFault.Reason) {
        let line = world.nodes[node].log.first { $0.contains(" \(code): ") }
        if isExpected != (line != nil) {
            throw .differs(
                expected: isExpected ? "a line of code \(code)" : "no line of code \(code)",
                found: line ?? world.nodes[node].log.suffix(5).joined(separator: " | "))
        }
    }

    /// Why a document is where it is, here or at a peer.
    private mutating func reason(_ document: String, to peer: Int?, at node: Int) -> String {
        let device = peer.map { world.nodes[$0].device }
        let request = NodeRequest.explain(
            SpaceReference(space), .document(Key(document)), peer: device.map { MemberReference($0) })
        switch world.ask(node, request) {
        case .explained(let report):
            guard let device else { return report.here.reason.rawValue }
            return report.peers.first { $0.device == device }?.whereabouts.reason.rawValue ?? "no such peer"
        case .failed(let error): return "refused: \(APIError(error).code)"
        default: return "no answer"
        }
    }
}
