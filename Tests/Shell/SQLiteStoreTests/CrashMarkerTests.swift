// A process that traps says so to the next one. The trap happens in a process of the test's own.

import Foundation
import NodeRuntime
import SQLiteStore
import Testing

/// Uses up the stack, for what it matters.
@inline(never) private func deeper(_ depth: Int) -> Int {
    if depth == .max { return 0 }
    var here = (depth, depth &+ 1)
    return withUnsafeBytes(of: &here) { deeper(depth + 1) &+ Int($0[0]) }
}

@Suite struct CrashMarkerTests {
    @Test("a marker is taken once, and is not there without a trap")
    func taken() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(!CrashMarker.take(in: folder.path))
        #expect(FileManager.default.createFile(atPath: folder.path + "/crashed", contents: nil))
        #expect(CrashMarker.take(in: folder.path))
        #expect(!CrashMarker.take(in: folder.path))
    }

    @Test("a process that traps leaves the marker, and still dies of its signal")
    func trap() async throws {
        let folder = NSTemporaryDirectory() + "repld-trap"
        mkdir(folder, 0o700)
        _ = CrashMarker.take(in: folder)
        await #expect(processExitsWith: .failure) {
            CrashMarker.arm(in: NSTemporaryDirectory() + "repld-trap")
            preconditionFailure("on purpose")
        }
        #expect(CrashMarker.take(in: folder))
        await #expect(processExitsWith: .success) {
            CrashMarker.arm(in: NSTemporaryDirectory() + "repld-trap")
            exit(0)
        }
        #expect(!CrashMarker.take(in: folder))
        rmdir(folder)
    }

    @Test("a thread whose stack overflows leaves the marker too")
    func overflow() async throws {
        let folder = NSTemporaryDirectory() + "repld-overflow"
        mkdir(folder, 0o700)
        _ = CrashMarker.take(in: folder)
        await #expect(processExitsWith: .failure) {
            CrashMarker.arm(in: NSTemporaryDirectory() + "repld-overflow")
            DedicatedThread.start("overflow") { print(deeper(0)) }
            sleep(60)
            exit(0)
        }
        #expect(CrashMarker.take(in: folder))
        rmdir(folder)
    }
}
