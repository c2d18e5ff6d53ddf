// Follows the change stream for one live query. It keeps the plain value of every document of the
// collection, because patches are told against it, and judges the filter itself: the daemon's would say of a
// document that begins to match only how it changed, not what it is (decision 0247).
//
//     begin --state--> level --lines--> level --cut--> interrupted --cursor--> level
//                        \--resync, or a cursor that is too old--> state again, told as one difference

import Bytes
import JSON
import ReplClient

struct LiveFollower<Element: KeyedModel>: Sendable {
    private let query: Query<Element>
    private let handoff: Handoff<LiveChange<Element>>
    /// By document key, all of the collection.
    private var values: [String: PlainValue] = [:]
    /// Those that fit and match.
    private var shown: [String: Element] = [:]
    /// Exactly what was told, or nil: the state has to be read.
    private var cursor: String?
    private var isTold = false
    private var isInterrupted = false
    private var pauses = Pauses()

    init(query: Query<Element>, handoff: Handoff<LiveChange<Element>>) {
        (self.query, self.handoff) = (query, handoff)
    }

    /// Ends when nobody reads any more, or after `ended`.
    mutating func run() async {
        while !Task.isCancelled {
            do {
                if cursor == nil { try await readState() }
                try await follow()
            } catch let error as ClientError {
                guard await survive(error) else { return }
            } catch is PatchMismatch {
                cursor = nil
            } catch is NobodyReads {
                return
            } catch {
                // The task was cancelled.
                return
            }
        }
    }

    /// Waits before the next attempt; false: there is none.
    private mutating func survive(_ error: ClientError) async -> Bool {
        guard !Task.isCancelled else { return false }
        guard error.mayPass else {
            _ = await handoff.send(.ended(error))
            return false
        }
        if !isInterrupted {
            isInterrupted = true
            guard await handoff.send(.interrupted(error)) else { return false }
        }
        do { try await Task.sleep(for: pauses.next()) } catch { return false }
        return true
    }

    private var connection: SpaceConnection { query.documents.connection }

    private func request(since cursor: String, follows: Bool) -> ClientRequest {
        connection.request(
            "GET", ["changes"],
            query: [
                ("since", cursor), ("prefix", query.documents.prefix), ("follow", follows ? nil : "false"),
            ])
    }

    // MARK: The state

    private mutating func readState() async throws {
        let (values, cursor) = try await connection.client.stream(request(since: "begin", follows: false)) {
            (stream) async throws -> ([String: PlainValue], String?) in
            var (values, cursor): ([String: PlainValue], String?) = ([:], nil)
            for try await line in stream.lines where !line.isEmpty {
                let line = try ClientAnswer.json(line)
                cursor = line.string("cursor") ?? cursor
                for document in line["documents"]?.elements ?? [] {
                    let (key, patches) = try Self.patches(of: document)
                    values[key] = try PatchedValue.apply(patches, to: values[key], of: key)
                }
            }
            return (values, cursor)
        }
        guard let cursor else { throw ClientError.malformed("a stream of changes without a cursor") }
        try await tell(values)
        self.cursor = cursor
        isInterrupted = false
        pauses.restart()
    }

    /// The new state: the first time as a whole, later as what differs.
    private mutating func tell(_ new: [String: PlainValue]) async throws {
        var difference = LiveDifference<Element>(origin: nil)
        var misfits: [Misfit] = []
        let keys = Set(new.keys).union(values.keys).sorted { Bytes.Key($0) < Bytes.Key($1) }
        for key in keys where new[key] != values[key] {
            update(key, to: new[key], &difference, &misfits)
        }
        for misfit in misfits { try await send(.misfit(misfit)) }
        if !isTold {
            isTold = true
            try await send(.initial(difference.inserted))
        } else if !difference.isEmpty {
            try await send(.changed(difference))
        }
    }

    // MARK: Changes

    private mutating func follow() async throws {
        guard let cursor else { return }
        // The stream's closure cannot change `self`: it works on a copy, which is what was told also where it
        // throws.
        var follower = self
        defer { self = follower }
        try await connection.client.stream(request(since: cursor, follows: true)) { stream in
            for try await line in stream.lines {
                follower.isInterrupted = false
                follower.pauses.restart()
                guard !line.isEmpty else { continue }
                guard try await follower.receive(try ClientAnswer.json(line)) else { return }
            }
        }
        // A daemon that stops ends its streams; one that goes on does not.
        if follower.cursor != nil { throw ClientError.cut }
    }

    /// False: the state has to be read again.
    private mutating func receive(_ line: PlainValue) async throws -> Bool {
        if line["resync"] == .scalar(.bool(true)) {
            cursor = nil
            return false
        }
        if let refusal = ClientError.Refusal(line, status: 500) {
            throw ClientError.refused(refusal, body: [])
        }
        let documents = line["documents"]?.elements ?? []
        if !documents.isEmpty {
            var difference = LiveDifference<Element>(origin: Self.origin(of: line))
            var misfits: [Misfit] = []
            for document in documents {
                let (key, patches) = try Self.patches(of: document)
                let value = try PatchedValue.apply(patches, to: values[key], of: key)
                update(key, to: value, &difference, &misfits)
            }
            for misfit in misfits { try await send(.misfit(misfit)) }
            if !difference.isEmpty { try await send(.changed(difference)) }
        }
        // After it was taken: what is told twice is worse than what is told late.
        cursor = line.string("cursor") ?? cursor
        return true
    }

    private mutating func update(
        _ key: String, to value: PlainValue?, _ difference: inout LiveDifference<Element>,
        _ misfits: inout [Misfit]
    ) {
        let before = shown[key]
        values[key] = value
        shown[key] = nil
        if let value {
            do throws(Misfit) {
                let model = try query.documents.model(value, document: key)
                if query.filter?.matches(model) ?? true { shown[key] = model }
            } catch {
                misfits.append(error)
            }
        }
        difference.append(before: before, after: shown[key])
    }

    private static func patches(
        of document: PlainValue
    ) throws(ClientError) -> (key: String, patches: [PlainValue]) {
        guard let key = document.string("key"), let patches = document["patches"] else {
            throw .malformed("a changed document without key or patches")
        }
        return (key, patches.elements)
    }

    private static func origin(of line: PlainValue) -> LiveDifference<Element>.Origin? {
        guard let change = line.string("change") else { return nil }
        let date = line.integer("timestamp").map { ModelDate(millisecondsSince1970: $0) }
        return .init(change: change, author: line["author"]?.string("name"), date: date)
    }

    private func send(_ change: LiveChange<Element>) async throws {
        guard await handoff.send(change) else { throw NobodyReads() }
    }
}

/// The iterator is gone.
private struct NobodyReads: Error {}
