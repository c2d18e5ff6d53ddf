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

    /// False when nobody reads any more; the value is gone then.
    func send(_ value: Value) async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { maker in
                let reader: CheckedContinuation<Value?, Never>? = state.withLock { state in
                    switch state {
                    case .idle:
                        state = .offered(value, maker)
                        return nil
                    case .wanted(let reader):
                        state = .idle
                        maker.resume(returning: true)
                        return reader
                    case .over:
                        maker.resume(returning: false)
                        return nil
                    case .offered: preconditionFailure("two makers")
                    }
                }
                reader?.resume(returning: value)
            }
        } onCancel: {
            finish()
        }
    }

    /// Nil when nothing more comes.
    func next() async -> Value? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { reader in
                state.withLock { state in
                    switch state {
                    case .idle: state = .wanted(reader)
                    case .offered(let value, let maker):
                        state = .idle
                        maker.resume(returning: true)
                        reader.resume(returning: value)
                    case .over: reader.resume(returning: nil)
                    case .wanted: preconditionFailure("two readers")
                    }
                }
            }
        } onCancel: {
            finish()
        }
    }

    func finish() {
        state.withLock { state in
            switch state {
            case .offered(_, let maker): maker.resume(returning: false)
            case .wanted(let reader): reader.resume(returning: nil)
            case .idle, .over: break
            }
            state = .over
        }
    }
}
