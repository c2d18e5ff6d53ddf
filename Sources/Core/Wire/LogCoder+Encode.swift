// Operations to bytes: tag, container, then the parts of the action (`LogCoder+Parts`). See WIRE.md for the
// table.

import Bytes
import Causality
import Documents

extension LogCoder {
    mutating func encode(_ operation: Operation, into body: inout ByteWriter) {
        switch operation.body {
        case .deleteDocument(let observed):
            precondition(!observed.isEmpty, "a deletion that observed nothing")
            body.varint(OperationTag.deleteDocumentNumber)
            _ = encodeDocument(operation.document, into: &body)
            body.varint(observed.count)
            var former = Generation.none
            for generation in observed {
                precondition(generation > former && generation <= .max, "observed generations are ascending")
                body.varint(UInt64(generation.value - former.value))
                former = generation
            }
        case .act(let path, let action):
            body.varint(action.tag.rawValue)
            encodePlace(operation.document, path, into: &body)
            action.write(to: &self, &body)
        case .unknown, .acknowledge:
            guard let form = operation.extensionForm else { preconditionFailure("\(operation) has no form") }
            precondition(form.tag >= OperationTag.extensionFirst, "operation \(form.tag) has its own form")
            precondition(Operation(form) == operation, "\(operation) is another in its form")
            precondition(
                (1...WireLimits.changeSequencesMax).contains(form.sequenceCount),
                "\(form.sequenceCount) sequences")
            body.varint(form.tag)
            _ = encodeDocument(form.document, into: &body)
            body.varint(form.sequenceCount)
            body.counted(form.payload)
        }
    }

    func encode(_ contents: [ElementContent], into body: inout ByteWriter) {
        precondition(!contents.isEmpty, "an insertion of nothing")
        body.varint(contents.count)
        for content in contents {
            switch content {
            case .register(let value): ScalarCoding.encode(value, into: &body)
            case .container: body.u8(ScalarCoding.Tag.container)
            }
        }
    }

    func encode(_ members: [Scalar], into body: inout ByteWriter) {
        precondition(!members.isEmpty, "an insertion of nothing")
        body.varint(members.count)
        for member in members { ScalarCoding.encode(member, into: &body) }
    }

    func encode(text: String, into body: inout ByteWriter) {
        let length = text.utf8.count
        precondition((1...DocumentLimits.stringBytesMax).contains(length), "a text of \(length) bytes")
        body.counted(Key(text))
    }

    func encode(_ observed: [ObservedContainer], into body: inout ByteWriter) {
        precondition(
            zip(observed, observed.dropFirst()).allSatisfy { $0 < $1 }, "observed containers are ascending")
        body.varint(observed.count)
        for container in observed {
            body.u8(container.kind.rawValue)
            encode(container.generation, into: &body)
        }
    }
}
