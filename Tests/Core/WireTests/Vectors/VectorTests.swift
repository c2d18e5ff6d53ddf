import Bytes
import Causality
import Crypto
import Identity
import Testing
import Wire

@Suite struct VectorTests {
    // MARK: Changes

    private func coder(_ one: VectorCase) throws -> LogCoder {
        var position = BoundaryPosition.start
        if one.fields["boundary"] != nil {
            position = BoundaryPosition(
                last: SequenceNumber(try one.number("boundary")),
                timestamp: Timestamp(milliseconds: try one.number("boundaryTime")))
        }
        return LogCoder(replica: ReplicaID(raw: Bytes16(try one.bytes("replica"))), at: position)
    }

    @Test("the logs of changes.json decode to what they say, and encode to the same bytes")
    func changes() throws {
        for log in try VectorFile("changes").cases("logs") {
            var reader = try coder(log)
            var author = reader
            for one in try log.list("changes") {
                let bytes = try one.bytes("hex")
                let change = try decoded(bytes, with: &reader)
                #expect(try canonicalJSON(change.described) == one.json("value"), "\(one.name)")
                #expect(encoded(change, with: &author) == bytes, "\(one.name)")
                #expect(reader.isAtBoundary == (one.fields["isBoundary"] as? Bool ?? false), "\(one.name)")
            }
        }
    }

    @Test("the invalid changes of changes.json are refused for the reason they say")
    func invalidChanges() throws {
        for one in try VectorFile("changes").cases("invalid") {
            var reader = try coder(one)
            for before in try #require(one.fields["after"] as? [String]) {
                _ = try decoded(try #require(Hex.decode(before)), with: &reader)
            }
            do throws(DecodeFault) {
                _ = try decoded((try? one.bytes("hex")) ?? [], with: &reader)
                Issue.record("\(one.name) was accepted")
            } catch {
                #expect(error.vectorName == (try one.text("fault")), "\(one.name)")
            }
        }
    }

    // MARK: Frames

    @Test("the bodies of frames.json decode to what they say, and encode to the same bytes")
    func frames() throws {
        for one in try VectorFile("frames").cases("valid") {
            let bytes = try one.bytes("hex")
            let (value, again) = try #require(try readFrame(try one.text("type"), bytes))
            #expect(try canonicalJSON(value) == one.json("value"), "\(one.name)")
            #expect(again == bytes, "\(one.name)")
        }
    }

    @Test("the invalid bodies of frames.json are refused for the reason they say")
    func invalidFrames() throws {
        for one in try VectorFile("frames").cases("invalid") {
            let (type, bytes) = (try one.text("type"), try one.bytes("hex"))
            do {
                _ = try readFrame(type, bytes)
                Issue.record("\(one.name) was accepted")
            } catch let fault as DecodeFault {
                #expect(fault.vectorName == (try one.text("fault")), "\(one.name)")
            }
        }
    }

    // MARK: Blocks and segments

    @Test("the blocks of segments.json unpack to what they say, or are refused for the reason they say")
    func blocks() throws {
        for one in try VectorFile("segments").cases("blocks") {
            let block = try one.bytes("hex")
            do throws(DecodeFault) {
                let bytes: [UInt8]
                if one.fields["replica"] != nil, let replica = try? one.bytes("replica"),
                    let first = try? one.number("first")
                {
                    bytes = try Block.unpack(
                        block, of: ReplicaID(raw: Bytes16(replica)), from: SequenceNumber(first))
                } else {
                    bytes = try Block.unpack(block)
                }
                #expect(bytes == (try? one.bytes("bytes")), "\(one.name)")
            } catch {
                #expect(error.vectorName == (try? one.text("fault")), "\(one.name)")
            }
        }
    }

    @Test("the segments of segments.json open to what they say, or are refused for the reason they say")
    func segments() throws {
        for one in try VectorFile("segments").cases("segments") {
            let space = SpaceID(raw: Bytes32(try one.bytes("space")))
            let key = Secret(copying: try one.bytes("contentKey"))
            let bytes = try one.bytes("hex")
            do {
                let segment = try Segment(of: space, decoding: bytes)
                #expect(segment.encoded() == bytes)
                let sealed = try segment.open(contentKey: key)
                #expect(sealed.run.bytes == (try one.bytes("run")), "\(one.name)")
                #expect(segment.header.nonce == (try one.bytes("nonce")))
                #expect(sealed.replica.description == (try one.text("replica")))
                #expect(Hex.encode(sealed.declaration.device.publicKey.bytes) == (try one.text("device")))
                #expect(sealed.declaration.incarnation == (try one.number("incarnation")))
                #expect(sealed.run.first.value == (try one.number("first")))
                #expect(sealed.run.last.value == (try one.number("last")))
                #expect(sealed.seals.count == (try one.list("seals")).count)
                // What is not compressed has one encryption.
                let again = Segment.seal(sealed, in: space, contentKey: key, nonce: segment.header.nonce)
                #expect(again == segment, "\(one.name)")
            } catch let fault as DecodeFault {
                #expect(fault.vectorName == (try one.text("fault")), "\(one.name)")
            } catch let fault as SegmentFault {
                #expect("\(fault)".hasPrefix(try one.text("fault")), "\(one.name)")
            }
        }
    }

    // MARK: Identity

    @Test("replicas, chains and seals are those of identity.json")
    func logs() throws {
        for one in try VectorFile("identity").cases("logs") {
            let space = SpaceID(raw: Bytes32(try one.bytes("space")))
            let key = SigningKey(seed: Secret(copying: try one.bytes("seed")))
            let device = DeviceID(publicKey: key.publicKey)
            #expect(Hex.encode(key.publicKey.bytes) == (try one.text("device")))
            let declaration = Change.Declaration(device: device, incarnation: try one.number("incarnation"))
            let replica = ReplicaID(space: space, declaration: declaration)
            #expect(replica.description == (try one.text("replica")))
            var log = LogState(space: space, declaration: declaration)
            for part in try one.list("runs") {
                let seals = try part.list("seals").map { seal in
                    Seal(
                        replica: replica, last: SequenceNumber(try seal.number("last")),
                        chainHash: Bytes32(try seal.bytes("chainHash")),
                        signature: Signature(try seal.bytes("signature")))
                }
                let run = Run(
                    replica: replica, first: log.next, last: try #require(seals.last).last,
                    bytes: try part.bytes("bytes"))
                let verified = try log.verify(SealedRun(declaration: declaration, run: run, seals: seals))
                #expect(verified.changes.count == (try part.number("changes")))
                #expect(verified.changes.filter(\.isBoundary).count == (try part.number("boundaries")))
            }
        }
    }

    @Test("device IDs are those of identity.json")
    func devices() throws {
        for one in try VectorFile("identity").cases("devices") {
            let typed = try one.text("typed")
            do throws(DeviceIDFault) {
                let device = try DeviceID(text: typed)
                #expect(Hex.encode(device.publicKey.bytes) == (try? one.text("key")), "\(one.name)")
                #expect(device.text == (try? one.text("text")), "\(one.name)")
            } catch {
                #expect("\(error)".hasPrefix((try? one.text("fault")) ?? "?"), "\(one.name)")
            }
        }
    }
}
