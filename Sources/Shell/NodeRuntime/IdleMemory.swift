// Memory that an idle process can do without: free pages of the heap, and pages of code. A program is mapped
// in pieces of 64 KiB around whatever ran once, so that after its start two thirds of it are resident and a
// few hundredths of that are needed. The kernel drops them under pressure anyway; a small box should not have
// to be under pressure first. What is needed again is mapped from the page cache, a microsecond a piece.

import Glibc

public enum IdleMemory {
    /// Gives both back. Takes a fraction of a millisecond.
    public static func giveBack() {
        // Not in a header that Swift's Glibc has, and in no other C library: looked up by name.
        if let trim = dlsym(nil, "malloc_trim") {
            _ = unsafeBitCast(trim, to: (@convention(c) (Int) -> Int32).self)(0)
        }
        for (start, count) in codePages() {
            // Only a hint: what fails leaves everything as it was.
            _ = madvise(UnsafeMutableRawPointer(bitPattern: start), count, MADV_DONTNEED)
        }
    }

    /// Code mapped from files. Nobody writes to these pages, so they can always be read from there again;
    /// data, read-only data included, holds what the loader wrote.
    static func codePages() -> [(start: UInt, count: Int)] {
        var found: [(start: UInt, count: Int)] = []
        for line in maps().split(separator: UInt8(ascii: "\n")) {
            // start-end permissions offset device inode path
            let fields = line.split(separator: UInt8(ascii: " "))
            guard fields.count >= 6, fields[1].elementsEqual("r-xp".utf8),
                fields[5].first == UInt8(ascii: "/")
            else { continue }
            let ends = fields[0].split(separator: UInt8(ascii: "-")).map {
                UInt(String(decoding: $0, as: UTF8.self), radix: 16)
            }
            guard ends.count == 2, let start = ends[0], let end = ends[1], start < end else { continue }
            found.append((start, Int(end - start)))
        }
        return found
    }

    private static func maps() -> [UInt8] {
        let descriptor = open("/proc/self/maps", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            guard count > 0 else { return bytes }
            bytes += chunk[..<count]
        }
    }
}
