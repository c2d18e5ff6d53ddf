// BLAKE2b (RFC 7693) with its `personal` field, which separates the uses of one hash without prefixes in the
// message. 256 bits everywhere but in Noise, which is defined over 512.

public import Bytes
import CSodium

/// BLAKE2b of bytes that are there as a whole; `RunningHash` is for those that come in parts.
public enum Blake2b {
    /// Keys are at most 64 bytes; `personal` at most 16 ASCII bytes, zero padded.
    public static func hash256(_ bytes: [UInt8], key: [UInt8] = [], personal: String = "") -> Bytes32 {
        precondition(key.count <= keyBytesMax, "a BLAKE2b key of \(key.count) bytes")
        return Bytes32(hash(bytes, byteCount: 32, key: key, personal: personal))
    }

    /// Without personal: the hash of Noise, which never keys it.
    public static func hash512(_ bytes: [UInt8], key: [UInt8] = []) -> [UInt8] {
        precondition(key.count <= keyBytesMax, "a BLAKE2b key of \(key.count) bytes")
        return hash(bytes, byteCount: 64, key: key, personal: "")
    }

    /// The same over raw memory, for messages that hold a secret.
    public static func hash512(raw bytes: UnsafeRawBufferPointer) -> [UInt8] {
        CryptoLibrary.start()
        return [UInt8](unsafeUninitializedCapacity: 64) { out, count in
            let status = bytes.withMemoryRebound(to: UInt8.self) {
                crypto_generichash_blake2b(out.start, 64, $0.baseAddress, UInt64($0.count), nil, 0)
            }
            precondition(status == 0, "BLAKE2b refused \(bytes.count) bytes")
            count = 64
        }
    }

    static let keyBytesMax = 64

    private static func hash(_ bytes: [UInt8], byteCount: Int, key: [UInt8], personal: String) -> [UInt8] {
        CryptoLibrary.start()
        return withPersonal(personal) { personal in
            [UInt8](unsafeUninitializedCapacity: byteCount) { out, count in
                let status = crypto_generichash_blake2b_salt_personal(
                    out.start, byteCount, bytes, UInt64(bytes.count), key, key.count, nil, personal)
                precondition(status == 0, "BLAKE2b refused \(bytes.count) bytes")
                count = byteCount
            }
        }
    }

    /// The 16 bytes of a `personal` field, nil for none.
    static func withPersonal<Result>(_ personal: String, _ body: (UnsafePointer<UInt8>?) -> Result) -> Result
    {
        guard !personal.isEmpty else { return body(nil) }
        let length = personal.utf8.count
        precondition(length <= 16, "the personal '\(personal)' is over 16 bytes")
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { buffer in
            buffer.initialize(repeating: 0)
            for (index, byte) in personal.utf8.enumerated() { buffer[index] = byte }
            return body(UnsafePointer(buffer.baseAddress))
        }
    }
}
