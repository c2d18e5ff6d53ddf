// The requests of one connection, one after the other: the gate's verdict is carried out, and what the daemon
// answers is passed on piece by piece. Nothing is read from the daemon that the browser does not take: a
// piece is written before the next one is asked for.

import NIOCore
import NIOHTTP1
import ReplClient

/// Carries out what the gate says.
struct ConsoleExchanges: Sendable {
    typealias Inbound = NIOAsyncChannelInboundStream<HTTPServerRequestPart>
    typealias Outbound = NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>

    let gate: ConsoleGate
    let client: ReplClient
    let limits: ConsoleLimits

    /// Headers of a call that reach the daemon, and of its answer that reach the page.
    private static let passedOn: Set = ["idempotency-key", "repl-at-least"]
    private static let passedBack: Set = ["content-type", "repl-cursor"]

    func run(_ inbound: Inbound, _ outbound: Outbound) async throws {
        var parts = inbound.makeAsyncIterator()
        while let part = try await parts.next() {
            guard case .head(let head) = part else { continue }
            guard try await exchange(head, &parts, outbound) else { return }
        }
    }

    /// False when the connection ends with this answer.
    private func exchange(
        _ head: HTTPRequestHead, _ parts: inout Inbound.AsyncIterator, _ outbound: Outbound
    ) async throws -> Bool {
        let request = ConsoleRequest(
            method: head.method.rawValue, target: head.uri,
            headers: head.headers.map { (name: $0.name, value: $0.value) })
        var verdict = gate.judge(request)
        var body: [UInt8]?
        if verdict.takesBody {
            let bytesMax = verdict == .code ? limits.codeBytesMax : limits.bodyBytesMax
            body = try await Self.body(&parts, bytesMax: bytesMax)
            if body == nil { verdict = .refused(.bodyTooLarge(limit: bytesMax), asPage: false) }
        }
        // What was refused early may still be on its way; an answer to a sender that is cut off is lost.
        if body == nil, try await !Self.discard(&parts, bytesMax: limits.discardedBytesMax) { return false }
        let keeps = head.isKeepAlive && !head.headers.contains(name: "upgrade")
        if case .call(let route, let target) = verdict {
            try await pass(route, target, request, body, outbound, closes: !keeps)
        } else {
            let answer = answer(to: verdict, body)
            try await send(
                answer, outbound, isPage: verdict.isPage, isHead: head.method == .HEAD, closes: !keeps)
        }
        return keeps
    }

    private func answer(to verdict: ConsoleVerdict, _ body: [UInt8]?) -> ConsoleAnswer {
        switch verdict {
        case .opens: return .opening(gate)
        case .page(let page): return .whole(200, page.type, page.bytes)
        case .refused(let refusal, let asPage): return .refusal(refusal, asPage: asPage)
        case .code:
            guard let body, String(validating: body, as: UTF8.self) != nil, let code = QRCode(body) else {
                return .refusal(.badText, asPage: false)
            }
            return .json(200, code.json)
        case .call: preconditionFailure("calls are passed on")
        }
    }

    // MARK: Bodies

    /// The body of a request; nil when it is larger than it may be: the rest of it is still to come.
    private static func body(
        _ parts: inout Inbound.AsyncIterator, bytesMax: Int
    ) async throws -> [UInt8]? {
        var body: [UInt8] = []
        while let part = try await parts.next() {
            switch part {
            case .head: continue
            case .body(let piece):
                guard body.count + piece.readableBytes <= bytesMax else { return nil }
                body += piece.readableBytesView
            case .end: return body
            }
        }
        throw ClientError.cut
    }

    /// Reads to the end of a request; false when that is too far.
    private static func discard(
        _ parts: inout Inbound.AsyncIterator, bytesMax: Int
    ) async throws -> Bool {
        var left = bytesMax
        while let part = try await parts.next() {
            switch part {
            case .head: continue
            case .body(let piece):
                left -= piece.readableBytes
                guard left >= 0 else { return false }
            case .end: return true
            }
        }
        return false
    }

    // MARK: Answers

    private func send(
        _ answer: ConsoleAnswer, _ outbound: Outbound, isPage: Bool, isHead: Bool, closes: Bool
    ) async throws {
        try await outbound.write(
            .head(answer.head(isPage: isPage, closes: closes, length: answer.body.count)))
        if !isHead, !answer.body.isEmpty {
            try await outbound.write(.body(.byteBuffer(ByteBuffer(bytes: answer.body))))
        }
        try await outbound.write(.end(nil))
    }

    private func pass(
        _ route: ConsoleRoute, _ target: String, _ request: ConsoleRequest, _ body: [UInt8]?,
        _ outbound: Outbound, closes: Bool
    ) async throws {
        var call = ClientRequest(route.method, target: target, body: route.hasBody ? body : nil)
        call.headers = request.headers.filter { Self.passedOn.contains($0.name.lowercased()) }
        let failure: ConsoleAnswer
        // An answer that is cut short ends the connection, so that the page sees that it is.
        var isBegun = false
        do {
            try await client.stream(call) { answer in
                isBegun = true
                let head = ConsoleAnswer(
                    status: answer.status,
                    headers: answer.headers.filter { Self.passedBack.contains($0.name.lowercased()) })
                try await outbound.write(.head(head.head(isPage: false, closes: closes, length: nil)))
                for try await piece in answer.pieces {
                    try await outbound.write(.body(.byteBuffer(ByteBuffer(bytes: piece))))
                }
                try await outbound.write(.end(nil))
            }
            return
        } catch ClientError.refused(let refusal, let body) {
            failure = .json(refusal.status, body)
        } catch let error as ClientError where !isBegun {
            failure = .json(
                502, ConsoleRefusal.json(code: error.code, message: error.message, hint: error.hint))
        }
        try await send(failure, outbound, isPage: false, isHead: false, closes: closes)
    }
}

extension ConsoleVerdict {
    /// A person sees it: it has the policy of our own page. One that is shut in a sandbox would lead on as if
    /// it were a stranger's.
    fileprivate var isPage: Bool {
        switch self {
        case .opens, .page: true
        case .refused(_, let asPage): asPage
        case .call, .code: false
        }
    }

    fileprivate var takesBody: Bool {
        switch self {
        case .code: true
        case .call(let route, _): route.hasBody
        default: false
        }
    }
}

extension ClientError {
    /// As the API writes codes.
    fileprivate var code: String {
        switch self {
        case .unreachable: "unreachable"
        case .timedOut: "no-answer"
        case .cut: "connection-cut"
        case .malformed: "malformed-answer"
        case .refused(let refusal, _): refusal.code
        }
    }
}
