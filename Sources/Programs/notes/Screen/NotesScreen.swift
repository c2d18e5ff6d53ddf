// The full-screen interface as a value: what is known of the notes, what a person looks at, and what the keys
// make of it. It does nothing itself: what is to be done comes back as actions, and what came of it is told
// again. So a test plays a session without a terminal, a clock or a daemon.
//
//     press, told, answered, edited, tick  ->  state, [ScreenAction]  ->  draw

import ReplModels
import Terminal

/// What the shell is asked to do.
enum ScreenAction: Equatable {
    case write(NoteWrite)
    /// The text in the person's editor.
    case edit(Note, text: String)
    case suspend
    /// Everything is drawn anew.
    case redraw
    case leave
}

/// What became known since the last time.
struct News: Sendable {
    var notes: [String: Note]?
    var order: [String]?
    /// By note.
    var conflicts: [String: [ModelConflict]]?
    var connection: Connection?
    /// Nothing more comes: the space is gone, or may not be read any more. `connection` says why.
    var isEnded = false
    /// Changes that are in `notes`; `isWhole`: it was read again, so it cannot be said which are.
    var changes: Set<String> = []
    var isWhole = false
    var outcomes: [WriteOutcome] = []
    /// How many documents are no notes as this version reads them.
    var misfits: Set<String> = []
}

/// How a write ended.
struct WriteOutcome: Sendable {
    let write: NoteWrite
    let result: Result<NoteReceipt, WriteFailure>
}

/// Why a write was not done, for people.
struct WriteFailure: Error, Equatable, Sendable {
    let message: String
    /// Another writer came in between too often: the same may work now.
    let mayPass: Bool
}

/// What is known of the daemon.
enum Connection: Equatable, Sendable {
    case starting
    /// It answers; how far the space is, in a word.
    case level(String)
    case away(String)
}

struct NotesScreen {
    /// What covers the list; the last one has the keys.
    enum View: Equatable {
        case help(top: Int)
        case text(TextView)
        case prompt(Prompt)
        /// Typed so far, and the filter that comes back with escape.
        case search(LineEdit, before: String)
        case conflicts(of: String, chosen: Int)
        case removing(String)
    }

    /// The built-in editor: where the cursor stands in a text, in Unicode scalars.
    struct TextView: Equatable {
        let id: String
        var cursor: Int
        /// The first row that is shown, and the column that up and down keep to.
        var top = 0
        var column: Int?
    }

    struct Prompt: Equatable {
        enum Subject: Equatable {
            case newNote
            case title(of: String)
            case tags(of: String)
        }
        let subject: Subject
        var line: LineEdit
        /// Under way: the line stays until it is known to be written.
        var isSent = false
    }

    let space: String
    private(set) var notes: [String: Note] = [:]
    private(set) var order: [String] = []
    /// All notes in their order.
    private(set) var listing: [Note] = []
    private(set) var conflicts: [String: [ModelConflict]] = [:]
    private(set) var connection = Connection.starting
    private(set) var isEnded = false
    private(set) var misfits: Set<String> = []
    /// Texts that are open, or not with the daemon yet. What is typed is nowhere else.
    var texts: [String: SharedText] = [:]

    var views: [View] = []
    var selected: String?
    var filter = ""
    var showsDone = false
    /// The first note of the list that is shown.
    var top = 0
    var message: String?
    var (rows, columns) = (24, 80)
    /// Moves that are not answered: the order is ours until then.
    private var moves = 0
    private var isTold = false
    var isLeaving = false

    init(space: String, drafts: [UnsentText] = [], at now: Int = 0) {
        self.space = space
        for draft in drafts {
            texts[draft.id] = SharedText(draft, at: now)
            notes[draft.id] = Note(id: draft.id, title: draft.title)
        }
        if !drafts.isEmpty { message = "text that had not reached the daemon is written now" }
    }

    // MARK: What is known

    mutating func told(_ news: News, at now: Int) {
        if let connection = news.connection, !isEnded { self.connection = connection }
        isEnded = isEnded || news.isEnded
        misfits.formUnion(news.misfits)
        if let conflicts = news.conflicts { self.conflicts = conflicts }
        if let notes = news.notes {
            // A text that is open or unsent needs its note, also after others deleted it.
            let kept = self.notes.filter { texts[$0.key] != nil }
            self.notes = notes.merging(kept) { told, _ in told }
            for (id, note) in notes {
                let splices = texts[id]?.told(note.body.string, after: news.changes, isWhole: news.isWhole)
                moveCursor(in: id, by: splices ?? [])
            }
            for id in kept.keys where notes[id] == nil {
                texts[id]?.toldAbsent()
                if isOpen(id), isTold {
                    message = "somebody deleted this note; what you write brings it back"
                }
            }
            isTold = true
        }
        if let order = news.order, moves == 0 { self.order = order }
        for outcome in news.outcomes { answered(outcome, at: now) }
        forget()
        list()
    }

    /// Texts that are level and not looked at are the daemon's alone.
    private mutating func forget() {
        for (id, text) in texts where text.isLevel && !isOpen(id) { texts[id] = nil }
    }

