// A request that the node answers with one value, with stages (join), or with a long read (export, log,
// backup).

import Bytes
import ControlAPI
import Glibc
import NIOCore
import Node
import NodeRuntime

/// Asks once and passes on what comes.
final class AskExchange: Exchange {
    private let context: ExchangeContext
    private let routed: RoutedRequest
    /// Nil until the body is whole.
    private var request: NodeRequest?
    private let bodyRequest: BodyRequest?
    private var body: [UInt8] = []
    /// What the node works on for us.
    private var asked: RequestID?
    private var read: LongRead?
    /// Of a backup that is asked for: until its copy is handed to `read`, or removed.
    private var turn: BackupTurn?
    private var isOver = false

    init(_ context: ExchangeContext, _ routed: RoutedRequest, request: NodeRequest) {
        (self.context, self.routed, self.request, bodyRequest) = (context, routed, request, nil)
    }

    init(_ context: ExchangeContext, _ routed: RoutedRequest, body: BodyRequest) {
        (self.context, self.routed, request, bodyRequest) = (context, routed, nil, body)
    }

    func start() {
        guard let request else { return }
        // Long reads show one state, so the version they must hold is waited for first; it stays held.
        if let atLeast = routed.atLeast, let space = request.longReadSpace {
            let first = NodeRequest.listDocuments(
                space, prefix: request.longReadPrefix, after: nil, limit: 1, atLeast: atLeast)
            asked = context.submit(first) { [self] answer in
                guard !isOver else { return }
                if case .failed = answer { self.answer(answer) } else { ask(request) }
            }
        } else {
            ask(request)
        }
    }

    func receive(_ piece: ByteBuffer) {
        guard bodyRequest != nil, !isOver else { return }
        guard body.count + piece.readableBytes <= context.limits.bodyBytesMax else {
            return finish(WholeAnswer(.bodyTooLarge(limit: context.limits.bodyBytesMax)))
        }
        body.append(contentsOf: piece.readableBytesView)
    }

    func receiveEnd() {
        guard let bodyRequest, !isOver else { return }
        do throws(APIError) {
            ask(try bodyRequest.request(body: body))
        } catch {
            finish(WholeAnswer(error))
        }
        body = []
    }

    func writabilityChanged() { read?.goOn() }

    func cancel() {
        isOver = true
        read?.cancel()
        if let asked { context.gateway.cancel(asked) }
    }

    /// What the node is about to answer ends by itself. A read that nobody takes, a join that nobody answers
    /// and a wait for other devices do not.
    func stop() {
        guard !isOver else { return }
        if read != nil {
            cancel()
            context.writer.abort()
        } else if context.writer.isHeadSent {
            cancel()
            line(.failed(.stopping))
        } else if isWaiting {
            cancel()
            context.answerStopping()
        }
    }

    /// What waits or is being read shows no more of what the caller may not see.
    func accessChanged() {
        guard !isOver else { return }
        if read != nil {
            cancel()
            context.writer.abort()
        } else if asked != nil, isWaiting, !context.writer.isHeadSent {
            cancel()
            let refusal = AccessRefusal(.changed, grants: context.grants() ?? AccessGrants([]))
            context.writer.send(WholeAnswer(APIError(refusal)))
        }
    }

    /// Its body is not whole, or it waits for what may never come: no change of ours is on its way.
    private var isWaiting: Bool { asked == nil || routed.route.name == .wait || routed.atLeast != nil }

    private func ask(_ request: NodeRequest) {
        if case .backup = request {
            turn = context.backups.take()
            if turn == nil {
                return finish(WholeAnswer(APIError(NodeError.tooMany(what: "backups", limit: 1))))
            }
        }
        asked = context.submit(request) { [self] in answer($0) }
    }

    private func answer(_ answer: NodeAnswer) {
        guard !isOver else { return discard(answer) }
        if answer.isFinal { asked = nil }
        switch answer {
        case .joinStage, .joined: line(answer)
        case .failed where context.writer.isHeadSent: line(answer)
        case .reading(let job, let cursor):
            let type = routed.route.answer.contents.first?.type ?? WholeAnswer.lines
            stream(job, type, headers: [("Repl-Cursor", cursor)])
        case .backup(let path):
            guard let turn = turn.take() else { preconditionFailure("a backup is made in its turn") }
            do throws(StoreFailure) {
                stream(try BackupFile(path: path, turn), WholeAnswer.bytes, headers: [])
            } catch {
                finish(WholeAnswer(APIError(NodeError.storeFailed(error))))
            }
        default:
            guard let whole = WholeAnswer(answer, to: routed.route) else {
                preconditionFailure("no answer to \(routed.route.name): \(answer)")
            }
            finish(whole)
        }
    }

    /// Nobody waits for it any more; the copy that a backup has made goes all the same.
    private func discard(_ answer: NodeAnswer) {
        if case .backup(let path) = answer { unlink(path) }
        if answer.isFinal { turn = nil }
    }

    private func finish(_ answer: WholeAnswer) {
        isOver = true
        turn = nil
        context.writer.send(answer)
    }

    /// A line of a join.
    private func line(_ answer: NodeAnswer) {
        guard let line = AnswerLine.join(answer) else { return }
        if !context.writer.isHeadSent { context.writer.begin(WholeAnswer.lines) }
        context.writer.write(line)
        if answer.isFinal {
            isOver = true
            context.writer.end()
        }
    }

    private func stream(_ job: any ReadJob, _ contentType: String, headers: [(name: String, value: String)]) {
        let read = LongRead(context, job, contentType: contentType, headers: headers)
        self.read = read
        read.goOn()
    }
}

extension NodeRequest {
    /// The space of a request that is answered by a long read.
    fileprivate var longReadSpace: SpaceReference? {
        switch self {
        case .export(let space, _, _), .conflicts(let space, _), .log(let space, _, _): space
        default: nil
        }
    }

    /// Of the documents that it is about: a caller may have nothing of others.
    fileprivate var longReadPrefix: Key {
        switch self {
        case .export(_, _, let prefix): prefix
        case .conflicts(_, let query): query.document ?? query.prefix
        case .log(_, _, let document): document ?? ""
        default: ""
        }
    }
}
