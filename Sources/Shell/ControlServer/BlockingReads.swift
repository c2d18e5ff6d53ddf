// Long reads block on the disk, so their pieces are made on threads of their own and hop back to the event
// loop. One piece of a read is made at a time: a client that reads slowly holds one piece in memory, not the
// rest.

import Glibc
import NIOCore
import NIOPosix
import Node

/// The threads that long reads are made on.
struct BlockingReads: Sendable {
    let threads: NIOThreadPool

    /// The next piece of the job, nil at its end.
    func next(of job: any ReadJob, on loop: any EventLoop) -> EventLoopFuture<[UInt8]?> {
        threads.runIfActive(eventLoop: loop) { try job.next() }
    }

    /// What `work` gives.
    func run<Result: Sendable>(
        on loop: any EventLoop, _ work: @escaping @Sendable () -> Result
    ) -> EventLoopFuture<Result> {
        threads.runIfActive(eventLoop: loop) { work() }
    }

    /// The next step of a listing's page.
    func step(_ listing: any Listing, on loop: any EventLoop) -> EventLoopFuture<ListingPage?> {
        threads.runIfActive(eventLoop: loop) { try listing.step() }
    }
}

/// A copy of the store, read piece by piece. Its name is removed when it is opened, so it is gone when it was
/// read, whatever happens.
final class BackupFile: ReadJob {
    private static let pieceBytes = 256 << 10
    private let path: String
    private let descriptor: Int32
    /// Held until the copy is gone.
    private let turn: BackupTurn

    init(path: String, _ turn: BackupTurn) throws(StoreFailure) {
        (self.turn, self.path) = (turn, path)
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        let status = errno
        unlink(path)
        guard descriptor >= 0 else {
            throw Self.failure(status, doing: "opening", path)
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    private static func failure(_ code: Int32, doing: String, _ path: String) -> StoreFailure {
        let words = String(cString: strerror(code))
        return .failed(
            FailedStep(doing: "\(doing) the backup", path: path, answer: .system(code: code, words: words)))
    }

    func next() throws(StoreFailure) -> [UInt8]? {
        var piece = [UInt8](repeating: 0, count: Self.pieceBytes)
        while true {
            let count = read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw Self.failure(errno, doing: "reading", path)
            }
            return count == 0 ? nil : Array(piece[..<count])
        }
    }
}