    private mutating func list() {
        let place = visible.firstIndex { $0.id == selected } ?? 0
        listing = Listing(Array(notes.values), Order(name: Order.all, ids: order)).notes
        let visible = visible
        if !visible.contains(where: { $0.id == selected }) {
            selected = visible.isEmpty ? nil : visible[min(place, visible.count - 1)].id
        }
    }

    private mutating func answered(_ outcome: WriteOutcome, at now: Int) {
        let id = outcome.write.id
        if case .move = outcome.write { moves -= 1 }
        switch outcome.result {
        case .success(let receipt):
            if case .text(let text, _) = outcome.write {
                let splices = texts[id]?.answered(receipt.text ?? text.text, change: receipt.change)
                moveCursor(in: id, by: splices ?? [])
            }
            closePrompt(of: outcome.write)
        case .failure(let failure):
            message = failure.message
            if case .text = outcome.write {
                let splices = texts[id]?.refused(failure.message)
                moveCursor(in: id, by: splices ?? [])
                if failure.mayPass { texts[id]?.retry(at: now) }
            }
            reopenPrompt()
        }
    }

    private mutating func closePrompt(of write: NoteWrite) {
        guard case .prompt(let prompt)? = views.last, prompt.isSent else { return }
        views.removeLast()
        if case .add(let note) = write {
            selected = note.id
            notes[note.id] = notes[note.id] ?? note
        }
    }

    private mutating func reopenPrompt() {
        guard case .prompt(var prompt)? = views.last else { return }
        prompt.isSent = false
        views[views.count - 1] = .prompt(prompt)
    }

    func isOpen(_ id: String) -> Bool {
        views.contains { if case .text(let view) = $0 { view.id == id } else { false } }
    }

    private mutating func moveCursor(in id: String, by splices: [TextSplice]) {
        guard !splices.isEmpty else { return }
        for (place, view) in views.enumerated() {
            guard case .text(var view) = view, view.id == id else { continue }
            view.cursor = TextMerge.moved(view.cursor, by: splices)
            views[place] = .text(view)
        }
    }

    // MARK: The list

    /// Those that the filter lets through: each of its words is a tag with # before it, or in title or text.
    var visible: [Note] {
        let words = filter.lowercased().split(separator: " ")
        return listing.filter { note in
            guard showsDone || !note.done else { return false }
            let text = (note.title + "\n" + note.body.string).lowercased()
            return words.allSatisfy { word in
                word.first == "#"
                    ? note.tags.contains { $0.lowercased().hasPrefix(word.dropFirst()) } : text.contains(word)
            }
        }
    }

    var selectedNote: Note? { selected.flatMap { notes[$0] } }

    /// What is shown of a note: what was typed, where it is not with the daemon yet.
    func text(of note: Note) -> String { texts[note.id]?.text ?? note.body.string }

    /// By rows; stays at the ends.
    mutating func select(by rows: Int) {
        let visible = visible
        guard !visible.isEmpty else { return }
        let place = visible.firstIndex { $0.id == selected } ?? 0
        selected = visible[max(0, min(visible.count - 1, place + rows))].id
    }

    /// One place up or down among the notes that are shown.
    mutating func move(by step: Int) -> [ScreenAction] {
        let visible = visible
        guard let place = visible.firstIndex(where: { $0.id == selected }),
            visible.indices.contains(place + step)
        else { return [] }
        let (note, other) = (visible[place], visible[place + step])
        let target: NotePlace = step < 0 ? .before(other.id) : .after(other.id)
        let shown = listing.map(\.id)
        moves += 1
        order = target.order(shown, moving: note.id)
        list()
        return [.write(.move(note.id, to: target, shown: shown))]
    }

    // MARK: Time

    /// How long an edit waits for the next one before both are sent, in milliseconds.
    static let sendDelay = 250
    /// How old what is unsent becomes before it is kept on disk.
    static let keepDelay = 1_000

    /// Sends texts whose time has come; all of them when the program ends.
    mutating func tick(at now: Int) -> [ScreenAction] {
        guard connection != .starting else { return [] }
        var actions: [ScreenAction] = []
        for id in texts.keys.sorted() {
            guard let editedAt = texts[id]?.editedAt, isLeaving || editedAt + Self.sendDelay <= now else {
                continue
            }
            if let write = texts[id]?.send() {
                actions.append(.write(.text(write, of: notes[id] ?? Note(id: id))))
            }
        }
        if isLeaving, texts.values.allSatisfy({ $0.isSent || $0.refusal != nil }) { actions.append(.leave) }
        return actions
    }

    /// When `tick` or `unsent` has something to do, whatever happens; nil: not without news or keys.
    var deadline: Int? {
        let sends = texts.values.compactMap { $0.isUnderWay || $0.refusal != nil ? nil : $0.editedAt }
        let keeps = texts.values.compactMap(\.unsentAt)
        return (sends.map { $0 + Self.sendDelay } + keeps.map { $0 + Self.keepDelay }).min()
    }

    /// What is not with the daemon and was typed before this moment; nil: all of it.
    func unsent(before moment: Int? = nil) -> [UnsentText] {
        texts.compactMap { id, text in
            guard !text.isSent, moment.map({ (text.unsentAt ?? 0) <= $0 }) ?? true else { return nil }
            return text.kept(id, title: notes[id]?.title ?? "")
        }.sorted { $0.id < $1.id }
    }
}
