// Bundles between nodes of a world, as the control server writes and reads them.

import Bytes
import Causality
import Crypto
import Documents
import JSON
import Node
import Simulator
import Testing
import Wire

/// How the reading of a bundle ended.
struct BundleReading {
    var tally = BundleTally()
    /// What the program is told at the end, if it came to that.
    var answer: PlainValue?
    var fault: BundleFault?
    var stop: BundleStop?
    var error: NodeError?

    var isWhole: Bool { answer != nil }
    /// The byte that is complained of.
    var position: UInt64? {
        if case .bad(let offset, _)? = stop { return offset }
        return fault?.offset
    }

    func number(_ name: Key) -> Int64? {
        guard case .object(let members)? = answer, let member = members.first(where: { $0.key == name }),
            case .scalar(.integer(let value)) = member.value
        else { return nil }
        return value
    }
}

extension World {
    /// The bytes of a bundle; nil and the refusal where there is none.
    mutating func writeBundle(_ index: Int, _ choice: BundleChoice = .everything)
        -> (bytes: [UInt8]?, refusal: NodeError?)
    {
        switch ask(index, .writeBundle(SpaceReference("notes"), choice)) {
        case .reading(let job, _)?:
            var bytes: [UInt8] = []
            do throws(StoreFailure) {
                while let piece = try job.next() { bytes += piece }
            } catch {
                return (nil, .storeFailed(error))
            }
            return (bytes, nil)
        case .failed(let error)?: return (nil, error)
        default: return (nil, nil)
        }
    }

    /// Everything but what this member is known to hold.
    mutating func bundle(_ index: Int, for other: Int) -> [UInt8] {
        bundle(index, .member(member(other)))
    }

    /// A bundle that there is.
    mutating func bundle(_ index: Int, _ choice: BundleChoice = .everything) -> [UInt8] {
        let written = writeBundle(index, choice)
        if let refusal = written.refusal { Issue.record("no bundle of \(index): \(refusal)") }
        return written.bytes ?? []
    }

    /// Takes a bundle whole, and holds its answer against what is given here.
    mutating func expectTaken(
        _ index: Int, _ bytes: [UInt8], new: Int? = nil, changes: Int? = nil, documents: Int? = nil,
        lacking: Int? = 0, from location: SourceLocation = #_sourceLocation
    ) {
        let taken = takeBundle(index, bytes)
        let names: [(Key, Int?)] = [
            ("new", new), ("changes", changes), ("documents", documents), ("lacking", lacking),
        ]
        for case (let name, let number?) in names {
            #expect(
                taken.number(name) == Int64(number), "\(name): \(taken) \(logs())", sourceLocation: location)
        }
    }

    mutating func expectEqual(
        _ indices: [Int], from location: SourceLocation = #_sourceLocation
    ) {
        let isEqual = areEqual(indices, "notes")
        #expect(isEqual, "\(logs())", sourceLocation: location)
    }

    func member(_ index: Int) -> MemberReference {
        MemberReference(DeviceID(publicKey: nodes[index].deviceKey.publicKey))
    }

    /// Gives a node a bundle in pieces of so many bytes, at most `records` records at a time. `requestsMax`:
    /// the reader dies after so many requests, without a word.
    mutating func takeBundle(
        _ index: Int, _ bytes: [UInt8], in space: String = "notes", pieceBytes: Int = 4_096, records: Int = 3,
        requestsMax: Int = .max
    ) -> BundleReading {
        var result = BundleReading()
        var reader = BundleReader()
        var requests = 0
        var position = CommitPosition.start
        var isOpen = false
        func refused(_ answer: NodeAnswer?) -> NodeError? {
            if case .failed(let error)? = answer { error } else { nil }
        }
        do throws(BundleFault) {
            for start in stride(from: 0, to: bytes.count, by: pieceBytes) {
                reader.append(bytes[start..<min(bytes.count, start + pieceBytes)])
                if let head = try reader.nextHead() {
                    let answer = ask(index, .openBundle(SpaceReference(space), head))
                    guard case .bundleOpened(let key, _, let stands)? = answer else {
                        result.error = refused(answer)
                        return result
                    }
                    reader.begin(with: key)
                    (position, isOpen) = (stands, true)
                }
                var pieces: [BundlePiece] = []
                while true {
                    let next = try reader.next()
                    if let next { pieces.append(next) }
                    if !pieces.isEmpty, next == nil || pieces.count == records {
                        if requests == requestsMax { return result }
                        requests += 1
                        let answer = ask(index, .takeBundle(SpaceReference(space), pieces))
                        guard case .bundleTaken(let tally, let stop)? = answer else {
                            result.error = refused(answer)
                            return result
                        }
                        result.tally += tally
                        if let stop {
                            result.stop = stop
                            _ = ask(index, .endBundle(SpaceReference(space), since: position, result.tally))
                            return result
                        }
                        pieces = []
                    }
                    if next == nil { break }
                }
            }
            try reader.finish()
        } catch {
            result.fault = error
            if isOpen { _ = ask(index, .endBundle(SpaceReference(space), since: position, result.tally)) }
            return result
        }
        let answer = ask(index, .endBundle(SpaceReference(space), since: position, result.tally))
        guard case .reading(let job, _)? = answer else {
            result.error = refused(answer)
            return result
        }
        do {
            let line = try job.next() ?? []
            result.answer = try JSONReader.read(line)
        } catch {
            result.error = .storeFailed(error)
        }
        return result
    }
}
