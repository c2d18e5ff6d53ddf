// Programs that read: documents, pages of listings and exports, some of them not before a version that
// another node gave out, and transactions that are made on the condition that nothing has changed. The
// checker judges each answer at the position that it names.

import Bytes
import Causality
import Documents
import Node
import Wire

/// What a program asked to see.
enum Reading {
    case document(Key)
    case listing(prefix: Key, limit: Int)
    case export(DocumentView)
}

extension Trial {
    private mutating func isChosen(oneIn count: Int) -> Bool {
        Int.random(in: 0..<count, using: &readDice) == 0
    }

    /// Now and then a program reads, at any node that may.
    mutating func read() {
        guard isChosen(oneIn: 3) else { return }
        let readers = running { members[$0].role >= .reader }
        guard let index = readers.randomElement(using: &readDice) else { return }
        switch Int.random(in: 0..<40, using: &readDice) {
        case 0: export(isChosen(oneIn: 2) ? .plain : .typed, at: index)
        case 1...4: list(at: index)
        default: read(readKey(), at: index, waits: isChosen(oneIn: 4))
        }
    }

    private mutating func readKey() -> Key {
        switch Int.random(in: 0..<10, using: &readDice) {
        case 0: "big/0"
        case 1: Pair.keys[0]
        case 2: "none/0"
        default: Key("note/\(Int.random(in: 0..<plan.documents, using: &readDice))")
        }
    }

    /// Waiting: until the node holds what some writer wrote last.
    private mutating func read(_ key: Key, at index: Int, waits: Bool) {
        let versions = members.compactMap(\.lastVersion)
        var atLeast: AtLeast?
        if waits, let version = versions.randomElement(using: &readDice) {
            atLeast = AtLeast(version: version, timeoutSeconds: 30)
        }
        let view: DocumentView = isChosen(oneIn: 2) ? .plain : .typed
        request(
            index, .readDocument(reference, key: key, view: view, atLeast: atLeast),
            for: .read(.document(key), atLeast: atLeast?.version))
    }

    private mutating func list(at index: Int) {
        let prefix: Key = isChosen(oneIn: 2) ? "pair/" : isChosen(oneIn: 2) ? "note/" : ""
        let limit = Int.random(in: 1...3, using: &readDice)
        request(
            index, .listDocuments(reference, prefix: prefix, after: nil, limit: limit, atLeast: nil),
            for: .read(.listing(prefix: prefix, limit: limit), atLeast: nil))
    }

    mutating func export(_ view: DocumentView, at index: Int) {
        request(index, .export(reference, view: view), for: .read(.export(view), atLeast: nil))
    }

    // MARK: Answers

    mutating func answeredRead(_ reading: Reading, atLeast: String?, _ answer: NodeAnswer, at index: Int)
        throws(Violation)
    {
        switch (reading, answer) {
        case (.document(let key), .document(let named, let value, let version, let cursor)):
            guard named == key else { throw Violation(.readsAreRight, "\(named) is answered for \(key)") }
            let seen = try checker.takeDocument(key, value, version: version, cursor: cursor, at: index)
            members[index].seen[key] = seen
        case (.document(let key), .failed(.noSuchDocument(_, let cursor))):
            _ = try checker.takeDocument(key, nil, version: nil, cursor: cursor, at: index)
        case (.listing(let prefix, let limit), .documents(let listings, let next, let cursor)):
            try checker.takeListing(
                listings, next: next, prefix: prefix, limit: limit, cursor: cursor, at: index)
        case (.export(let view), .reading(let job, let cursor)):
            try checker.takeExport(try pieces(of: job, index), view, cursor: cursor, at: index)
        case (_, .failed(.timedOut)) where atLeast != nil:
            result.marks.insert("read-timed-out")
            return
        case (_, .failed(.noSuchSpace)) where plan.isAboutMembers && !isInSpace(index): return
        case (_, .failed(.seeding)) where checker.isHiding(index, world):
            result.marks.insert("seeding")
            return
        case (_, .failed(.storeFull)), (_, .failed(.storeFailed)):
            // Of a batch that was lost.
            return
        default:
            throw Violation(.readsAreRight, "node \(index) answers \(reading) with \(answer)")
        }
        if let atLeast { try checker.takeHeld(atLeast, at: index) }
    }

    private func pieces(of job: any ReadJob, _ index: Int) throws(Violation) -> [UInt8] {
        var bytes: [UInt8] = []
        do throws(StoreFailure) {
            while let piece = try job.next() { bytes += piece }
        } catch {
            throw Violation(.readsAreRight, "the export of node \(index) ends with \(error)")
        }
        return bytes
    }

    // MARK: Conditions

    /// Some transactions are made only if a document is as their program saw it; some of these on what is not
    /// so.
    mutating func conditional(_ transaction: Transaction, at index: Int) -> Purpose {
        guard transaction.idempotency == nil, let space = checker.space, isChosen(oneIn: 8) else {
            return .write(transaction)
        }
        let key = transaction.operations[0].document
        guard isChosen(oneIn: 2) else {
            guard let seen = members[index].seen[key] else {
                read(key, at: index, waits: false)
                return .write(transaction)
            }
            return .conditional(
                transaction.made(if: Condition(document: key, test: .version(seen.token))), seen)
        }
        let value = world.nodes[index].node?.glance(key, in: space)
        let isTrue = !isChosen(oneIn: 4)
        if isTrue, let member = value?["x"] {
            let test = Condition.Test.equals(path: [.key("x")], member)
            return .conditional(transaction.made(if: Condition(document: key, test: test)), nil)
        }
        let test = Condition.Test.exists(path: [], (value != nil) == isTrue)
        return .conditional(transaction.made(if: Condition(document: key, test: test)), nil)
    }

    mutating func answered(
        _ transaction: Transaction, on seen: SeenVersion?, _ answer: NodeAnswer, at index: Int
    ) throws(Violation) {
        switch answer {
        case .transaction(let change, let version, let cursor):
            for condition in transaction.conditions {
                try checker.takeConditional(
                    condition, seen: seen, change: change, cursor: cursor, at: index)
            }
            result.marks.insert("condition-held")
            members[index].lastVersion = version
            try acknowledged(transaction, change, at: index)
        case .failed(.conditionFailed(let number)):
            result.marks.insert("condition-failed")
            // In a batch of several, another one may have come behind it.
            guard world.batch(of: index) == 0 else { return }
            try checker.takeRefused(transaction.conditions[number], seen: seen, at: index)
        case .failed(let error): recordRefused(error)
        default: return
        }
    }
}

extension Transaction {
    fileprivate func made(if condition: Condition) -> Transaction {
        Transaction(operations: operations, conditions: [condition], idempotency: idempotency)
    }
}
