// Checkpoints as people see them, and how far a base that is taken came.

import Bytes
import JSON

/// From the answer of `checkpoints`.
struct CheckpointText {
    private let answer: PlainValue
    private let isWide: Bool

    init(_ answer: PlainValue, isWide: Bool) { (self.answer, self.isWide) = (answer, isWide) }

    var pairs: [(name: String, value: String)] {
        [("standing", standing), ("open", open), ("log", log), ("begins", begins)]
    }

    /// A member.
    private func value(_ name: Key) -> PlainValue? {
        guard let value = answer[name], value != .scalar(.null) else { return nil }
        return value
    }

    private var standing: String {
        guard let checkpoint = value("standing") else { return "none yet" }
        return head(checkpoint, "atMs")
            + ": \(Counted.text(checkpoint.integer("changes") ?? 0, "change")), "
            + "\(Counted.text(checkpoint.integer("documents") ?? 0, "document")), "
            + ProgressLine.size(checkpoint.integer("bytes") ?? 0)
    }

    private var open: String {
        guard let checkpoint = value("open") else { return "none" }
        let acknowledged = checkpoint.list("acknowledged").count
        let required = acknowledged + checkpoint.list("waitingFor").count
        return head(checkpoint, "sinceMs") + ": \(acknowledged) of \(required) acknowledged"
    }

    /// "3d5f7c2b of 2026-01-31 10:05:00 by attic".
    private func head(_ checkpoint: PlainValue, _ moment: Key) -> String {
        let when = checkpoint.integer(moment).map { Moment.text(milliseconds: $0) } ?? "-"
        return Self.id(checkpoint.string("id"), isWide: isWide)
            + " of \(when) by \(DeviceText.name(checkpoint["author"], isWide: isWide))"
    }

    private var log: String {
        let (kept, collectable) = Self.bytes(of: answer)
        return "\(ProgressLine.size(kept)) kept, \(ProgressLine.size(collectable)) may be forgotten"
    }

    private var begins: String {
        let since = answer["log"]?.string("since") ?? Self.beginning
        if since == Self.beginning { return "with the space" }
        return isWide ? since : Wrapped.cut(since, to: 40)
    }

    /// The version of the empty state.
    private static let beginning = "0"

    /// Of the log: what is kept, and what of it may be forgotten.
    static func bytes(of answer: PlainValue) -> (kept: Int64, collectable: Int64) {
        (answer["log"]?.integer("bytes") ?? 0, answer["log"]?.integer("collectable") ?? 0)
    }

    /// Members that the open checkpoint requires: those that it waits for first.
    var members: Table {
        var table = Table("MEMBER", isWide ? "DEVICE" : "ID", "CHECKPOINT", "SEEN", whole: [1, 3])
        var unseen: [String: Int64] = [:]
        for member in answer.list("waitingFor") {
            unseen[member.cell("device")] = member.integer("unseenMs") ?? 0
        }
        let open = value("open")
        let waiting = open?.list("waitingFor") ?? []
        for member in waiting {
            row(member, Self.words(member.string("why")), seen(unseen[member.cell("device")]), &table)
        }
        let named = Set(waiting.map { $0.cell("device") })
        for member in answer.list("waitingFor") where !named.contains(member.cell("device")) {
            row(member, "waited for", seen(member.integer("unseenMs")), &table)
        }
        for member in open?.list("acknowledged") ?? [] { row(member, "acknowledged", "-", &table) }
        return table
    }

    private func row(_ member: PlainValue, _ state: String, _ seen: String, _ table: inout Table) {
        table.row(
            member.cell("name"), DeviceText.id(member.string("device"), isWide: isWide), state, seen)
    }

    /// "linked", "43 d ago"; "-" of one that is not waited for long.
    private func seen(_ unseen: Int64?) -> String {
        guard let unseen else { return "-" }
        return unseen == 0 ? "linked" : Counted.span(milliseconds: unseen) + " ago"
    }

    /// The first letters of a checkpoint's id.
    static func id(_ text: String?, isWide: Bool) -> String {
        guard let text else { return "-" }
        return isWide ? text : String(text.prefix(8))
    }

    /// Why a member has not acknowledged.
    static func words(_ why: String?) -> String {
        switch why {
        case "older-version": "not known to run a version with checkpoints"
        case "not-linked": "not linked"
        case "cannot-compute": "cannot compute it: see its doctor"
        case "catching-up": "catching up"
        case "computing": "computing it"
        case "silent": "silent"
        case let other?: other
        case nil: "-"
        }
    }

    // MARK: Lines of other verbs

    /// What stands in place of changes that were forgotten; nil for any other line.
    static func collected(_ line: PlainValue, isWide: Bool) -> String? {
        guard line.bool("collected") == true else { return nil }
        let since = line.string("since").map { isWide ? $0 : Wrapped.cut($0, to: 40) } ?? "?"
        return "-- changes before \(Printable.line(since)) were forgotten, the documents hold them --"
    }

    /// A line for each space whose documents are being taken from a base.
    static func bootstraps(_ status: PlainValue) -> [String] {
        status.list("spaces").compactMap { space in
            guard let base = space["bootstrap"], base != .scalar(.null) else { return nil }
            let (bytes, all) = (base.integer("bytes") ?? 0, base.integer("ofBytes") ?? 0)
            let percent = all > 0 ? Int64(min(1, Double(bytes) / Double(all)) * 100) : 0
            let givers = base.list("from").map { DeviceText.name($0, isWide: false) }
            return Printable.line(
                "\(space.cell("name")): taking its documents, \(base.cell("documents")) of "
                    + "\(base.cell("ofDocuments")), \(percent) % of \(ProgressLine.size(all))"
                    + (givers.isEmpty ? "" : ", from " + givers.joined(separator: ", ")))
        }
    }
}
