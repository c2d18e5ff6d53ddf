// What `doctor` finds in the members and keys of a space.

import JSON
import Testing

@testable import replctl

private let day: Int64 = 86_400_000
private let now: Int64 = 1_795_382_768_400

private func json(_ text: String) throws -> PlainValue { try JSONReader.read(Array(text.utf8)) }

/// A member whose ID begins with 7 times the letter.
private func member(
    _ letter: String, _ name: String, seen: Int64?, behind: Int? = 0, state: String = "active"
) -> String {
    let device = String(repeating: letter, count: 7) + "-MORE"
    return #"{"device":"\#(device)","name":"\#(name)","role":"writer","state":"\#(state)","#
        + #""lastSeenMs":\#(seen.map { "\($0)" } ?? "null"),"#
        + #""behindChanges":\#(behind.map { "\($0)" } ?? "null")}"#
}

@Suite struct SpaceDiagnosisTests {
    private let diagnosis = SpaceDiagnosis(name: "home", own: "AAAAAAA-MORE", now: now)

    private func found(_ members: [String]) throws -> [DoctorCommand.Finding] {
        diagnosis.members(try json(#"{"members":[\#(members.joined(separator: ","))]}"#))
    }

    @Test("members that are called differently and were seen lately are nothing to speak of")
    func fine() throws {
        #expect(
            try found([
                member("A", "attic", seen: now), member("B", "shed", seen: now - 30 * day),
                member("C", "tablet", seen: nil), member("D", "", seen: nil), member("E", "", seen: nil),
            ]).isEmpty)
    }

    @Test("two active members with one name: the one that may be gone is one `space remove` away")
    func namesakes() throws {
        let laptops = [member("B", "laptop", seen: now - 5_000), member("C", "laptop", seen: now - 43 * day)]
        let both = try found([member("A", "attic", seen: now)] + laptops)
        #expect(both.first?.level == .note && both.first?.check == "names")
        #expect(
            both.first?.message
                == "home: 2 active members are called laptop: CCCCCCC (seen 43 d ago), BBBBBBB (seen 5 s ago)"
        )
        #expect(both.first?.hint.contains("replctl space remove home CCCCCCC;") == true, "\(both)")
        // This box is not the one to be removed, however long it saw nobody.
        let mine = try found([member("A", "laptop", seen: 0), member("B", "laptop", seen: now)])
        #expect(mine.count == 1 && mine[0].hint.contains("replctl space remove home BBBBBBB;"), "\(mine)")
        #expect(mine[0].message.contains("AAAAAAA (this box)"))
        for state in ["removed", "left"] {
            #expect(
                try found([
                    member("B", "laptop", seen: now), member("C", "laptop", seen: nil, state: state),
                ]).isEmpty, "a name is free when its bearer is \(state)")
        }
    }

    @Test("a member that was not seen for more than 30 days is named, with what it lacks")
    func unseen() throws {
        #expect(
            try found([
                member("B", "phone", seen: now - 43 * day, behind: 12),
                member("C", "tablet", seen: now - 30 * day),
                member("D", "old", seen: now - 300 * day, state: "removed"),
            ]) == [
                .init(
                    .note, "unseen", "home: phone (BBBBBBB) was not seen for 43 d, and lacks 12 changes",
                    hint: "if it is gone for good: replctl space remove home BBBBBBB")
            ])
        let edge = try found([member("B", "phone", seen: now - 30 * day - 1, behind: nil)])
        #expect(edge.map(\.message) == ["home: phone (BBBBBBB) was not seen for 30 d"])
    }

    @Test("so many are named, those first that were gone first; the others are counted")
    func many() throws {
        let letters = "BCDEFGHIJKLM".map(String.init)
        let found = try found(
            letters.enumerated().map { member($1, $1, seen: now - Int64(40 + $0) * day, behind: nil) })
        #expect(found.count == SpaceDiagnosis.listedMax + 1)
        #expect(found.first?.message.contains("M (MMMMMMM)") == true, "\(found)")
        #expect(found.last?.message == "home: 4 more members that were not seen for 30 days")
        let crowd = try self.found(letters.map { member($0, "box", seen: now) })
        #expect(crowd.count == 1 && crowd[0].message.hasSuffix(" and 4 more"), "\(crowd)")
    }

    @Test("members that do not say what they run are of an earlier release, once they were met")
    func older() throws {
        func said(_ software: String, seen: String, device: String = "BBBBBBB-MORE") -> String {
            #"{"device":"\#(device)","name":"shed","role":"writer","state":"active","lastSeenMs":\#(seen),"#
                + #""behindChanges":0,"software":\#(software)}"#
        }
        let found = try found([said("null", seen: "\(now)")])
        #expect(found.map(\.level) == [.note] && found.first?.check == "older")
        #expect(found.first?.message.hasSuffix("knows of removals: shed (BBBBBBB)") == true, "\(found)")
        for member in [
            said("\"0.1.0\"", seen: "\(now)"), said("null", seen: "null"),
            said("null", seen: "\(now)", device: "AAAAAAA-MORE"),
        ] {
            #expect(try self.found([member]).isEmpty, "\(member)")
        }
    }

    @Test("keys that nobody renews for 10 minutes are wrong; before that a box may be about it")
    func keys() throws {
        func found(since: String) throws -> [DoctorCommand.Finding] {
            diagnosis.keys(try json(#"{"epochs":[],"noneGoodSinceMs":\#(since)}"#))
        }
        #expect(try found(since: "null").isEmpty && found(since: "\(now - 599_999)").isEmpty)
        #expect(diagnosis.keys(try json(#"{"epochs":[]}"#)).isEmpty, "of an earlier daemon")
        let wrong = try found(since: "\(now - 600_000)")
        #expect(wrong.map(\.level) == [.wrong] && wrong[0].message.hasPrefix("home: for 10 min all keys"))
        #expect(wrong[0].hint.contains("replctl space keys home --rotate"))
    }

    @Test(
        "collection waits for who is unseen for a day, or will not acknowledge by itself; others may be at it"
    )
    func collection() throws {
        func found(unseen: Int64, why: String) throws -> [DoctorCommand.Finding] {
            let device = #""device":"BBBBBBB-MORE","name":"phone""#
            return diagnosis.checkpoints(
                try json(
                    #"{"standing":null,"open":{"waitingFor":[{\#(device),"why":"\#(why)"}]},"#
                        + #""log":{"bytes":1388000000,"collectable":99510837,"since":"0"},"#
                        + #""waitingFor":[{\#(device),"unseenMs":\#(unseen)}]}"#))
        }
        let phone = try found(unseen: 43 * day, why: "not-linked")
        #expect(phone.map(\.level) == [.note] && phone[0].check == "collection")
        #expect(
            phone[0].message == "home: phone (BBBBBBB), unseen for 43 d: 1228 MiB of log wait", "\(phone)")
        #expect(phone[0].hint.contains("replctl space checkpoint home --absent BBBBBBB;"))
        #expect(phone[0].hint.contains("replctl space remove home BBBBBBB"))
        #expect(try found(unseen: day - 1, why: "not-linked").isEmpty)
        #expect(try found(unseen: 0, why: "computing").isEmpty)
        #expect(try found(unseen: 0, why: "silent")[0].message.contains("(BBBBBBB), silent: "))
        #expect(try found(unseen: 0, why: "older-version")[0].message.contains("not known to run a version"))
        #expect(diagnosis.checkpoints(try json("{}")).isEmpty)
    }

    @Test("doctor asks each space that this device belongs to, and reports one that cannot be asked")
    func asked() async throws {
        let status =
            #"{"device":"AAAAAAA-MORE","name":"a","version":"0.1.0","clock":{"wallMs":\#(now)},"alarms":[],"#
            + #""spaces":[{"id":"1","name":"home","state":"active"},{"id":"2","name":"gone","state":"removed"},"#
            + #"{"id":"3","name":"away","state":"active"}]}"#
        let members = [member("A", "a", seen: now), member("B", "a", seen: now)].joined(separator: ",")
        try await FakeDaemon.serving({ request in
            switch request.target {
            case "/v1/status": .whole(200, status)
            case "/v1/peers": .whole(200, #"{"peers":[]}"#)
            case "/v1/reload?check=true": .whole(200, #"{"applied":[],"needsRestart":[]}"#)
            case "/v1/spaces/1/members": .whole(200, #"{"members":[\#(members)]}"#)
            case "/v1/spaces/1/keys": .whole(200, #"{"epochs":[],"noneGoodSinceMs":1}"#)
            case "/v1/spaces/1/checkpoints":
                .whole(
                    200,
                    #"{"standing":null,"open":null,"log":{"bytes":9,"collectable":0,"since":"0"},"#
                        + #""waitingFor":[{"device":"CCCCCCC-MORE","name":"phone","unseenMs":\#(43 * day)}]}"#
                )
            default: .whole(404, #"{"error":{"code":"no-such-space","message":"no space","hint":"h"}}"#)
            }
        }) { daemon in
            let result = try await replctl(["doctor", "--socket", daemon.socket])
            #expect(
                result.code == .failed && result.output.contains("space remove home BBBBBBB"), "\(result)")
            #expect(
                result.output.contains("keys: home: for ") && result.output.contains("space: away: no space"))
            #expect(result.output.contains("collection: home: phone (CCCCCCC), unseen for 43 d: 9 B"))
            #expect(!daemon.requests.contains { $0.target.hasPrefix("/v1/spaces/2") })
        }
    }
}
