// One value at a time from a task that makes them to one that reads them. The maker waits until its value was
// taken: that is the back-pressure of a live query, which goes on through the socket to the daemon.

import Synchronization

/// A place for one value between one maker and one reader.
final class Handoff<Value: Sendable>: Sendable {
    private enum State {
        case idle
        /// The maker waits for the reader.
        case offered(Value, CheckedContinuation<Bool, Never>)
        /// The reader waits for the maker.
        case wanted(CheckedContinuation<Value?, Never>)
        case over
    }

    private let state = Mutex<State>(.idle)

    /// The tasks that a step lets go on. They are resumed outside the lock: to resume a task may take a lock
    /// of the task, and whoever cancels the task holds that one while `finish` takes ours.
    private struct Resumed {
        var maker: (CheckedContinuation<Bool, Never>, isTaken: Bool)?
        var reader: (CheckedContinuation<Value?, Never>, value: Value?)?

        func resume() {
            maker?.0.resume(returning: maker?.isTaken ?? false)
            reader?.0.resume(returning: reader?.value)
        }
    }

    /// False when nobody reads any more; the value is gone then.
    func send(_ value: Value) async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { maker in
                let resumed = state.withLock { state in
                    switch state {
                    case .idle:
                        state = .offered(value, maker)
                        return Resumed()
                    case .wanted(let reader):
                        state = .idle
                        return Resumed(maker: (maker, true), reader: (reader, value))
                    case .over: return Resumed(maker: (maker, false))
                    case .offered: preconditionFailure("two makers")
                    }
                }
                resumed.resume()
            }
        } onCancel: {
            finish()
        }
    }

    /// Nil when nothing more comes.
    func next() async -> Value? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { reader in
                let resumed = state.withLock { state in
                    switch state {
                    case .idle:
                        state = .wanted(reader)
                        return Resumed()
                    case .offered(let value, let maker):
                        state = .idle
                        return Resumed(maker: (maker, true), reader: (reader, value))
                    case .over: return Resumed(reader: (reader, nil))
                    case .wanted: preconditionFailure("two readers")
                    }
                }
                resumed.resume()
            }
        } onCancel: {
            finish()
        }
    }

    func finish() {
        let resumed = state.withLock { state in
            let before = state
            state = .over
            return switch before {
            case .offered(_, let maker): Resumed(maker: (maker, false))
            case .wanted(let reader): Resumed(reader: (reader, nil))
            case .idle, .over: Resumed()
            }
        }
        resumed.resume()
    }
}
