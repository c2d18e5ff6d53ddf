// Runs the full-screen interface: one thread waits for keys, signals and news, and draws; tasks follow the
// notes, their order, their conflicts and the daemon's state, and write. Everything that decides is in
// `NotesScreen`.

import Bytes
import Glibc
import JSON
import ReplModels
import Terminal

/// On the main thread, which nothing else needs: the loop may wait there.
@MainActor
final class FullScreen {
    private let terminal: FullTerminal
    private let inbox: Inbox
    private let source: NotesSource
    private var screen: NotesScreen
    private var store: UnsentStore
    private var keys = KeyPressDecoder()
    private var shown: Screen?
    private let start = ContinuousClock.now
    private var keptAt = 0
    private var leavingSince: Int?

    /// How long leaving waits for the daemon, in milliseconds; then what is unsent stays on disk.
    private static let leaveDelay = 2_000
    /// Writes that wait for those before them; a person's hands are slower than a daemon.
    private static let writesMax = 256
    /// A sequence of a key has come by then.
    private static let keyDelay = 40

    init(_ terminal: FullTerminal, _ source: NotesSource) throws {
        self.terminal = terminal
        self.source = source
        inbox = try Inbox()
        store = UnsentStore(space: source.space, environment: SpaceOptions.environment)
        screen = NotesScreen(space: source.space, drafts: store.takeOver())
        screen.message = store.failure ?? screen.message
    }

    /// Gives what is to be said when the terminal is as it was.
    func run() async -> String {
        ScreenSignals.tell(inbox.pipe.write)
        resize()
        terminal.take()
        defer { terminal.giveBack() }
        let (source, inbox) = (source, inbox)
        let writes = AsyncStream.makeStream(
            of: NoteWrite.self, bufferingPolicy: .bufferingOldest(Self.writesMax))
        await withDiscardingTaskGroup { group in
            group.addTask { await source.followNotes(inbox) }
            group.addTask { await source.followOrder(inbox) }
            group.addTask { await source.followConflicts(inbox) }
            group.addTask { await source.followDaemon(inbox) }
            // One after the other, as they were asked for.
            group.addTask { for await write in writes.stream { await source.perform(write, inbox) } }
            loop { write in
                // A text by itself, since it may wait long; there is one at a time of each note.
                if case .text = write {
                    group.addTask { await source.perform(write, inbox) }
                } else if case .dropped = writes.continuation.yield(write) {
                    let failure = WriteFailure(message: "not written: too much waits already", mayPass: false)
                    inbox.put { $0.outcomes.append(WriteOutcome(write: write, result: .failure(failure))) }
                }
            }
            group.cancelAll()
        }
        let left = screen.unsent()
        store.keep(left)
        guard !left.isEmpty else { return store.failure.map { "notes: \($0)\n" } ?? "" }
        let titles = left.map { $0.title.isEmpty ? $0.id : $0.title }.joined(separator: ", ")
        return "notes: not with the daemon yet: \(NotesScreen.oneLine(titles))\n"
            + "  it is kept in \(store.directory), and written when notes runs again\n"
    }

    private var now: Int { Int((ContinuousClock.now - start) / .milliseconds(1)) }

    private func loop(_ write: (NoteWrite) -> Void) {
        while true {
            draw()
            let events = wait()
            if perform(input(events), write) { return }
            let news = inbox.take()
            screen.told(news, at: now)
            if perform(screen.tick(at: now), write) { return }
            if now - keptAt >= NotesScreen.keepDelay {
                keptAt = now
                store.keep(screen.unsent(before: now - NotesScreen.keepDelay))
            }
            if screen.isLeaving {
                leavingSince = leavingSince ?? now
                if now - (leavingSince ?? now) > Self.leaveDelay { return }
            }
        }
    }

    private func draw() {
        let next = screen.draw()
        if next != shown { terminal.write(next.bytes(over: shown)) }
        shown = next
    }

    private func resize() {
        (screen.rows, screen.columns) = terminal.size
        shown = nil
    }

    /// Waits for keys, signals, news and the next deadline; true where keys came.
    private func wait() -> Bool {
        var timeout = keys.isWaiting ? Self.keyDelay : 1_000
        if let deadline = screen.deadline { timeout = min(timeout, max(20, deadline - now)) }
        if screen.isLeaving { timeout = min(timeout, 50) }
        var events = [
            pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
            pollfd(fd: inbox.pipe.read, events: Int16(POLLIN), revents: 0),
        ]
        return poll(&events, 2, Int32(timeout)) > 0 && events[0].revents != 0
    }

    /// What keys and signals ask for.
    private func input(_ hasKeys: Bool) -> [ScreenAction] {
        var actions: [ScreenAction] = []
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let told = read(inbox.pipe.read, &bytes, bytes.count)
        for number in bytes.prefix(max(0, told)) where number != 0 { signalled(CInt(number), &actions) }
        if hasKeys {
            let count = read(STDIN_FILENO, &bytes, bytes.count)
            if count < 0, errno == EINTR || errno == EAGAIN { return actions }
            // The terminal is gone.
            guard count > 0 else { return actions + [.leave] }
            for key in keys.keys(Array(bytes[..<count])) { actions += screen.press(key, at: now) }
        } else if keys.isWaiting {
            for key in keys.waited() { actions += screen.press(key, at: now) }
        }
        return actions
    }

    private func signalled(_ number: CInt, _ actions: inout [ScreenAction]) {
        switch number {
        case SIGWINCH: resize()
        case SIGTSTP: actions.append(.suspend)
        // Stopped by a signal that nobody can catch, whoever stopped us may have changed the terminal.
        case SIGCONT:
            terminal.giveBack()
            terminal.take()
            resize()
        default:
            // What was typed first; then the end that was asked for, with its own exit status.
            store.keep(screen.unsent())
            terminal.giveBack()
            ScreenSignals.pass(number)
        }
    }

    /// True: it is over.
    private func perform(_ actions: [ScreenAction], _ write: (NoteWrite) -> Void) -> Bool {
        for action in actions {
            switch action {
            case .write(let note): write(note)
            case .redraw: shown = nil
            case .leave: return true
            case .suspend:
                store.keep(screen.unsent())
                terminal.giveBack()
                ScreenSignals.pass(SIGTSTP)
                terminal.take()
                resize()
            case .edit(let note, let text): edit(note, text)
            }
        }
        return false
    }

    private func edit(_ note: Note, _ text: String) {
        terminal.giveBack()
        defer {
            terminal.take()
            resize()
        }
        do {
            let editor = try Editor(SpaceOptions.environment)
            let file = try EditedFile(text, program: "notes", suffix: "md")
            // Suspended with the editor, as one job of the shell.
            let ending = try ScreenSignals.leavingSuspension { try editor.open(file.path) }
            guard ending == 0 else {
                screen.message = "the editor ended with \(ending); what you wrote is in \(file.path)"
                return
            }
            screen.edited(note, before: text, after: try file.read(likeBefore: text), at: now)
            file.remove()
        } catch let failure as EditorFailure {
            screen.message = failure == .noEditor ? "no editor is named: set EDITOR" : failure.message
        } catch {
            screen.message = "\(error)"
        }
    }
}
