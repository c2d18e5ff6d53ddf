// What programs send: JSON, transactions, typed lines, request targets.

import Bytes
import Causality
import ControlAPI
import Documents
import Node
import Wire

enum TextProperties {
    static func json(_ bytes: [UInt8]) -> String? {
        guard let value = try? JSONReader.read(bytes) else { return nil }
        var text: [UInt8] = []
        CanonicalJSON.append(value, to: &text)
        // A binary64 above 2^53 is written as an integer is (RFC 8785), so it may read back as one; its text
        // stays.
        let depth = JSONReader.depthMax
        guard let again = try? JSONReader.read(text, depthMax: depth) else {
            return "the canonical text is refused"
        }
        var twice: [UInt8] = []
        CanonicalJSON.append(again, to: &twice)
        return twice == text ? nil : "the canonical text says something else"
    }

    /// The operations of a transaction, planned one after the other as a node does, then executed by another
    /// replica that was not there.
    static func transaction(_ bytes: [UInt8]) -> String? {
        guard let transaction = try? TransactionReader.read(line: bytes) else { return nil }
        var (here, there) = (samples(), samples())
        var next = Dot(FuzzKeys.otherReplica, SequenceNumber(1))
        let timestamp = Timestamp(milliseconds: 5_000)
        var context = VersionVector()
        context.advance(FuzzKeys.replica, to: SequenceNumber(1 << 20))
        for request in transaction.operations.prefix(8) {
            var document = here[request.document] ?? Document(key: request.document)
            let before = document.encodeSnapshot()
            guard
                let authored = try? document.author(
                    request, dot: next, timestamp: timestamp, context: context)
            else {
                if document.encodeSnapshot() != before { return "a refused request changed something" }
                continue
            }
            document.checkInvariants()
            here[request.document] = document
            var stamps: [OperationStamp] = []
            for operation in authored.operations {
                let stamp = OperationStamp(dot: next, timestamp: timestamp, context: context)
                if !operation.isStaticallyValid(stamp) { return "an authored operation is invalid" }
                stamps.append(stamp)
                next = next.advanced(by: operation.sequenceCount)
            }
            _ = there[request.document, default: Document(key: request.document)].apply(
                authored.operations, stamps: stamps)
        }
        for (key, document) in here {
            let other = there[key] ?? Document(key: key)
            if document.encodeSnapshot() != other.encodeSnapshot() {
                return "\(key) differs at the other replica"
            }
        }
        return nil
    }

    /// A document "d" that holds one container of each kind, by key: m l o s r t c, and a register v.
    private static func samples() -> [Key: Document] { ["d": sampleDocument] }
    private static let sampleDocument: Document = FuzzSamples.document()

    static func typed(_ bytes: [UInt8]) -> String? {
        guard let request = try? TypedValueReader.read(line: bytes) else { return nil }
        guard let first = restored(request), let typed = first.typed else { return nil }
        var line = Array(#"{"key":"#.utf8)
        CanonicalJSON.append(request.document, to: &line)
        line += Array(#","value":"#.utf8)
        CanonicalJSON.append(typed, to: &line)
        line.append(UInt8(ascii: "}"))
        guard let again = try? TypedValueReader.read(line: line), let second = restored(again) else {
            return "an exported document is refused"
        }
        return second.plain == first.plain ? nil : "an imported document shows something else"
    }

    private static func restored(_ request: OperationRequest) -> Document? {
        var document = Document(key: request.document)
        let authored = try? document.author(
            request, dot: Dot(FuzzKeys.replica, SequenceNumber(1)), timestamp: Timestamp(milliseconds: 1),
            context: VersionVector())
        guard authored != nil else { return nil }
        document.checkInvariants()
        return document
    }

    /// The first byte picks a method and headers.
    static func request(_ bytes: [UInt8]) -> String? {
        guard let (choice, rest) = split(bytes) else { return nil }
        let methods = ["GET", "POST", "DELETE", "HEAD", "PUT"]
        let target = String(decoding: rest, as: UTF8.self)
        let headers = [
            [], [("content-type", "application/json")], [("idempotency-key", target)],
            [("accept", "text/event-stream")], [("repl-at-least", target)],
        ].map { $0.map { (name: $0.0, value: $0.1) } }
        let head = RequestHead(
            method: methods[choice % methods.count], target: target,
            headers: headers[choice / 5 % headers.count],
            hasBody: choice % 2 == 0)
        do throws(APIError) {
            let routed = try Router.route(head, caller: choice & 64 == 0 ? .owner : .groupMember)
            if case .take(let body) = routed.endpoint { _ = try? body.request(body: Array(target.utf8)) }
        } catch {
            if !(400..<500).contains(error.status) { return "a request is answered \(error.status)" }
        }
        return nil
    }
}
