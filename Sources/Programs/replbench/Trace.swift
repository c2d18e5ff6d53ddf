// Editing traces of the collection josephg/editing-traces: what people really typed. Sequential ones are one
// author's transactions; concurrent ones name each transaction's parents.

import ArgumentParser
import Bytes
import Documents
import Glibc

/// A trace in memory.
struct Trace {
    struct Patch {
        /// Unicode scalars.
        let position: Int
        let deleted: Int
        let inserted: String
    }

    struct Transaction {
        /// Indexes of earlier transactions; the document they make together is what the patches count in.
        let parents: [Int]
        let agent: Int
        let patches: [Patch]
    }

    let name: String
    let isConcurrent: Bool
    let endContent: String
    let transactions: [Transaction]

    init(path: String) throws {
        let bytes =
            path.hasSuffix(".gz") ? try Self.output(of: "gzip -dc", path) : try Self.output(of: "cat", path)
        let root: PlainValue
        do {
            root = try JSONReader.read(bytes)
        } catch {
            throw ValidationError("\(path) is no JSON: \(error)")
        }
        guard case .array(let transactions)? = root["txns"], let end = root["endContent"]?.text else {
            throw ValidationError("\(path) is no editing trace: it has no txns or no endContent")
        }
        name = String(path.split(separator: "/").last?.split(separator: ".").first ?? "trace")
        isConcurrent = root["kind"]?.text == "concurrent"
        endContent = end
        var read: [Transaction] = []
        // What is there before the first transaction is one too: everything is made on it.
        let start = root["startContent"]?.text ?? ""
        let before = start.isEmpty ? 0 : 1
        if before == 1 {
            read.append(
                Transaction(
                    parents: [], agent: 0, patches: [Patch(position: 0, deleted: 0, inserted: start)]))
        }
        for transaction in transactions {
            let last = read.isEmpty ? [] : [read.count - 1]
            var parents = last
            if isConcurrent, let named = transaction["parents"]?.items?.compactMap(\.number) {
                parents = named.isEmpty && before == 1 ? [0] : named.map { $0 + before }
            }
            guard parents.allSatisfy({ $0 < read.count }) else {
                throw ValidationError("\(path) has a transaction before its parents")
            }
            read.append(
                Transaction(
                    parents: parents, agent: transaction["agent"]?.number ?? 0,
                    patches: try (transaction["patches"]?.items ?? []).map { try Self.patch($0, of: path) }))
        }
        self.transactions = read
    }

    var patchCount: Int { transactions.reduce(0) { $0 + $1.patches.count } }

    private static func patch(_ value: PlainValue, of path: String) throws -> Patch {
        guard let parts = value.items, parts.count == 3, let position = parts[0].number,
            let deleted = parts[1].number, let inserted = parts[2].text
        else { throw ValidationError("\(path) has a patch that is not [position, deleted, inserted]") }
        return Patch(position: position, deleted: deleted, inserted: inserted)
    }

    // gzip is on every Debian; a decompressor of our own for a benchmark's input would be one more thing to
    // trust.
    static func output(of command: String, _ path: String) throws -> [UInt8] {
        let quoted = path.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
        guard let pipe = popen("\(command) '\(quoted)'", "r") else {
            throw ValidationError("cannot run \(command): error \(errno)")
        }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = fread(&buffer, 1, buffer.count, pipe)
            if count == 0 { break }
            bytes.append(contentsOf: buffer[..<count])
        }
        guard pclose(pipe) == 0 else { throw ValidationError("cannot read \(path)") }
        return bytes
    }
}

extension PlainValue {
    var text: String? { if case .scalar(.string(let key)) = self { key.string } else { nil } }
    var number: Int? { if case .scalar(.integer(let number)) = self { Int(number) } else { nil } }
    var items: [PlainValue]? { if case .array(let items) = self { items } else { nil } }
}
