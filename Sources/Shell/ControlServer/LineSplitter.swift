// Cuts the body of a stream into lines, at whatever places its pieces were cut on the way. A line over the
// limit is told once and skipped to its end; it is never kept.

import Glibc
import NIOCore

/// A line of a stream.
enum StreamLine: Equatable {
    case bytes([UInt8])
    case tooLong
}

struct LineSplitter {
    /// Bytes that are not handed out yet.
    private var buffer = ByteBuffer()
    /// Readable bytes that are known to hold no LF.
    private var searched = 0
    /// The rest of a line that was too long is being thrown away.
    private var isSkipping = false
    private let lineBytesMax: Int

    init(lineBytesMax: Int) { self.lineBytesMax = lineBytesMax }

    /// Bytes held.
    var count: Int { buffer.readableBytes }
    /// Room taken for them.
    var capacity: Int { buffer.capacity }

    /// Linear over the whole stream: what was handed out is dropped once it is more than what is left.
    mutating func append(_ piece: ByteBuffer) {
        if buffer.readerIndex > buffer.readableBytes { buffer.discardReadBytes() }
        var piece = piece
        buffer.writeBuffer(&piece)
    }

    /// The next whole line without its LF; empty lines are passed over. With `atEnd` the last needs no LF.
    mutating func next(atEnd: Bool = false) -> StreamLine? {
        while true {
            guard let length = lengthOfLine() else {
                if buffer.readableBytes > lineBytesMax || isSkipping { return skip() }
                guard atEnd else { return nil }
                searched = 0
                return take(buffer.readableBytes).map(StreamLine.bytes)
            }
            searched = 0
            let wasSkipped = isSkipping
            isSkipping = false
            let line = take(length)
            buffer.moveReaderIndex(forwardBy: 1)
            if buffer.readableBytes == 0 { buffer.clear() }
            if wasSkipped { continue }
            if let line { return line.count > lineBytesMax ? .tooLong : .bytes(line) }
        }
    }

    /// Throws away what is held of a line over the limit; tells it the first time.
    private mutating func skip() -> StreamLine? {
        let isNew = !isSkipping
        isSkipping = true
        searched = 0
        buffer.clear()
        return isNew ? .tooLong : nil
    }

    /// Nil when the line is empty (or only a CR).
    private mutating func take(_ length: Int) -> [UInt8]? {
        guard var line = buffer.readBytes(length: length) else { return nil }
        if line.last == 0x0D { line.removeLast() }
        return line.isEmpty ? nil : line
    }

    private mutating func lengthOfLine() -> Int? {
        let found = buffer.withUnsafeReadableBytes { bytes -> Int? in
            guard searched < bytes.count, let base = bytes.baseAddress else { return nil }
            return memchr(base + searched, 0x0A, bytes.count - searched).map {
                $0 - UnsafeMutableRawPointer(mutating: base)
            }
        }
        if found == nil { searched = buffer.readableBytes }
        return found
    }
}
