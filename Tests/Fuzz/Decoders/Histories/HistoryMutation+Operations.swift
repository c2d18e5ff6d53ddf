// What one operation says: its container, its kind, what it names, its values at their edges.

import Bytes
import Causality
import Documents
import Wire

extension HistoryMutation {
    private static let texts = [
        "a", "bc", "xyz", "é", "e\u{301}", "\u{301}", "🙂", "👩\u{200D}👧", "\u{0}", "\u{FEFF}", "\u{202E}w",
        "\u{10FFFF}", "\r\n", "\u{D7FF}\u{E000}", "ab\u{300}c",
    ]
    private static let amounts: [Int64] = [
        1, 0, -1, .max, .min, .max - 1, .min + 1, 1 << 32, -(1 << 53), 2,
    ]
    private static let doubles = [
        0.5, -0.25, 1e300, .leastNonzeroMagnitude, -.greatestFiniteMagnitude, 9_007_199_254_740_994,
    ]
    private static let keys: [Key] = ["t", "l", "o", "s", "r", "n", "m", "k", "", "é", "e\u{301}"]
    private static let documents: [Key] = ["d", "d", "d", "e", "é"]
    private static let generations: [UInt32] = [1, 1, 1, 2, 3, Generation.max.value]

    // MARK: New operations

    /// An operation in a place of the history or in a new one. `kind`: of its container.
    mutating func newPiece(_ at: Int, kind: ContainerKind? = nil) -> History.Piece {
        if kind == nil {
            if oneIn(24) {
                let observed = Set((0..<number(1...2)).map { _ in anyGeneration() }).sorted()
                return piece(.deleteDocument(observed: observed))
            }
            if oneIn(60) { return unknownPiece() }
            if oneIn(40) {
                return History.Piece(operation: .acknowledging(oneIn(2) ? nil : .zero), former: nil)
            }
        }
        // What the bulk road does most of its own with is text.
        let (document, path) = anyPlace(kind == nil && oneIn(3) ? .text : kind)
        let action = action(in: path)
        return History.Piece(
            operation: Operation(document: document, body: .act(in: path, action)), former: nil)
    }

    mutating func unknownPiece() -> History.Piece {
        let payload = [UInt8](repeating: 3, count: number(0...4))
        return piece(.unknown(tag: 65, sequenceCount: number(1...3), payload: payload))
    }

    private mutating func piece(_ body: Operation.Body) -> History.Piece {
        History.Piece(operation: Operation(document: anyDocument(), body: body), former: nil)
    }

    private mutating func anyPlace(_ kind: ContainerKind?) -> (Key, ContainerPath) {
        for _ in 0..<6 {
            let step = any(of: history.steps)
            guard !step.pieces.isEmpty else { continue }
            let operation = any(of: step.pieces).operation
            if case .act(let path, _) = operation.body, kind == nil || path.kind == kind {
                return (operation.document, path)
            }
        }
        let chosen = kind ?? any(of: ContainerKind.allCases)
        let step = ContainerStep(.key(anyKey()), chosen, anyGeneration())
        return (anyDocument(), ContainerPath(generation: .first, steps: [step]))
    }

    private mutating func action(in path: ContainerPath) -> Action {
        if oneIn(16) { return .make }
        if oneIn(40) { return action(of: any(of: ContainerKind.allCases), path) }
        return action(of: path.kind, path)
    }

    private mutating func action(of kind: ContainerKind, _ path: ContainerPath) -> Action {
        switch kind {
        case .map: return slotAction(.key(anyKey()))
        case .list:
            switch number(0...4) {
            case 0: return .deleteElements(anyRanges(path))
            case 1:
                if let dot = anyDot(like: path) {
                    return .moveElement(dot, left: anyOrigin(path), right: anyOrigin(path))
                }
            case 2: if let dot = anyDot(like: path) { return slotAction(.element(dot)) }
            default: break
            }
            let (left, right) = anyOrigins(path)
            return .insertElements(left: left, right: right, (0..<number(1...3)).map { _ in anyContent() })
        case .orderedSet:
            let (left, right) = anyOrigins(path)
            switch number(0...3) {
            case 0: return .remove(anyScalar())
            case 1: return .moveMember(anyScalar(), left: left, right: right)
            default:
                return .insertMembers(left: left, right: right, (0..<number(1...3)).map { _ in anyScalar() })
            }
        case .set, .removeWinsSet: return oneIn(2) ? .add(anyScalar()) : .remove(anyScalar())
        case .counter: return .increment(by: any(of: Self.amounts))
        case .text:
            if oneIn(2) { return .deleteText(anyRanges(path)) }
            let (left, right) = anyOrigins(path)
            return .insertText(left: left, right: right, anyText())
        }
    }

