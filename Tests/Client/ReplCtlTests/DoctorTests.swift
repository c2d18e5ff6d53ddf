// What `doctor` finds in the daemon's answers, and how it ends.

import JSON
import Release
import Testing

@testable import replctl

private func json(_ text: String) throws -> PlainValue { try JSONReader.read(Array(text.utf8)) }

@Suite struct DoctorTests {
    @Test("alarms are wrong, with their hints; without any that is said")
    func alarms() throws {
        let found = DoctorCommand.alarms(
            try json(#"{"alarms":[{"code":"disk-low","message":"1 MiB is free","hint":"free space"}]}"#))
        #expect(found == [.init(.wrong, "disk-low", "1 MiB is free", hint: "free space")])
        #expect(DoctorCommand.alarms(try json(#"{"alarms":[]}"#)).map(\.level) == [.fine])
    }

    @Test("a clock is compared with the peers', seconds are worth a note")
    func clock() throws {
        #expect(DoctorCommand.clock(try json(#"{"clock":{"offsetMs":null}}"#)).message.contains("no peer"))
        #expect(DoctorCommand.clock(try json(#"{"clock":{"offsetMs":-5000}}"#)).level == .fine)
        #expect(DoctorCommand.clock(try json(#"{"clock":{"offsetMs":-5001}}"#)).level == .note)
        #expect(DoctorCommand.clock(try json(#"{"clock":{"offsetMs":-9223372036854775808}}"#)).level == .note)
    }

    @Test("a config that differs from what runs says which command applies it")
    func config() throws {
        #expect(DoctorCommand.config(try json(#"{"applied":[],"needsRestart":[]}"#)).level == .fine)
        #expect(
            DoctorCommand.config(try json(#"{"applied":["name"],"needsRestart":[]}"#)).hint
                == "replctl reload")
        #expect(
            DoctorCommand.config(try json(#"{"applied":["name"],"needsRestart":["state"]}"#)).hint
                == "restart the daemon")
    }

    @Test("what keeps beacons from being sent or heard is wrong, and status says it in a line")
    func discovery() throws {
        let status = try json(
            #"{"discovery":{"listening":false,"problems":["port 21420: in use"],"heard":0,"sent":2,"dropped":{"unsent":3}}}"#
        )
        let found = DoctorCommand.discovery(status)
        #expect(found.map(\.level) == [.wrong] && found.map(\.message) == ["port 21420: in use"])
        #expect(found[0].hint.contains("21420"))
        #expect(
            StatusCommand.discovery(status)
                == "not listening, 0 beacons heard, 2 sent, 3 not sent; port 21420: in use")
        let fine = try json(
            #"{"discovery":{"listening":true,"problems":[],"heard":7,"sent":2,"dropped":{"unsent":0}}}"#)
        #expect(DoctorCommand.discovery(fine).isEmpty)
        #expect(StatusCommand.discovery(fine) == "on, 7 beacons heard, 2 sent")
        let off = try json(
            #"{"discovery":{"listening":false,"problems":[],"heard":0,"sent":0,"dropped":{}}}"#)
        #expect(DoctorCommand.discovery(off).isEmpty && StatusCommand.discovery(off) == "off")
    }

    @Test("peers that are not linked are named with the reason; no link to anybody is wrong")
    func peers() throws {
        func peers(_ text: String, _ spaces: String = "") throws -> [DoctorCommand.Finding] {
            let removed = RemovedSpaces(status: try json(#"{"spaces":[\#(spaces)]}"#))
            return DoctorCommand.peers(try json(text), removed)
        }
        let one = #"{"name":"attic","state":"waiting","whyNot":"refused"}"#
        let found = try peers(#"{"peers":[\#(one)]}"#)
        #expect(found.map(\.level) == [.wrong, .note])
        #expect(found.last == .init(.note, "peer", "attic is waiting", hint: "refused"))
        let linked = try peers(#"{"peers":[{"name":"b","state":"connected"},\#(one)]}"#)
        #expect(linked.map(\.level) == [.fine, .note])
        #expect(try peers(#"{"peers":[]}"#).map(\.level) == [.fine])
        // Members of a space from which this device was removed are nobody's peers.
        let out = #"{"name":"attic","state":"waiting","whyNot":"refused","spaces":[{"space":"i"}]}"#
        let gone = #"{"id":"i","name":"home","state":"removed"}"#
        #expect(try peers(#"{"peers":[\#(out)]}"#, gone).map(\.level) == [.fine])
        #expect(try peers(#"{"peers":[\#(out)]}"#, #"{"id":"i","state":"active"}"#).count == 2)
    }

    @Test("it ends with 1 when something is wrong, with 0 when nothing is, with 2 when nobody answers")
    func ends() async throws {
        for (alarms, reload, code) in [
            ("[]", FakeAnswer.whole(200, #"{"applied":[],"needsRestart":[]}"#), ExitCode.ok),
            (
                #"[{"code":"cloned","message":"twice","hint":"stop one"}]"#,
                .whole(200, #"{"applied":[],"needsRestart":[]}"#), .failed
            ),
            (
                "[]",
                .whole(
                    422, #"{"error":{"code":"config-invalid","message":"r.toml:1:1: no","hint":"mend it"}}"#),
                .failed
            ),
        ] as [(String, FakeAnswer, ExitCode)] {
            try await FakeDaemon.serving({ request in
                switch request.target {
                case "/v1/status":
                    .whole(
                        200, #"{"name":"a","version":"\#(Release.version)","clock":{},"alarms":\#(alarms)}"#)
                case "/v1/peers": .whole(200, #"{"peers":[]}"#)
                default: request.target == "/v1/reload?check=true" ? reload : .whole(500, "{}")
                }
            }) { daemon in
                let result = try await replctl(["doctor", "--socket", daemon.socket])
                #expect(result.code == code, "\(result)")
                if code != .ok { #expect(result.error.contains("1 thing is wrong")) }
                let asJSON = try await replctl(["doctor", "--json", "--socket", daemon.socket])
                #expect(asJSON.output.hasPrefix(#"{"findings":[{"check":"daemon","level":"fine""#))
            }
        }
        #expect(try await replctl(["doctor", "--socket", "/tmp/no/such/socket"]).code == .unreachable)
    }
}
