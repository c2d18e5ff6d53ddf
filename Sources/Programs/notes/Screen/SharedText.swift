// One text that this person and others write at once. Three texts are in play: what the daemon is known to
// have, what was sent and not answered yet, and what is shown, which is always the newest of ours. What the
// daemon tells is merged into what is shown; one write is under way at a time.
//
//     level --edit--> edited --send--> under way --answer, its change--> awaited --told--> level or edited
//
// While a write is under way, and until the stream has told it, nobody can say whether what is told holds it
// already: merging it then would write the same words twice. So it is kept until that is known.

import ReplClient

/// A text while it is edited.
struct SharedText {
    /// What the daemon has, as far as is known: what was told or what a write made.
    private(set) var base: String
    /// What is shown.
    private(set) var text: String
    private var exchange = Exchange.idle
    /// When the oldest edit was made that was not sent yet, in milliseconds.
    private(set) var editedAt: Int?
    /// Since when some of it is not with the daemon.
    private(set) var unsentAt: Int?
    /// The daemon refused the text; it is sent again after the next edit, or when asked.
    private(set) var refusal: String?
    /// What a program that is gone had sent and nobody answered: what is told may hold it already.
    private var unanswered: String?

    private enum Exchange: Equatable {
        case idle
        /// `sent` was shown when it was sent; what was told since is kept.
        case underWay(sent: String, told: Told)
        /// Answered; the stream has not told the change yet.
        case awaited(change: String)
    }

    private struct Told: Equatable {
        var text: String?
        var changes: Set<String> = []
        var isWhole = false
    }

    init(_ text: String) { (base, self.text) = (text, text) }

    /// A text that was not sent when a program ended.
    init(_ draft: UnsentText, at now: Int) {
        (base, text, editedAt, unsentAt) = (draft.base, draft.text, now, now)
        unanswered = draft.sent
    }

    var isLevel: Bool { isSent && exchange == .idle }
    /// All of it is with the daemon.
    var isSent: Bool {
        if case .underWay = exchange { return false }
        return base.utf8.elementsEqual(text.utf8)
    }
    var isUnderWay: Bool {
        if case .underWay = exchange { true } else { false }
    }

    // MARK: This person

    /// `range` in Unicode scalars.
    mutating func replace(_ range: Range<Int>, with new: String, at now: Int) {
        var scalars = Array(text.unicodeScalars)
        scalars.replaceSubrange(range, with: new.unicodeScalars)
        set(String(String.UnicodeScalarView(scalars)), at: now)
    }

    mutating func set(_ new: String, at now: Int) {
        text = new
        refusal = nil
        editedAt = editedAt ?? now
        unsentAt = unsentAt ?? now
    }

    // MARK: The daemon

    /// What a write is to make of the text as it is then; nil where there is nothing to send, or a write is
    /// under way.
    mutating func send() -> TextWrite? {
        guard !isUnderWay, refusal == nil, unanswered == nil, !base.utf8.elementsEqual(text.utf8) else {
            if isSent { editedAt = nil }
            return nil
        }
        editedAt = nil
        exchange = .underWay(sent: text, told: Told())
        return TextWrite(base: base, text: text)
    }

    /// A write was done: `written` is what it made, `change` its change, nil where the text was so already.
    /// Gives what moved the shown text.
    mutating func answered(_ written: String, change: String?) -> [TextSplice] {
        guard case .underWay(let sent, let told) = exchange else { return [] }
        unsentAt = editedAt
        var splices = merge(from: sent, to: written)
        let isTold = change.map { told.changes.contains($0) } ?? true
        exchange = isTold || told.isWhole ? .idle : .awaited(change: change ?? "")
        if exchange == .idle, let text = told.text { splices += merge(from: base, to: text) }
        return splices
    }

    /// It was not done, for a reason that waiting does not mend.
    mutating func refused(_ reason: String) -> [TextSplice] {
        guard case .underWay(_, let told) = exchange else { return [] }
        exchange = .idle
        refusal = reason
        return told.text.map { merge(from: base, to: $0) } ?? []
    }

    /// Sends a refused text again.
    mutating func retry(at now: Int) { (refusal, editedAt) = (nil, now) }

    /// What the stream tells, after these changes; `isWhole`: the state was read again, so it cannot be said
    /// which changes are in it. Gives what moved the shown text.
    mutating func told(_ told: String, after changes: Set<String>, isWhole: Bool) -> [TextSplice] {
        if let sent = unanswered {
            if TextMerge.holds(told, whatMade: sent, of: base) { base = sent }
            unanswered = nil
        }
        switch exchange {
        case .idle: return merge(from: base, to: told)
        case .underWay(let sent, var kept):
            kept.text = told
            kept.changes.formUnion(changes)
            kept.isWhole = kept.isWhole || isWhole
            exchange = .underWay(sent: sent, told: kept)
            return []
        case .awaited(let change):
            guard isWhole || changes.contains(change) else { return [] }
            exchange = .idle
            return merge(from: base, to: told)
        }
    }

    /// The note is not there: whatever was sent is gone with it.
    mutating func toldAbsent() { unanswered = nil }

    /// As it is kept on disk.
    func kept(_ id: String, title: String) -> UnsentText {
        var sent = unanswered
        if case .underWay(let text, _) = exchange { sent = text }
        return UnsentText(id: id, title: title, base: base, text: text, sent: sent)
    }

    private mutating func merge(from old: String, to new: String) -> [TextSplice] {
        let merge = TextMerge(base: old, mine: text, theirs: new)
        base = new
        text = merge.text
        if isSent { unsentAt = nil }
        return merge.splices
    }
}

/// What a write of a text is to do: the difference of two texts, to a third.
struct TextWrite: Equatable, Sendable {
    let base: String
    let text: String

    func applied(to now: String) -> String {
        TextMerge(base: base, mine: text, theirs: now).text
    }
}

/// A text that the daemon does not have yet, as it is kept on disk.
struct UnsentText: Equatable, Sendable {
    let id: String
    let title: String
    let base: String
    let text: String
    /// A write of this was under way.
    var sent: String?
}
