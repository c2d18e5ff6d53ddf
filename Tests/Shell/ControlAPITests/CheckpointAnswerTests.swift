// Checkpoints in the exact form of API.md: answers, refusals with their details, and the body that proposes
// one.

import Bytes
import Causality
import ControlAPI
import Identity
import Node
import Testing
import Wire

private let shed = NamedDevice(DeviceID(publicKey: .zero), "shed")
private let shedText = #"{"device":"\#(shed.device.text)","name":"shed"}"#
private let id = Bytes32([UInt8](repeating: 0x2A, count: 32))
private let idText = String(repeating: "2a", count: 32)

private func body(_ answer: NodeAnswer, to route: Route.Name = .listCheckpoints) throws -> (Int, String) {
    let whole = try #require(WholeAnswer(answer, to: Route[route]))
    return (whole.status, String(decoding: whole.body, as: UTF8.self))
}

private func route(_ body: Bool, _ target: String = "/v1/spaces/home/checkpoints") throws -> Endpoint {
    let head = RequestHead(method: "POST", target: target, headers: [], hasBody: body)
    return try Router.route(head, caller: .owner).endpoint
}

@Suite struct CheckpointAnswerTests {
    @Test("nothing stands and nothing is open: the log is there all the same")
    func none() throws {
        let report = CheckpointsReport(log: .init(bytes: 12, collectable: 0, since: "0"))
        #expect(
            try body(.checkpoints(report))
                == (
                    200,
                    #"{"standing":null,"open":null,"log":{"bytes":12,"collectable":0,"since":"0"},"#
                        + #""waitingFor":[]}"#
                ))
    }

    @Test("what stands, what is open and who is waited for are told with their devices")
    func all() throws {
        let report = CheckpointsReport(
            standing: .init(id: id, atMs: 1, author: shed, changes: 2, documents: 3, bytes: 4),
            open: .init(
                id: id, author: shed, sinceMs: 5, acknowledged: [shed],
                waitingFor: [.init(shed, .cannotCompute)]),
            log: .init(bytes: 6, collectable: 7, since: "v"), waitingFor: [.init(shed, unseenMs: 8)])
        let entry = shedText.dropLast()
        #expect(
            try body(.checkpoints(report)).1
                == #"{"standing":{"id":"\#(idText)","atMs":1,"author":\#(shedText),"changes":2,"documents":3,"#
                + #""bytes":4},"open":{"id":"\#(idText)","author":\#(shedText),"sinceMs":5,"#
                + #""acknowledged":[\#(shedText)],"waitingFor":[\#(entry),"why":"cannot-compute"}]},"#
                + #""log":{"bytes":6,"collectable":7,"since":"v"},"waitingFor":[\#(entry),"unseenMs":8}]}"#)
    }

    @Test("the document describes the reasons that there are, and no other")
    func reasons() throws {
        let document = String(decoding: OpenAPIDocument.json, as: UTF8.self).filter { !$0.isWhitespace }
        let names = CheckpointsReport.WaitingWhy.allCases.map { "\"\($0.rawValue)\"" }
        #expect(document.contains(#""why":{"enum":[\#(names.joined(separator: ","))]"#))
    }

    @Test("a checkpoint that was proposed is 202, what was collected 200")
    func done() throws {
        #expect(try body(.checkpointProposed(id), to: .proposeCheckpoint) == (202, #"{"id":"\#(idText)"}"#))
        let report = CollectReport(bytes: 65_536, changes: 312)
        #expect(try body(.collected(report), to: .collect) == (200, #"{"bytes":65536,"changes":312}"#))
    }

    @Test("a base that is being taken stands in its space's part of status")
    func bootstrap() throws {
        let base = BootstrapReport(documents: 1, ofDocuments: 4, bytes: 299, ofBytes: 300, from: [shed])
        #expect(base.percent == 99)
        let space = SpaceReport(
            id: SpaceID(raw: .zero), name: "n", role: .admin, members: 4, documents: 0, bootstrap: base)
        #expect(
            try body(.space(space), to: .getSpace).1.hasSuffix(
                #""state":"active","bootstrap":{"documents":1,"ofDocuments":4,"bytes":299,"ofBytes":300,"#
                    + #""from":[\#(shedText)]}}"#))
    }

    @Test(
        "refusals about checkpoints have their status, code and details",
        arguments: [
            (.nothingNew("home"), 409, "nothing-new", nil), (.noMajority("home"), 409, "no-majority", nil),
            (.checkpointOpen(by: shed), 409, "checkpoint-open", #","by":\#(shedText)}}"#),
            (.cannotCompute("home", .unreadable("d")), 409, "cannot-compute", nil),
            (.restored("home"), 409, "restored", nil),
            (.seeding(percent: nil), 409, "seeding", nil),
            (.seeding(percent: 63), 503, "seeding", #","percent":63}}"#),
            (.collected(since: "v"), 410, "collected", #","since":"v"}}"#),
            (
                .olderVersion("home", [shed], more: 2, lacking: .checkpoints), 409, "older-version",
                #","members":[\#(shedText)]}}"#
            ),
        ] as [(NodeError, Int, String, String?)])
    func refusals(error: NodeError, status: Int, code: String, details: String?) throws {
        let answer = try body(.failed(error))
        #expect(answer.0 == status && answer.1.hasPrefix(#"{"error":{"code":"\#(code)","message":""#))
        if let details { #expect(answer.1.hasSuffix(details), "\(answer.1)") }
    }

    @Test("who lacks checkpoints is told so, and that no force helps")
    func older() throws {
        let checkpoints = try body(.failed(.olderVersion("home", [shed], more: 2, lacking: .checkpoints))).1
        #expect(checkpoints.contains("that knows of checkpoints: shed ("))
        #expect(checkpoints.contains(" and 2 more") && !checkpoints.contains("force"))
        let removals = try body(.failed(.olderVersion("home", [shed], more: 0))).1
        #expect(removals.contains("removals and new keys") && removals.contains("force=true"))
    }

    @Test("a proposal needs no body; with one it names who is absent")
    func proposal() throws {
        guard case .ask(.proposeCheckpoint(let space, absent: nil)) = try route(false) else {
            throw Unexpected()
        }
        #expect(space == SpaceReference("home"))
        guard case .take(let taken) = try route(true) else { throw Unexpected() }
        for (body, absent) in [
            ("{}", nil), (#"{"absent":[]}"#, []), (#"{"absent":["phone","ABCDEFG"]}"#, ["phone", "ABCDEFG"]),
        ] as [(String, [String]?)] {
            guard case .proposeCheckpoint(_, let found) = try taken.request(body: Array(body.utf8)) else {
                throw Unexpected()
            }
            #expect(found?.map(\.text) == absent, "\(body)")
        }
        let many = "[" + [String](repeating: #""a""#, count: 4_097).joined(separator: ",") + "]"
        for (body, status, code) in [
            (#"{"absent":"phone"}"#, 422, "wrong-type"), (#"{"absent":[1]}"#, 422, "wrong-type"),
            (#"{"absent":[],"x":1}"#, 422, "unknown-member"), ("[]", 400, "malformed-body"),
            (#"{"absent":\#(many)}"#, 413, "too-many-members"),
        ] {
            let error = try #require(throws: APIError.self) {
                _ = try taken.request(body: Array(body.utf8))
            }
            #expect(error.status == status && error.code == code, "\(error)")
        }
    }

    @Test("the others are asked for without a body, and take no other method")
    func routes() throws {
        guard case .ask(.collect) = try route(false, "/v1/spaces/home/collect") else { throw Unexpected() }
        let head = RequestHead(
            method: "GET", target: "/v1/spaces/home/collect", headers: [], hasBody: false)
        let error = try #require(throws: APIError.self) { _ = try Router.route(head, caller: .owner) }
        #expect(error.status == 405 && error.allow == ["POST"])
    }
}

private struct Unexpected: Error {}