    private mutating func slotAction(_ slot: Slot) -> Action {
        if oneIn(2) { return .write(slot: slot, value: anyScalar(), generation: anyGeneration()) }
        let observed = Set(
            (0..<number(0...2)).map { _ in
                ObservedContainer(any(of: ContainerKind.allCases), anyGeneration())
            })
        return .clear(slot: slot, observed: observed.sorted())
    }

    // MARK: Changed operations

    /// The operation with one thing changed.
    mutating func bent(_ operation: Operation, _ at: Int) -> Operation {
        guard case .act(let path, let action) = operation.body else { return newPiece(at).operation }
        switch number(0...11) {
        case 0: return Operation(document: anyDocument(), body: operation.body)
        case 1: return Operation(document: operation.document, body: .act(in: bent(path), action))
        case 2:
            return Operation(document: operation.document, body: .act(in: path, self.action(in: path)))
        case 3: return Operation(document: operation.document, body: .act(in: inside(path), .make))
        default:
            return Operation(document: operation.document, body: .act(in: path, bent(action, path)))
        }
    }

    /// A container in a slot of this one.
    private mutating func inside(_ path: ContainerPath) -> ContainerPath {
        var path = path
        guard path.depth < DocumentLimits.nestingMax else { return path }
        let slot: Slot
        if path.kind == .list, let dot = anyDot(like: path) {
            slot = .element(dot)
        } else {
            slot = .key(anyKey())
        }
        path.append(ContainerStep(slot, any(of: ContainerKind.allCases), anyGeneration()))
        return path
    }

    /// As deep as a path can be.
    private mutating func deep(_ path: ContainerPath) -> ContainerPath {
        var path = path
        while path.depth < DocumentLimits.nestingMax {
            let kind = path.depth < DocumentLimits.nestingMax - 1 ? .map : any(of: ContainerKind.allCases)
            path.append(ContainerStep(.key("m"), kind, .first))
        }
        return path
    }

    private mutating func bent(_ path: ContainerPath) -> ContainerPath {
        if oneIn(24), path.kind == .map { return deep(path) }
        var steps = path.steps
        guard let last = steps.last, !oneIn(4) else { return inside(path) }
        switch number(0...5) {
        case 0: steps.removeLast()
        case 1:
            // Two kinds in one slot.
            steps[steps.count - 1] = ContainerStep(
                last.slot, any(of: ContainerKind.allCases), last.generation)
        case 2: steps[steps.count - 1] = ContainerStep(last.slot, last.kind, anyGeneration())
        case 3: steps[steps.count - 1] = ContainerStep(.key(anyKey()), last.kind, last.generation)
        case 4:
            guard let dot = anyDot(like: nil) else { return path }
            steps[steps.count - 1] = ContainerStep(.element(dot), last.kind, last.generation)
        default: return ContainerPath(generation: anyGeneration(), steps: steps)
        }
        return ContainerPath(generation: path.generation, steps: steps)
    }

    private mutating func bent(_ action: Action, _ path: ContainerPath) -> Action {
        switch action {
        case .make: return self.action(in: path)
        case .write(let slot, let value, let generation):
            if oneIn(2) { return .write(slot: slot, value: anyScalar(), generation: generation) }
            return .write(slot: slot, value: value, generation: anyGeneration())
        case .clear(let slot, _): return slotAction(slot)
        case .increment: return .increment(by: any(of: Self.amounts))
        case .add(let value), .remove(let value):
            return oneIn(2) ? .add(anyScalar()) : .remove(oneIn(2) ? value : anyScalar())
        case .insertElements(let left, let right, let contents):
            let (left, right) = bent(left, right, path)
            return .insertElements(left: left, right: right, oneIn(3) ? contents + [anyContent()] : contents)
        case .deleteElements(let ranges): return .deleteElements(bent(ranges, path))
        case .moveElement(let dot, let left, let right):
            // Also to itself.
            if oneIn(5) { return .moveElement(dot, left: dot, right: oneIn(2) ? dot : right) }
            let (left, right) = bent(left, right, path)
            return .moveElement(oneIn(3) ? anyDot(like: path) ?? dot : dot, left: left, right: right)
        case .insertMembers(let left, let right, let members):
            let (left, right) = bent(left, right, path)
            return .insertMembers(left: left, right: right, oneIn(3) ? members + [anyScalar()] : members)
        case .moveMember(let member, let left, let right):
            let (left, right) = bent(left, right, path)
            return .moveMember(oneIn(3) ? anyScalar() : member, left: left, right: right)
        case .insertText(let left, let right, let text):
            let (left, right) = bent(left, right, path)
            let longer = text.unicodeScalars.count < 40 && oneIn(2) ? text + anyText() : anyText()
            return .insertText(left: left, right: right, oneIn(2) ? longer : text)
        case .deleteText(let ranges): return .deleteText(bent(ranges, path))
        }
    }

