// The bytes of a file descriptor (standard input) as they come. Reading blocks, so it has a thread of the
// pool; and a reader that is not wanted any more must come back even though nobody types, so it waits with
// poll on a pipe of its own too.

import Glibc
import NIOPosix

/// Why a descriptor gives no more bytes.
public struct DescriptorFailure: Error, Equatable, Sendable {
    public let message: String
}

/// What can be read from a descriptor, piece by piece, up to its end. The descriptor stays the caller's.
public struct DescriptorBytes: AsyncSequence, Sendable {
    let descriptor: CInt
    static let pieceBytesMax = 64 << 10

    public init(_ descriptor: CInt) { self.descriptor = descriptor }

    public struct AsyncIterator: AsyncIteratorProtocol {
        let descriptor: CInt
        private var waker: Waker?

        init(_ descriptor: CInt) { self.descriptor = descriptor }

        public mutating func next() async throws -> [UInt8]? {
            let waker = try self.waker ?? Waker()
            self.waker = waker
            let descriptor = descriptor
            return try await withTaskCancellationHandler {
                try await NIOThreadPool.singleton.runIfActive { try waker.read(descriptor) }
            } onCancel: {
                waker.wake()
            }
        }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(descriptor) }
}

/// A pipe that ends a wait.
private final class Waker: Sendable {
    private let (readEnd, writeEnd): (CInt, CInt)

    init() throws(DescriptorFailure) {
        var ends: [CInt] = [0, 0]
        guard pipe(&ends) == 0 else { throw DescriptorFailure(message: String(cString: strerror(errno))) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    func wake() {
        var byte: UInt8 = 0
        // One byte always fits an empty pipe.
        _ = write(writeEnd, &byte, 1)
    }

    /// The next bytes; nil at the end. Blocks.
    func read(_ descriptor: CInt) throws -> [UInt8]? {
        // poll waits on a number that is none for ever.
        guard descriptor >= 0 else { throw DescriptorFailure(message: String(cString: strerror(EBADF))) }
        var piece = [UInt8](repeating: 0, count: DescriptorBytes.pieceBytesMax)
        while true {
            var waits = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&waits, 2, -1) >= 0 || errno == EINTR else {
                throw DescriptorFailure(message: String(cString: strerror(errno)))
            }
            if waits[1].revents != 0 { throw CancellationError() }
            guard waits[0].revents != 0 else { continue }
            let count = Glibc.read(descriptor, &piece, piece.count)
            if count == 0 { return nil }
            if count > 0 { return Array(piece[..<count]) }
            guard errno == EINTR || errno == EAGAIN else {
                throw DescriptorFailure(message: String(cString: strerror(errno)))
            }
        }
    }
}
