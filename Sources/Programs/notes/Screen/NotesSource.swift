// Where the notes come from and go to: the tasks of the full-screen interface, each of which tells the inbox.

import Bytes
import JSON
import ReplModels

struct NotesSource: Sendable {
    let space: String
    let client: ReplClient
    /// Its requests are repeated for a moment only: a person waits for the answer.
    let notebook: Space<Notebook>
    /// For texts: they wait in memory and on disk for as long as the daemon is away.
    private let patient: Space<Notebook>
    /// Notes changed since their conflicts were read; several times are one.
    private let changed = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    init(space: String, client: ReplClient) {
        (self.space, self.client) = (space, client)
        notebook = Space(space, client: client, patience: .seconds(2))
        patient = Space(space, client: client, patience: .seconds(365 * 86_400))
    }

    func perform(_ write: NoteWrite, _ inbox: Inbox) async {
        var isText = false
        if case .text = write { isText = true }
        let result: Result<NoteReceipt, WriteFailure>
        do {
            result = .success(try await (isText ? patient : notebook).write(write))
        } catch let error as ClientError {
            var mayPass = false
            if case .refused(let refusal, _) = error { mayPass = refusal.code == "condition-failed" }
            let hint = error.hint.isEmpty ? "" : "; " + error.hint
            result = .failure(WriteFailure(message: "not written: " + error.message + hint, mayPass: mayPass))
        } catch let misfit as Misfit {
            result = .failure(WriteFailure(message: "not written: \(misfit)", mayPass: false))
        } catch {
            // The program ends: what is unsent is on disk.
            return
        }
        inbox.put { $0.outcomes.append(WriteOutcome(write: write, result: result)) }
    }

    func followNotes(_ inbox: Inbox) async {
        var notes: [String: Note] = [:]
        for await change in notebook.notes.changes {
            var (told, isWhole) = (Set<String>(), false)
            switch change {
            case .initial(let all):
                for note in all { notes[note.id] = note }
                isWhole = true
            case .changed(let difference):
                for note in difference.removed { notes[note.id] = nil }
                for note in difference.inserted { notes[note.id] = note }
                for update in difference.updated { notes[update.after.id] = update.after }
                if let origin = difference.origin { told = [origin.change] } else { isWhole = true }
            case .misfit(let misfit):
                inbox.put { $0.misfits.insert(misfit.document) }
                continue
            case .interrupted(let error):
                inbox.put { $0.connection = .away(Self.text(error)) }
                continue
            case .ended(let error):
                inbox.put {
                    $0.connection = .away(Self.text(error))
                    $0.isEnded = true
                }
                continue
            }
            let (all, changes) = (notes, told)
            inbox.put {
                $0.notes = all
                $0.changes.formUnion(changes)
                $0.isWhole = $0.isWhole || isWhole
            }
            changed.continuation.yield()
        }
    }

    func followOrder(_ inbox: Inbox) async {
        for await change in notebook.orders.changes {
            var order: Order?
            switch change {
            case .initial(let all): order = all.first { $0.name == Order.all }
            case .changed(let difference):
                order = (difference.inserted + difference.updated.map(\.after)).first { $0.name == Order.all }
            case .misfit, .interrupted, .ended: continue
            }
            if let ids = order?.ids { inbox.put { $0.order = ids } }
        }
    }

    /// After each change, and no more often than a person sees.
    func followConflicts(_ inbox: Inbox) async {
        for await _ in changed.stream {
            do {
                let conflicts = try await notebook.notes.conflicts()
                let byNote = Dictionary(grouping: conflicts) {
                    String($0.document.dropFirst(notebook.notes.prefix.count))
                }
                inbox.put { $0.conflicts = byNote }
                try await Task.sleep(for: .milliseconds(100))
            } catch is ClientError {
                // Read again after the next change.
                continue
            } catch {
                return
            }
        }
    }

    /// Whether the daemon answers, and how far the space is.
    func followDaemon(_ inbox: Inbox) async {
        var last: String?
        while !Task.isCancelled {
            do {
                let status = try await ClientRequest.$timeoutSecondsDefault.withValue(10) {
                    try await client.call(ClientRequest("GET", ["status"])).json()
                }
                let text = Self.syncText(status, space: space)
                inbox.put { $0.connection = .level(text) }
                // What another box wrote and lost shows in no note: only the cursor goes on.
                let now = try await cursor()
                if now != last { changed.continuation.yield() }
                last = now
            } catch let error as ClientError {
                inbox.put { $0.connection = .away(Self.text(error)) }
            } catch {
                return
            }
            do { try await Task.sleep(for: .seconds(1)) } catch { return }
        }
    }

    /// Of the newest commit.
    private func cursor() async throws -> String? {
        let request = ClientRequest("GET", ["spaces", space, "changes"], query: [("follow", "false")])
        return try await client.call(request).headers.first { $0.name == "Repl-Cursor" }?.value
    }

    private static func text(_ error: ClientError) -> String {
        error.hint.isEmpty ? error.message : error.message + "; " + error.hint
    }

    static func syncText(_ status: PlainValue, space: String) -> String {
        let own = status.list("spaces").first { $0.string("name") == space || $0.string("id") == space }
        let sync = own?["sync"] ?? status["sync"]
        let others = max(0, (sync?["members"]?.integer("active") ?? 1) - 1)
        let linked = sync?["members"]?.integer("linked") ?? 0
        switch sync?.string("state") {
        case "alone": return "alone: none of \(others) other\(others == 1 ? "" : "s") is linked"
        case "catching-up": return "catching up, \(sync?.integer("percent") ?? 0) %"
        case "waiting": return "nobody else has the newest yet"
        default: return others == 0 ? "on this box" : "up to date with \(linked) of \(others)"
        }
    }
}
