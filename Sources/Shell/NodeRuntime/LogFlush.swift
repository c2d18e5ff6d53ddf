// Lines that the throttle held back are told when their time is over, also when nothing else is logged.

public import ServiceLifecycle

/// Looks after a log's throttle.
public struct LogFlush: Service {
    private let sink: LogSink

    public init(_ sink: LogSink) { self.sink = sink }

    public func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                // Ends early when cancelled; the loop's condition sees it.
                do { try await Task.sleep(for: .milliseconds(RuntimeLimits.logRepeatMilliseconds)) } catch {
                    break
                }
                sink.flush()
            }
        }
        sink.flush(at: .max)
    }
}
