// BLAKE2b-256 of bytes that come in parts: the chain of a log. It is a value, so the hash "so far" is taken
// while the original goes on.

public import Bytes
import CSodium

/// A hash under way. Copying it costs 384 bytes.
public struct RunningHash: Sendable {
    private var state = running_blake2b()

    /// `personal` as in `Blake2b.hash256`: the same bytes give the same hash.
    public init(personal: String = "") {
        CryptoLibrary.start()
        let status = Blake2b.withPersonal(personal) { running_blake2b_init(&state, $0) }
        precondition(status == 0, "BLAKE2b does not start")
    }

    public mutating func update(_ bytes: [UInt8]) {
        let status = running_blake2b_update(&state, bytes, UInt64(bytes.count))
        precondition(status == 0, "BLAKE2b refused \(bytes.count) bytes")
    }

    public mutating func update(_ bytes: ArraySlice<UInt8>) {
        let status = bytes.withUnsafeBufferPointer {
            running_blake2b_update(&state, $0.baseAddress, UInt64($0.count))
        }
        precondition(status == 0, "BLAKE2b refused \(bytes.count) bytes")
    }

    /// The hash of everything so far; the value itself can be updated further.
    public func finish() -> Bytes32 {
        var out = [UInt8](repeating: 0, count: 32)
        let status = withUnsafePointer(to: state) { running_blake2b_finish($0, &out) }
        precondition(status == 0, "BLAKE2b does not finish")
        return Bytes32(out)
    }
}
