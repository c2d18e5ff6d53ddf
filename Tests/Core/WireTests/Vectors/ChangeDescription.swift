// A change as JSON, in the words of WIRE.md. Dots are "<replica>:<sequence>", generations and kinds numbers.

import Bytes
import Causality
import Documents
import Wire

extension Change {
    var described: [String: Any] {
        var value: [String: Any] = [
            "first": "\(first)", "time": "\(timestamp.milliseconds)",
            "context": context.entries.map { "\($0.replica):\($0.last)" },
            "rosterHeads": rosterHeads.map { Hex.encode($0.bytes) },
            "operations": operations.map(\.described),
        ]
        if let declaration {
            value["device"] = Hex.encode(declaration.device.publicKey.bytes)
            value["incarnation"] = "\(declaration.incarnation)"
        }
        return value
    }
}

extension Operation {
    fileprivate var described: [String: Any] {
        var value: [String: Any]
        switch body {
        case .deleteDocument(let observed):
            value = ["op": "delete document", "observed": observed.map { Int($0.value) }]
        case .unknown, .acknowledge:
            let form = extensionForm
            value = [
                "op": "\(form?.tag ?? 0)", "sequences": form?.sequenceCount ?? 0,
                "payload": Hex.encode(form?.payload ?? []),
            ]
        case .act(let path, let action):
            value = action.described
            value["generation"] = Int(path.generation.value)
            value["steps"] = path.steps.map {
                [
                    "slot": $0.slot.described, "kind": Int($0.kind.rawValue),
                    "generation": Int($0.generation.value),
                ]
            }
        }
        value["document"] = document.string
        return value
    }
}

extension Action {
    fileprivate var described: [String: Any] {
        switch self {
        case .make: return ["op": "make"]
        case .write(let slot, let value, let generation):
            return [
                "op": "write", "slot": slot.described, "value": value.described,
                "newGeneration": Int(generation.value),
            ]
        case .clear(let slot, let observed):
            return [
                "op": "clear", "slot": slot.described,
                "observed": observed.map { [Int($0.kind.rawValue), Int($0.generation.value)] },
            ]
        case .increment(let amount): return ["op": "increment", "by": "\(amount)"]
        case .add(let value): return ["op": "add", "value": value.described]
        case .remove(let value): return ["op": "remove", "value": value.described]
        case .insertElements(let left, let right, let contents):
            let values = contents.map { content -> Any in
                if case .register(let value) = content { return value.described }
                return "container"
            }
            return origins(left, right, ["op": "insert elements", "values": values])
        case .deleteElements(let ranges):
            return ["op": "delete elements", "ranges": ranges.map(describe)]
        case .moveElement(let dot, let left, let right):
            return origins(left, right, ["op": "move element", "element": dot.description])
        case .insertMembers(let left, let right, let members):
            return origins(left, right, ["op": "insert members", "values": members.map(\.described)])
        case .moveMember(let member, let left, let right):
            return origins(left, right, ["op": "move member", "value": member.described])
        case .insertText(let left, let right, let text):
            return origins(left, right, ["op": "insert text", "text": text])
        case .deleteText(let ranges): return ["op": "delete text", "ranges": ranges.map(describe)]
        }
    }

    private func origins(_ left: Dot?, _ right: Dot?, _ rest: [String: Any]) -> [String: Any] {
        var value = rest
        value["left"] = left?.description ?? "start"
        value["right"] = right?.description ?? "end"
        return value
    }

    private func describe(_ range: DotRange) -> [String] { ["\(range.start)", "\(range.last)"] }
}

extension Slot {
    fileprivate var described: [String: Any] {
        switch self {
        case .key(let key): ["key": key.string]
        case .element(let dot): ["element": dot.description]
        }
    }
}

extension Scalar {
    fileprivate var described: [String: Any] {
        switch self {
        case .null: ["null": true]
        case .bool(let value): ["bool": value]
        case .integer(let value): ["integer": "\(value)"]
        case .double(let value):
            ["bits": Hex.encode((0..<8).map { UInt8(value.bitPattern >> (56 - 8 * $0) & 255) })]
        case .string(let value): ["string": value.string]
        }
    }
}
