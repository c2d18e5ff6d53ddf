// What an imported document takes of memory, measured in a process that has done nothing else: an allocator
// that replayed a trace before would hand out what it still holds. The peers are measured in the same way.

import ArgumentParser
import Bytes
import Causality
import Documents
import Glibc
import Wire

enum MemoryBench {
    /// Runs `replbench memory` on the block: resident bytes over an empty document.
    static func measure(_ block: [UInt8]) throws(BenchFailure) -> (imported: Int, edited: Int) {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/block"
        guard let file = fopen(path, "w") else { throw BenchFailure("cannot write \(path)") }
        let written = fwrite(block, 1, block.count, file)
        guard fclose(file) == 0, written == block.count else { throw BenchFailure("cannot write \(path)") }
        var program = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        guard readlink("/proc/self/exe", &program, Int(PATH_MAX)) > 0 else {
            throw BenchFailure("this program has no path")
        }
        let name = String(decoding: program.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let output = "\(directory.path)/output"
        try ChildProcess("memory", [name, "memory", path], output: output).wait()
        let numbers = ChildProcess.read(output).split(separator: " ").compactMap { Int($0) }
        guard numbers.count == 2 else { throw BenchFailure("replbench memory \(path) fails") }
        return (numbers[0], numbers[1])
    }
}

/// What `engine` starts.
struct Memory: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints the memory that a block takes as a document, as imported and after an edit.",
        shouldDisplay: false)

    @Argument(help: "A file with a block.")
    var file: String

    func run() throws {
        let block = try Trace.output(of: "cat", file)
        let path = Replay.path
        // Whatever the first of its kind allocates for good, and the pages of code that run, are not the
        // document's: another one was imported and edited before, as the peers do.
        guard let history = Self.smallBlock(), var small = EngineBench.imported(history) else {
            throw ExitCode(1)
        }
        _ = Self.edit(&small, path)
        let before = ProcessorClock.residentBytes()
        guard var document = EngineBench.imported(block) else { throw ExitCode(1) }
        let imported = ProcessorClock.residentBytes() - before
        guard Self.edit(&document, path) else { throw ExitCode(1) }
        print(imported, ProcessorClock.residentBytes() - before, terminator: " ")
        withExtendedLifetime((small, document)) {}
    }

    /// A history of a few sentences, typed and taken back.
    private static func smallBlock() -> [UInt8]? {
        let replica = ReplicaID(raw: Bytes16(high: 1, low: 1))
        var document = Document(key: Replay.key)
        var changes: [Change] = []
        var next = SequenceNumber(1)
        for time in 1...40 as ClosedRange<UInt64> {
            let isDeletion = time % 4 == 0
            let request = OperationRequest(
                document: Replay.key, path: Replay.path,
                verb: .splice(
                    index: Int(time) - 1, delete: isDeletion ? 3 : 0,
                    insert: isDeletion ? "" : "the \(time)th sentence of it "))
            guard let authored = author(request, in: &document, Dot(replica, next), time) else { return nil }
            let declaration = Change.Declaration(device: DeviceID(publicKey: .zero), incarnation: 1)
            let change = Change(
                replica: replica, first: next, timestamp: Timestamp(milliseconds: time),
                context: VersionVector(), declaration: time == 1 ? declaration : nil, rosterHeads: [],
                operations: authored)
            changes.append(change)
            next = change.last + 1
        }
        return BlockEncoder.encode(changes)
    }

    private static func author(
        _ request: OperationRequest, in document: inout Document, _ dot: Dot, _ time: UInt64
    ) -> [Operation]? {
        do throws(AuthorError) {
            return try document.author(
                request, dot: dot, timestamp: Timestamp(milliseconds: time), context: VersionVector(),
                wantsPatches: false
            ).operations
        } catch {
            return nil
        }
    }

    private static func edit(_ document: inout Document, _ path: [PathElement]) -> Bool {
        let request = OperationRequest(
            document: document.key, path: path, verb: .splice(index: 0, delete: 0, insert: "x"))
        let dot = Dot(ReplicaID(raw: Bytes16(high: .max, low: .max)), SequenceNumber(1))
        return author(request, in: &document, dot, 1 << 40) != nil
    }
}
