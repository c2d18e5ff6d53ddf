// What the members, keys and checkpoints of one space show that a person should know: names that mean two
// boxes, boxes that are gone and not removed, keys that nobody renews, who holds the log back. Nothing is
// changed.

import Bytes
import JSON

struct SpaceDiagnosis {
    typealias Finding = DoctorCommand.Finding

    /// As the space is called here.
    let name: String
    /// This device.
    let own: String?
    /// Milliseconds since 1970.
    let now: Int64

    /// A box that was not seen for so long may be gone for good.
    static let unseenMilliseconds: Int64 = 30 * 86_400_000
    /// An admin's box that is linked renews keys within 30 s.
    static let keysMilliseconds: Int64 = 600_000
    /// Members that are named; the others are counted.
    static let listedMax = 8

    /// From the answer of `members`.
    func members(_ answer: PlainValue) -> [Finding] {
        let active = answer.list("members").filter { $0.string("state") == "active" }
        return namesakes(active) + unseen(active) + older(active)
    }

    /// A name that two active members have means neither. One of them may be the box that the other replaced.
    private func namesakes(_ active: [PlainValue]) -> [Finding] {
        let groups = Dictionary(grouping: active) { $0.string("name") ?? "" }
        let names = groups.keys.filter { !$0.isEmpty && (groups[$0]?.count ?? 0) > 1 }.sorted()
        return listed(names, "more names that two members have") { called in
            let group = byLastSeen(groups[called] ?? [])
            let boxes = group.prefix(Self.listedMax).map { "\(letters($0)) (\(seen($0)))" }
            let others = group.count - boxes.count
            let gone = group.first { $0.string("device") != own }.map(letters) ?? "-"
            return Finding(
                .note, "names",
                "\(name): \(group.count) active members are called \(called): "
                    + boxes.joined(separator: ", ") + (others > 0 ? " and \(others) more" : ""),
                hint: "if \(gone) is gone for good: replctl space remove \(name) \(gone); until then say "
                    + "letters of the ID in place of the name")
        }
    }

    private func unseen(_ active: [PlainValue]) -> [Finding] {
        let gone = active.filter { member in
            member.string("device") != own
                && member.integer("lastSeenMs").map { now - $0 > Self.unseenMilliseconds } ?? false
        }
        return listed(byLastSeen(gone), "more members that were not seen for 30 days") { member in
            let lacks = member.integer("behindChanges").map {
                $0 > 0 ? ", and lacks \(Counted.text($0, "change"))" : ""
            }
            return Finding(
                .note, "unseen",
                "\(name): \(member.cell("name")) (\(letters(member))) was not seen for "
                    + span(member) + (lacks ?? ""),
                hint: "if it is gone for good: replctl space remove \(name) \(letters(member))")
        }
    }

    /// Members of earlier releases, which say nothing of what they run, cannot follow a removal. Those that
    /// were never met may have said it to others.
    private func older(_ active: [PlainValue]) -> [Finding] {
        let older = active.filter { member in
            member.string("device") != own && member["software"] == .scalar(.null)
                && member.integer("lastSeenMs") != nil
        }
        if older.isEmpty { return [] }
        let named = older.prefix(Self.listedMax).map { "\($0.cell("name")) (\(letters($0)))" }
        let more = older.count > named.count ? " and \(older.count - named.count) more" : ""
        return [
            Finding(
                .note, "older",
                "\(name): not known to run a version that knows of removals: "
                    + named.joined(separator: ", ") + more,
                hint: "upgrade before anybody is removed, and let it be met once")
        ]
    }

    /// From the answer of `keys`.
    func keys(_ answer: PlainValue) -> [Finding] {
        guard let since = answer.integer("noneGoodSinceMs"), now - since >= Self.keysMilliseconds else {
            return []
        }
        return [
            Finding(
                .wrong, "keys",
                "\(name): for \(Counted.span(milliseconds: now - since)) all keys are known to somebody who "
                    + "is no member any more, or may not read",
                hint: "an admin's box renews them when it is linked and all members run this version; by "
                    + "hand, there: replctl space keys \(name) --rotate")
        ]
    }

    /// From the answer of `checkpoints`: what collection waits for. A box that sleeps for a night is nothing
    /// to speak of.
    func checkpoints(_ answer: PlainValue) -> [Finding] {
        var whys: [String: String] = [:]
        for member in answer["open"]?.list("waitingFor") ?? [] {
            whys[member.cell("device")] = member.string("why")
        }
        let log = CheckpointText.bytes(of: answer)
        let waiting = ProgressLine.size(max(0, log.kept - log.collectable))
        let held = answer.list("waitingFor").filter { member in
            (member.integer("unseenMs") ?? 0) >= Self.waitedMilliseconds
                || Self.lastingWhys.contains(whys[member.cell("device")] ?? "")
        }.sorted { ($0.integer("unseenMs") ?? 0) > ($1.integer("unseenMs") ?? 0) }
        return listed(held, "more members that collection waits for") { member in
            let unseen = member.integer("unseenMs") ?? 0
            let why =
                unseen >= Self.waitedMilliseconds
                ? "unseen for \(Counted.span(milliseconds: unseen))"
                : CheckpointText.words(whys[member.cell("device")])
            return Finding(
                .note, "collection",
                "\(name): \(member.cell("name")) (\(letters(member))), \(why): \(waiting) of log wait",
                hint: "connect it; to go on without it: replctl space checkpoint \(name) --absent "
                    + "\(letters(member)); if it is gone for good: replctl space remove \(name) "
                    + letters(member))
        }
    }

    private static let waitedMilliseconds: Int64 = 86_400_000
    private static let lastingWhys = ["older-version", "cannot-compute", "silent"]

    // MARK: Words

    /// A finding of each of the first few, and how many more there are.
    private func listed<Subject>(
        _ subjects: [Subject], _ more: String, _ finding: (Subject) -> Finding
    ) -> [Finding] {
        let rest = subjects.count - Self.listedMax
        return subjects.prefix(Self.listedMax).map(finding)
            + (rest > 0
                ? [Finding(.note, "members", "\(name): \(rest) \(more)", hint: "replctl members \(name)")]
                : [])
    }

    /// Those that were never seen first, then as they were seen; equal ones by ID.
    private func byLastSeen(_ members: [PlainValue]) -> [PlainValue] {
        members.sorted {
            ($0.integer("lastSeenMs") ?? 0, $0.cell("device")) < (
                $1.integer("lastSeenMs") ?? 0, $1.cell("device")
            )
        }
    }

    private func letters(_ member: PlainValue) -> String {
        DeviceText.id(member.string("device"), isWide: false)
    }

    private func span(_ member: PlainValue) -> String {
        Counted.span(milliseconds: now - min(now, member.integer("lastSeenMs") ?? now))
    }

    private func seen(_ member: PlainValue) -> String {
        if member.string("device") == own { return "this box" }
        return member.integer("lastSeenMs") == nil ? "never seen" : "seen \(span(member)) ago"
    }
}
