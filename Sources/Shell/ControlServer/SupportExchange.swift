// The support tar: asks the node for one report after the other, as any client may, adds what the daemon
// knows of its process and files, and answers with the archive as a whole.

public import ControlAPI
import Glibc
import NIOCore
import Node
import NodeRuntime

/// What the daemon adds; made on a thread that may wait for the disk.
public struct SupportSources: Sendable {
    let files: @Sendable () -> [SupportFile]

    public init(_ files: @escaping @Sendable () -> [SupportFile]) { self.files = files }

    public static let none = SupportSources { [] }
}

/// Asks until there is nothing left to ask.
final class SupportExchange: Exchange {
    private let context: ExchangeContext
    private let sources: SupportSources
    private let keepsAddresses: Bool
    /// Still to be asked, the next last.
    private var questions = Array(SupportQuestion.ofNode.reversed())
    private var files: [SupportFile] = []
    private var asked: RequestID?
    private var isOver = false

    init(_ context: ExchangeContext, _ sources: SupportSources, keepsAddresses: Bool) {
        (self.context, self.sources, self.keepsAddresses) = (context, sources, keepsAddresses)
    }

    func start() { askNext() }

    func cancel() {
        isOver = true
        if let asked { context.gateway.cancel(asked) }
    }

    func stop() {
        guard !isOver else { return }
        cancel()
        context.answerStopping()
    }

    private func refuse(_ error: APIError) {
        isOver = true
        context.writer.send(WholeAnswer(error))
    }

    private func askNext() {
        guard let question = questions.popLast() else { return addOwn() }
        asked = context.submit(question.request) { [self] answer in
            guard !isOver else { return }
            asked = nil
            if case .failed(.stopping) = answer { return stop() }
            // Since it began; half a report is none.
            if case .failed(.notGranted(let refusal)) = answer { return refuse(APIError(refusal)) }
            if case .spaces(let spaces) = answer {
                let each = spaces.prefix(SupportQuestion.spacesMax).enumerated().flatMap {
                    SupportQuestion.of($0.element, number: $0.offset + 1)
                }
                questions.insert(contentsOf: each.reversed(), at: 0)
            }
            guard let file = question.file(answer) else {
                preconditionFailure("no answer to \(question.request): \(answer)")
            }
            files.append(file)
            askNext()
        }
    }

    private func addOwn() {
        context.pool.run(on: context.writer.eventLoop) { [sources, files, keepsAddresses] in
            SupportReport.tar(
                files + sources.files(), keepsAddresses: keepsAddresses, seconds: UInt64(max(0, time(nil))))
        }.assumeIsolated().whenComplete { [self] result in
            guard !isOver else { return }
            isOver = true
            switch result {
            case .success(let tar): context.writer.send(.support(tar))
            case .failure: context.answerStopping()
            }
        }
    }
}
