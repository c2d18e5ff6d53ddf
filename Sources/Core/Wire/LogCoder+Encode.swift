// Operations to bytes: tag, container, then what the operation says. See WIRE.md for the table.

import Bytes
import Causality
import Documents

extension LogCoder {
    mutating func encode(_ operation: Operation, into body: inout ByteWriter) {
        switch operation.body {
        case .deleteDocument(let observed):
            precondition(!observed.isEmpty, "a deletion that observed nothing")
            body.varint(OperationTag.deleteDocument.rawValue)
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
            encode(action, into: &body)
        case .unknown(let tag, let sequenceCount, let payload):
            precondition(tag >= OperationTag.extensionFirst, "operation \(tag) has a form of its own")
            precondition(
                (1...WireLimits.changeSequencesMax).contains(sequenceCount), "\(sequenceCount) sequences")
            body.varint(tag)
            _ = encodeDocument(operation.document, into: &body)
            body.varint(sequenceCount)
            body.counted(payload)
        }
    }

    private mutating func encode(_ action: Action, into body: inout ByteWriter) {
        switch action {
        case .make: break
        case .write(let slot, let value, let generation):
            encode(slot, into: &body)
            ScalarCoding.encode(value, into: &body)
            encode(generation, into: &body)
        case .clear(let slot, let observed):
            encode(slot, into: &body)
            encode(observed, into: &body)
        case .increment(let amount): body.zigzag(amount)
        case .add(let value), .remove(let value): ScalarCoding.encode(value, into: &body)
        case .insertElements(let left, let right, let contents):
            encodeOrigins(left, right, into: &body)
            encode(contents, into: &body)
        case .insertMembers(let left, let right, let members):
            encodeOrigins(left, right, into: &body)
            precondition(!members.isEmpty, "an insertion of nothing")
            body.varint(members.count)
            for member in members { ScalarCoding.encode(member, into: &body) }
        case .insertText(let left, let right, let text):
            encodeOrigins(left, right, into: &body)
            let length = text.utf8.count
            precondition((1...DocumentLimits.stringBytesMax).contains(length), "a text of \(length) bytes")
            body.counted(Key(text))
        case .deleteElements(let ranges), .deleteText(let ranges): encode(ranges, into: &body)
        case .moveElement(let element, let left, let right):
            encodeDot(element, into: &body)
            encodeOrigins(left, right, into: &body)
        case .moveMember(let member, let left, let right):
            ScalarCoding.encode(member, into: &body)
            encodeOrigins(left, right, into: &body)
        }
    }

    private func encode(_ contents: [ElementContent], into body: inout ByteWriter) {
        precondition(!contents.isEmpty, "an insertion of nothing")
        body.varint(contents.count)
        for content in contents {
            switch content {
            case .register(let value): ScalarCoding.encode(value, into: &body)
            case .container: body.u8(ScalarCoding.Tag.container)
            }
        }
    }

    private func encode(_ observed: [ObservedContainer], into body: inout ByteWriter) {
        precondition(
            zip(observed, observed.dropFirst()).allSatisfy { $0 < $1 }, "observed containers are ascending")
        body.varint(observed.count)
        for container in observed {
            body.u8(container.kind.rawValue)
            encode(container.generation, into: &body)
        }
    }
}

extension Action {
    var tag: OperationTag {
        switch self {
        case .make: .make
        case .write: .write
        case .clear: .clear
        case .increment: .increment
        case .add: .add
        case .remove: .remove
        case .insertElements: .insertElements
        case .deleteElements: .deleteElements
        case .moveElement: .moveElement
        case .insertMembers: .insertMembers
        case .moveMember: .moveMember
        case .insertText: .insertText
        case .deleteText: .deleteText
        }
    }
}