    private mutating func bent(
        _ left: Dot?, _ right: Dot?, _ path: ContainerPath
    ) -> (left: Dot?, right: Dot?) {
        switch number(0...6) {
        case 0: (right, left)
        case 1: (left, left)
        case 2: (nil, right)
        case 3: (left, nil)
        case 4: (anyOrigin(path), right)
        case 5: (left, anyOrigin(path))
        default: (left, left.map { Self.next($0) })
        }
    }

    private static func next(_ dot: Dot) -> Dot {
        dot.sequence < .max ? dot.advanced(by: 1) : dot
    }

    private mutating func bent(_ ranges: [DotRange], _ path: ContainerPath) -> [DotRange] {
        let at = number(0...ranges.count - 1)
        let range = ranges[at]
        var bent = ranges
        switch number(0...4) {
        case 0: bent += anyRanges(path)
        case 1: bent[at] = DotRange(range.replica, .init(1), range.last)
        case 2:
            if range.last < .max { bent[at] = DotRange(range.replica, range.first, range.last + 1) }
        case 3:
            if range.first < range.last {
                bent[at] = DotRange(range.start)
                bent.append(DotRange(range.replica, range.first + 1, range.last))
            }
        default: return anyRanges(path)
        }
        return bent.inOrder
    }

    // MARK: Parts

    /// A dot that was inserted in a container of this path, if there is one; sometimes any other.
    mutating func anyDot(like path: ContainerPath?) -> Dot? {
        if oneIn(60) { return Dot(any(of: Self.strangers), oneIn(2) ? .max : SequenceNumber(3)) }
        if oneIn(60) { return Dot(any(of: Self.replicas), SequenceNumber(UInt64(number(1...80)))) }
        let path = oneIn(8) ? nil : path
        for attempt in 0..<6 {
            let step = any(of: history.steps)
            guard !step.pieces.isEmpty else { continue }
            let piece = any(of: step.pieces)
            guard let former = piece.former else { continue }
            if attempt < 5, let path {
                guard case .act(path, let action) = piece.operation.body, action.isEdit else { continue }
            }
            return former.advanced(by: number(0...piece.operation.sequenceCount - 1))
        }
        return nil
    }

    private mutating func anyOrigin(_ path: ContainerPath) -> Dot? { oneIn(4) ? nil : anyDot(like: path) }

    /// Mostly neighbours as an author sees them, or the end.
    private mutating func anyOrigins(_ path: ContainerPath) -> (left: Dot?, right: Dot?) {
        let left = anyOrigin(path)
        switch number(0...2) {
        case 0: return (left, nil)
        case 1: return (left, left.map { Self.next($0) })
        default: return (left, anyOrigin(path))
        }
    }

    private mutating func anyRanges(_ path: ContainerPath) -> [DotRange] {
        let dots = (0..<(oneIn(3) ? 3 : 1)).map { _ in
            anyDot(like: path) ?? Dot(any(of: Self.replicas), SequenceNumber(1))
        }
        return dots.map { dot in
            let room = dot.sequence < .max ? min(3, SequenceNumber.max.value - dot.sequence.value) : 0
            return DotRange(dot.replica, dot.sequence, dot.sequence + number(0...Int(room)))
        }.inOrder
    }

    /// Now and then as long as it may be.
    private mutating func anyKey() -> Key {
        if oneIn(100) { return Key(String(repeating: "k", count: DocumentLimits.mapKeyBytesMax)) }
        return any(of: Self.keys)
    }

    private mutating func anyDocument() -> Key {
        if oneIn(100) { return Key(String(repeating: "d", count: DocumentLimits.documentKeyBytesMax)) }
        return any(of: Self.documents)
    }

    private mutating func anyGeneration() -> Generation { Generation(any(of: Self.generations)) }
    private mutating func anyContent() -> ElementContent { oneIn(3) ? .container : .register(anyScalar()) }

    /// Four scalars at most.
    private mutating func anyText() -> String { any(of: Self.texts) }

    private mutating func anyScalar() -> Scalar {
        switch number(0...7) {
        case 0: .null
        case 1: .bool(oneIn(2))
        case 2: .integer(any(of: Self.amounts))
        case 3: .double(any(of: Self.doubles))
        case 4: .string(Key(anyText()))
        default: .integer(Int64(number(0...3)))
        }
    }
}
