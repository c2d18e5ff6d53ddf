// Operations of tags from 64 on. They came after the first version, so they have one form that every version
// can keep and relay without knowing what it means: a document, a count of sequences, a payload. What this
// version knows of them is made here, from that form and back to it (WIRE.md, "Acknowledgements").

public import Bytes

extension Operation {
    /// The form of an operation that an older version keeps.
    public struct Extension: Hashable, Sendable {
        public let tag: UInt64
        public let document: Key
        public let sequenceCount: Int
        public let payload: [UInt8]

        public init(tag: UInt64, document: Key, sequenceCount: Int, payload: [UInt8]) {
            self.tag = tag
            self.document = document
            self.sequenceCount = sequenceCount
            self.payload = payload
        }
    }

    public static let acknowledgeTag: UInt64 = 64
    /// An acknowledgement has no document. The form wants one, so it has this, which nobody types.
    public static let acknowledgeKey: Key = "\u{0}"
    private static let acknowledgeVersion: UInt8 = 1

    /// Acknowledges a checkpoint, or nothing: a mark.
    public static func acknowledging(_ checkpoint: Bytes32?) -> Operation {
        Operation(document: acknowledgeKey, body: .acknowledge(checkpoint: checkpoint))
    }

    /// What the form says. Under a known tag another form than its own stays `unknown`, and is statically
    /// invalid.
    public init(_ form: Extension) {
        if form.tag == Self.acknowledgeTag, form.document == Self.acknowledgeKey, form.sequenceCount == 1,
            let checkpoint = Self.acknowledged(by: form.payload)
        {
            self = .acknowledging(checkpoint.id)
        } else {
            self.init(
                document: form.document,
                body: .unknown(tag: form.tag, sequenceCount: form.sequenceCount, payload: form.payload))
        }
    }

    /// The form of an operation of a tag from 64 on; nil for others.
    public var extensionForm: Extension? {
        switch body {
        case .deleteDocument, .act: return nil
        case .unknown(let tag, let sequenceCount, let payload):
            return Extension(tag: tag, document: document, sequenceCount: sequenceCount, payload: payload)
        case .acknowledge(let checkpoint):
            return Extension(
                tag: Self.acknowledgeTag, document: document, sequenceCount: 1,
                payload: [Self.acknowledgeVersion] + (checkpoint?.bytes ?? []))
        }
    }

    /// Nil when the payload is none of an acknowledgement.
    private static func acknowledged(by payload: [UInt8]) -> (id: Bytes32?, Void)? {
        guard payload.first == acknowledgeVersion else { return nil }
        switch payload.count - 1 {
        case 0: return (nil, ())
        case Bytes32.byteCount: return (Bytes32(payload.dropFirst()), ())
        default: return nil
        }
    }

    /// False for an acknowledgement, which no document, watcher or index hears of.
    public var touchesDocument: Bool {
        if case .acknowledge = body { false } else { true }
    }
}
