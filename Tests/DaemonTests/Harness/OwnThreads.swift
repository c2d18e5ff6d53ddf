// Process tests wait for processes, in POSIX calls. On the threads that all tests share, one a processor,
// they would hold up the others while they wait, and be held up by them: they have threads of their own.

import Foundation
import Testing

/// Runs a suite, and all that is in it, on threads that wait for nobody else.
struct OwnThreads: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(Executor.shared) { try await body() }
    }

    /// More than one: a time limit is a task beside its test.
    private final class Executor: TaskExecutor, @unchecked Sendable {  // `condition` protects `jobs`
        static let shared = Executor(threads: 4)
        private let condition = NSCondition()
        private var jobs: [UnownedJob] = []

        private init(threads: Int) {
            for _ in 0..<threads {
                let thread = Thread { [unowned self] in run() }
                thread.stackSize = 8 << 20
                thread.start()
            }
        }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            condition.withLock {
                jobs.append(job)
                condition.signal()
            }
        }

        private func run() -> Never {
            while true {
                let job = condition.withLock {
                    while jobs.isEmpty { condition.wait() }
                    return jobs.removeFirst()
                }
                job.runSynchronously(on: asUnownedTaskExecutor())
            }
        }
    }
}

extension Trait where Self == OwnThreads {
    static var onOwnThreads: Self { Self() }
}
