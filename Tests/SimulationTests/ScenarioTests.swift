// Plays Tests/Scenarios: what repld promises, as text. And plays scenarios that do not hold, which must fail
// at their line.

import Foundation
import Scenarios
import Testing

private let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Scenarios")

private func names() -> [String] {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return files.filter { $0.hasSuffix(".txt") }.sorted()
}

@Suite struct ScenarioTests {
    @Test("a scenario holds", arguments: names())
    func holds(name: String) throws {
        let text = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
        let scenario = Scenario(file: "Tests/Scenarios/\(name)", text: text)
        #expect(text.hasPrefix("# "), "it says first what it shows")
        #expect(scenario.expectationCount > 1, "it expects something")
        do throws(ScenarioFault) { try scenario.run() } catch { Issue.record("\(error)") }
    }

    @Test("there are at least 25 scenarios")
    func count() { #expect(names().count >= 25) }

    // MARK: What must fail

    private static let pair = "node a b\na create s\nb join a s\na set d x=1\nsettle\n"

    @Test(
        "an expectation that does not hold fails at its line, with what was found",
        arguments: [
            ("expect b d {\"x\":2}", "{\"x\":2}", "{\"x\":1}"),
            ("expect b d x 2", "2", "1"),
            ("expect b d absent", "absent", "{\"x\":1}"),
            ("expect b e {}", "{}", "absent"),
            ("expect b documents", "nothing", "d"),
            ("expect b conflicts d x 7", "[7]", "[]"),
            ("expect a members a=admin", "a=admin", "a=admin b=writer"),
            ("expect a peers", "nothing", "b"),
            ("expect a peer b waiting", "waiting", "connected"),
            ("expect a alarms fork", "fork", "nothing"),
            ("expect a down", "down", "up"),
            ("expect a spaces t", "t", "s"),
            ("expect a explains d to b lazy", "lazy", "held"),
            ("expect b d -> no-right", "refused: no-right", "{\"x\":1}"),
            ("expect a differs b", "other documents", nil),
            ("expect a logged halt", "a line of code halt", nil),
            ("eventually b d {\"x\":2}", "{\"x\":2}", "{\"x\":1}"),
        ] as [(String, String, String?)])
    func fails(line: String, expected: String, found: String?) throws {
        let fault = try #require(firstFault(Self.pair + line + "\nexpect a d {\"x\":1}"))
        #expect(fault.line == 6 && fault.text == line)
        guard case .differs(let wanted, let got) = fault.reason else {
            Issue.record("\(fault)")
            return
        }
        #expect(wanted == expected)
        if let found { #expect(got == found) }
        #expect(fault.description.hasPrefix("wrong.txt:6: \(line)\n  expected  \(expected)"))
    }

    @Test("nodes that do not come to the same fail settle; one that is refused, or is not, fails its line")
    func outcomes() throws {
        let apart = try #require(firstFault(Self.pair + "cut a b\na set d x=2\nsettle"))
        #expect(apart.line == 8)
        guard case .differs = apart.reason else { throw apart }
        let refused = try #require(firstFault(Self.pair + "b invite t"))
        #expect(refused.reason == .outcome(expected: nil, found: "no-right"))
        let granted = try #require(firstFault(Self.pair + "a invite t -> no-right"))
        #expect(granted.reason == .outcome(expected: "no-right", found: nil))
        let otherwise = try #require(firstFault(Self.pair + "b invite t -> name-taken"))
        #expect(otherwise.reason == .outcome(expected: "name-taken", found: "no-right"))
        let lines = try #require(firstFault(Self.pair + "b watch w\na set e x=1\nsettle\nexpect w lines d"))
        #expect(lines.reason == .differs(expected: "d", found: "e"))
    }

    @Test(
        "a line that nobody understands fails as such",
        arguments: [
            "a sets d x=1", "a set d", "c set d x=1", "expect c d {}", "expect a", "cut a", "wait long",
            "node a", "a clock tomorrow", "a disk", "settle z", "a join b s as king", "a use nothing",
            "a crash -> no-right", "wait 1s -> no-right", "a restore nothing", "expect a members",
        ])
    func malformed(line: String) throws {
        let fault = try #require(firstFault(Self.pair + "\n# a remark\n" + line))
        #expect(fault.line == 8)
        guard case .malformed = fault.reason else { throw fault }
    }

    private func firstFault(_ text: String) -> ScenarioFault? {
        do throws(ScenarioFault) {
            try Scenario(file: "wrong.txt", text: text).run()
            return nil
        } catch {
            return error
        }
    }
}
