// Waiting in process tests: never a plain sleep, always a condition that is looked at again until a
// deadline, and a failure that says what was waited for.

import Foundation

/// Seconds on the clock that nobody sets.
func secondsNow() -> Double { ProcessInfo.processInfo.systemUptime }

/// A bounded wait that ran out.
struct WaitedTooLong: Error, CustomStringConvertible {
    let what: String
    let seconds: Double
    let last: String
    var description: String {
        "waited \(seconds) s for: \(what)" + (last.isEmpty ? "" : "; last seen: \(last)")
    }
}

/// Looks again and again until `condition` holds; returns how long it took.
@discardableResult
func eventually(
    _ what: String, within seconds: Double, every milliseconds: UInt32 = 20, last: () -> String = { "" },
    _ condition: () throws -> Bool
) throws -> Double {
    let start = secondsNow()
    while true {
        if try condition() { return secondsNow() - start }
        guard secondsNow() - start < seconds else {
            throw WaitedTooLong(what: what, seconds: seconds, last: last())
        }
        usleep(milliseconds * 1_000)
    }
}

/// Threads of their own, one an item: tests block in POSIX calls, and the cooperative pool has few threads.
struct Workers: Sendable {
    private let ended = DispatchSemaphore(value: 0)
    private let failure = Shared<(any Error)?>(nil)
    private let count: Int

    init<Item: Sendable>(_ items: [Item], _ work: @escaping @Sendable (Item) throws -> Void) {
        count = items.count
        for item in items {
            let thread = Thread { [ended, failure] in
                do { try work(item) } catch { failure.change { $0 = $0 ?? error } }
                ended.signal()
            }
            thread.stackSize = 1 << 20
            thread.start()
        }
    }

    /// Waits for all; throws the first error of any.
    func finish(within seconds: Double) throws {
        let deadline = DispatchTime.now() + seconds
        for _ in 0..<count where ended.wait(timeout: deadline) == .timedOut {
            throw WaitedTooLong(what: "\(count) threads to end", seconds: seconds, last: "")
        }
        if let error = failure.value { throw error }
    }
}

/// A value that several threads share.
final class Shared<Value>: @unchecked Sendable {  // `lock` protects `held`
    private let lock = NSLock()
    private var held: Value

    init(_ value: Value) { held = value }

    var value: Value { lock.withLock { held } }

    func change<Result>(_ work: (inout Value) -> Result) -> Result { lock.withLock { work(&held) } }
}
