// Answers in the exact form of API.md.

import Bytes
import Causality
import ControlAPI
import Documents
import Identity
import Node
import Testing
import Wire

private let dot = Dot(ReplicaID(raw: Bytes16(high: 0, low: 7)), SequenceNumber(9))
private let box = NamedDevice(DeviceID(publicKey: .zero), "shed")
private let dotText = "00000000000000000000000000000007:9"

@Suite struct AnswerTests {
    private func body(_ answer: NodeAnswer, to route: Route.Name = .status) throws -> (Int, String, String?) {
        let whole = try #require(WholeAnswer(answer, to: Route[route]))
        return (
            whole.status, String(decoding: whole.body, as: UTF8.self),
            whole.headers.first { $0.name == "Repl-Cursor" }?.value
        )
    }

    @Test("a transaction is answered with change, version and cursor")
    func transactions() throws {
        #expect(
            try body(.transaction(change: dot, version: "v", cursor: "c"))
                == (200, "{\"change\":\"\(dotText)\",\"version\":\"v\"}", "c"))
        #expect(
            try body(.transaction(change: nil, version: "v", cursor: "c")).1
                == #"{"change":null,"version":"v"}"#)
    }

    @Test("documents carry their cursor")
    func documents() throws {
        let value = PlainValue.object([.init("a", .scalar(.string("é\n\u{1}")))])
        #expect(
            try body(.document(key: "k\"", value: .plain(value), version: "v", cursor: "c"))
                == (200, #"{"key":"k\"","value":{"a":"é\n\u0001"},"version":"v"}"#, "c"))
    }

    @Test("an explanation has a code and a sentence for the place here, each change and each peer")
    func explained() throws {
        let device = DeviceID(publicKey: .zero)
        let change = ChangeWhereabouts(
            change: dot, author: nil, whereabouts: .init(.early, "it waits"), waitsFor: [dot],
            issuedAgainAs: nil)
        let peers = [true, nil].map { held in
            PeerWhereabouts(
                device: device, name: "b", isHeld: held, lacks: held == nil ? [dot] : [],
                whereabouts: .init(held == nil ? .notLinked : .held, "so"))
        }
        let report = ExplainReport(
            subject: .document("k\""), here: .init(.early, "wait"), changes: [change], omitted: 3,
            peers: peers)
        let changes =
            #"{"change":"\#(dotText)","author":null,"reason":"early","message":"it waits","#
            + #""waitsFor":["\#(dotText)"],"issuedAgainAs":null}"#
        let head = #"{"device":"\#(device.text)","name":"b","held":"#
        #expect(
            try body(.explained(report)).1
                == #"{"key":"k\"","here":{"reason":"early","message":"wait"},"changes":[\#(changes)],"#
                + #""omitted":3,"#
                + #""peers":[\#(head)true,"lacks":[],"reason":"held","message":"so"},"#
                + #"\#(head)null,"lacks":["\#(dotText)"],"reason":"not-linked","message":"so"}]}"#)
        let of = ExplainReport(
            subject: .change(dot), here: .init(.executed, "here"), changes: [], omitted: 0, peers: [])
        #expect(try body(.explained(of)).1.hasPrefix(#"{"change":"\#(dotText)","here":{"reason":"executed""#))
    }

    @Test("closed logs say what is held of them, skipped changes why")
    func forks() throws {
        let (log, again) = (
            ReplicaID(raw: Bytes16(high: 1, low: 2)), ReplicaID(raw: Bytes16(high: 3, low: 4))
        )
        let branch = ForkReport.Branch(
            first: SequenceNumber(7), last: SequenceNumber(9), reissuedIn: again, isReissued: true)
        let reports = [branch, nil].map { branch in
            ForkReport(
                replica: log, device: nil, deviceName: "", closedAt: SequenceNumber(7), since: 5,
                branch: branch)
        }
        let head = #"{"replica":"\#(log)","device":null,"name":"","closedAt":7,"since":5,"branch":"#
        let held = #"{"first":7,"last":9,"reissuedIn":"\#(again)","reissued":true}"#
        #expect(try body(.forks(reports)).1 == "{\"forks\":[\(head)\(held)},\(head)null}]}")
        let skipped = SkippedReport(
            change: Dot(log, SequenceNumber(3)), device: nil, deviceName: "", reason: "quarantined",
            since: 6,
            documents: ["a/b"])
        #expect(
            try body(.skipped([skipped])).1
                == #"{"changes":[{"change":"\#(log):3","device":null,"name":"","reason":"quarantined","#
                + #""since":6,"#
                + #""documents":["a/b"]}]}"#)
    }

    @Test("sync has its states and counts, alarms and holders have names")
    func names() throws {
        let sync = SyncReport(
            state: .catchingUp, percent: 63, behindChanges: 12, secondsLeft: 9,
            members: .init(active: 4, linked: 2, unseen: 1))
        let text =
            #"{"state":"catching-up","percent":63,"behindChanges":12,"secondsLeft":9,"#
            + #""members":{"active":4,"linked":2,"unseen":1}}"#
        var alarm = Alarm(code: "cloned", message: "m", hint: "h", since: 1, device: box.device)
        alarm.deviceName = "shed"
        let space = SpaceReport(
            id: SpaceID(raw: .zero), name: "n", role: .admin, members: 4, documents: 0, sync: sync)
        let status = StatusReport(
            device: box.device, name: "shed", version: "1", instance: "i", spaces: [space], links: 0,
            listening: [], clockOffsetMilliseconds: nil, wallMilliseconds: 1, alarms: [alarm], sync: sync)
        let json = try body(.status(status)).1
        #expect(
            json.contains(#""documents":0,"state":"active","sync":\#(text)}]"#)
                && json.contains(#"],"sync":\#(text),"#))
        #expect(json.contains(#""device":"\#(box.device.text)","name":"shed"}],"sync":"#))
        let waited = try body(
            .waited(change: dot, on: [HeldBy(device: box.device, name: "shed", held: true)], complete: true)
        ).1
        #expect(waited.contains(#""on":[{"device":"\#(box.device.text)","name":"shed","held":true}]"#))
        #expect(
            try body(.pinged(rttMilliseconds: 2, address: "a:1"), to: .ping).1
                == #"{"rttMs":2,"address":"a:1"}"#)
    }

    @Test("who is meant by nobody or by two is told with those who there are")
    func whoIsMeant() throws {
        let none = try body(.failed(.noSuchMember("m", known: [box], more: 3, former: []))).1
        #expect(none.contains("shed (\(box.device.short)) and 3 more"))
        #expect(none.contains(#""members":[{"device":"\#(box.device.text)","name":"shed"}]"#))
        let gone = try body(.failed(.noSuchMember("m", known: [], more: 0, former: [box]))).1
        #expect(gone.contains("\\\"m\\\" is out of the space") && gone.contains(box.device.text), "\(gone)")
        let two = try body(.failed(.ambiguousMember("m", candidates: [box, box]))).1
        let entry = #"{"device":"\#(box.device.text)","name":"shed"}"#
        #expect(two.contains(#""candidates":[\#(entry),\#(entry)]"#))
    }

    @Test("a new space is 201, a space 200")
    func spaces() throws {
        let space = SpaceReport(id: SpaceID(raw: .zero), name: "n", role: .admin, members: 1, documents: 0)
        let text =
            #"{"id":"\#(String(repeating: "0", count: 64))","name":"n","role":"admin","#
            + #""members":1,"documents":0,"state":"active"}"#
        #expect(try body(.space(space), to: .createSpace) == (201, text, nil))
        #expect(try body(.space(space), to: .getSpace) == (200, text, nil))
        #expect(try body(.spaces([space])).1 == "{\"spaces\":[\(text)]}")
        let line = try #require(AnswerLine.join(.joined(space)))
        #expect(String(decoding: line, as: UTF8.self) == "{\"space\":\(text)}\n")
    }

    @Test("a wait that ran out is a 408 that says who holds the change")
    func waits() throws {
        let answer = try body(.waited(change: dot, on: [], complete: false))
        #expect(answer.0 == 408)
        #expect(answer.1.hasPrefix(#"{"error":{"code":"timeout","#))
        #expect(answer.1.hasSuffix("\"change\":\"\(dotText)\",\"on\":[]}"))
        #expect(
            try body(.waited(change: dot, on: [], complete: true)) == (
                200, "{\"change\":\"\(dotText)\",\"on\":[]}", nil
            ))
    }

    @Test("a line of the change stream has every form of patch")
    func changeLines() throws {
        let patches: [Patch] = [
            Patch(path: [.key("a"), .index(0)], change: .set(.scalar(.integer(1)))),
            Patch(path: [], change: .delete),
            Patch(path: [.key("t")], change: .spliceText(index: 1, delete: 2, insert: "x")),
            Patch(
                path: [.key("l")],
                change: .spliceList(index: 0, delete: 0, insert: [.scalar(.null), .emptyObject])),
        ]
        let line = AnswerLine.watch(.state(cursor: "c", key: "k", patches: patches), asEvent: false)
        let expected =
            #"{"cursor":"c","documents":[{"key":"k","patches":["#
            + #"{"path":["a",0],"set":1},{"path":[],"delete":true},"#
            + #"{"path":["t"],"splice":{"index":1,"delete":2,"insert":"x"}},"#
            + #"{"path":["l"],"splice":{"index":0,"delete":0,"insert":[null,{}]}}]}]}"# + "\n"
        #expect(String(decoding: line, as: UTF8.self) == expected)
        let wide = Patch(
            path: [], change: .spliceText(index: 1, delete: 1, insert: "x"),
            utf16: UTF16Splice(index: 2, delete: 2))
        for (units, splice) in [
            (TextUnits.scalars, #""index":1,"delete":1"#), (.utf16, #""index":2,"delete":2"#),
        ] {
            let line = AnswerLine.watch(.state(cursor: "c", key: "k", patches: [wide]), asEvent: false, units)
            #expect(String(decoding: line, as: UTF8.self).contains("{\(splice),\"insert\":\"x\"}"))
        }
        let event = ChangeEvent(
            cursor: "c", change: dot, author: DeviceID(publicKey: .zero), authorName: "box",
            timestamp: Timestamp(milliseconds: 5), documents: [.init(key: "k", patches: [])], cause: nil)
        let text = String(decoding: AnswerLine.watch(.change(event), asEvent: true), as: UTF8.self)
        #expect(
            text.hasPrefix(
                "id: c\ndata: {\"cursor\":\"c\",\"change\":\"\(dotText)\",\"author\":{\"device\":\""))
        #expect(
            text.hasSuffix(
                "\"name\":\"box\"},\"timestamp\":5,\"documents\":[{\"key\":\"k\",\"patches\":[]}]}\n\n"))
        let state = WatchLine.state(cursor: "c", key: "k", patches: [])
        let filtered = AnswerLine.watch(state, asEvent: false, isFiltered: true)
        #expect(
            String(decoding: filtered, as: UTF8.self)
                == #"{"cursor":"c","documents":[{"key":"k","patches":[],"matches":{"before":false,"after":true}}]}"#
                + "\n")
        #expect(AnswerLine.watch(.idle, asEvent: false) == [0x0A])
        let resync = AnswerLine.watch(.resync(cursor: "c"), asEvent: false)
        #expect(String(decoding: resync, as: UTF8.self) == "{\"resync\":true,\"cursor\":\"c\"}\n")
    }

    @Test("a read of an absent document carries the cursor of the state in which it is absent")
    func absentDocument() throws {
        let answer = try #require(
            WholeAnswer(.failed(.noSuchDocument("d", cursor: "7.1")), to: Route[.readDocument]))
        #expect(answer.status == 404)
        #expect(answer.headers.map(\.name) == ["Repl-Cursor"])
        #expect(answer.headers.map(\.value) == ["7.1"])
    }

    @Test(
        "a refusal of the node has the status and code of API.md",
        arguments: [
            (.noSuchSpace("s"), 404, "no-such-space"),
            (.noSuchDocument("d", cursor: "c"), 404, "no-such-document"),
            (.noSuchInvite("i"), 404, "no-such-invite"), (.noSuchChange(dot), 404, "no-such-change"),
            (.noSuchMember("m", known: [], more: 0, former: []), 404, "no-such-member"),
            (.ambiguousMember("m", candidates: [box, box]), 409, "ambiguous-member"),
            (.ownDevice, 409, "own-device"), (.notLinked(box, whyNot: "never linked"), 409, "not-linked"),
            (.noAnswer(box, address: "a:1", milliseconds: 5_000), 504, "no-answer"),
            (.nameTaken("n"), 409, "name-taken"),
            (.invalidName("N"), 422, "invalid-name"),
            (.notMember("s"), 403, "not-member"),
            (.noRight(have: .reader, need: .writer), 403, "no-right"),
            (.author(.wrongKind(found: "text", wanted: "list"), operation: 3), 409, "wrong-kind"),
            (.author(.indexPastEnd(index: 4, count: 1), operation: 0), 422, "index-past-end"),
            (.author(.noSuchElement(dot), operation: 0), 422, "no-such-element"),
            (.author(.noSuchPlace("x"), operation: 0), 422, "no-such-place"),
            (.author(.notForDocument("x"), operation: 0), 422, "not-for-document"),
            (.author(.overLimit(what: "nesting", value: 33, limit: 32), operation: 0), 400, "too-deep"),
            (.author(.overLimit(what: "string", value: 9, limit: 8), operation: 0), 413, "over-limit"),
            (.author(.invalidValue("x"), operation: 0), 422, "invalid-value"),
            (.author(.incomplete, operation: 0), 409, "incomplete"),
            (.conditionFailed(index: 0), 412, "condition-failed"),
            (.idempotencyKeyReused, 422, "idempotency-key-reused"),
            (.invalidVersion("v"), 400, "invalid-version"), (.timedOut, 408, "timeout"),
            (.tooMany(what: "watchers", limit: 256), 429, "too-many"),
            (.tokenInvalid(.mistyped), 422, "invalid-token"),
            (.inviteExpired(at: 1, now: 2), 410, "invite-expired"), (.inviteSpent, 410, "invite-spent"),
            (.inviteBurned, 410, "invite-burned"), (.inviteProofWrong, 403, "invite-proof-wrong"),
            (.issuerWithoutRight, 403, "issuer-without-right"),
            (.inviteRevoked, 410, "invite-revoked"), (.inviteForeign, 422, "invite-foreign"),
            (.alreadyMember(SpaceID(raw: .zero)), 409, "already-member"),
            (.inviterUnreachable(tried: ["a: b"]), 503, "no-inviter-reached"),
            (.storeFull(.floor(freeBytes: 1, floorBytes: 2)), 507, "disk-full"),
            (.commitFailed(.readerExpired), 507, "commit-failed"),
            (
                .documentDamaged(
                    "d", of: SpaceID(raw: .zero),
                    reason: .notInLog(Dot(ReplicaID(raw: .zero), SequenceNumber(1)))), 500, "document-damaged"
            ),
            (.noThread(words: "x"), 503, "no-thread"),
            (.stopping, 503, "stopping"), (.storeFailed(StoreFailure.readerExpired), 500, "store-failed"),
        ] as [(NodeError, Int, String)])
    func refusals(error: NodeError, status: Int, code: String) throws {
        let answer = try body(.failed(error))
        #expect(answer.0 == status)
        #expect(answer.1.hasPrefix("{\"error\":{\"code\":\"\(code)\",\"message\":\""))
        if case .author(_, let operation) = error { #expect(answer.1.contains("operation \(operation): ")) }
    }
}
