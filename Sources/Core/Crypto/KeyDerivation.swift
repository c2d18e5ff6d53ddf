// One rule makes every key from another: KDF(key, label, info) = BLAKE2b-256, keyed with `key`, personal =
// label, message = info. The label names the use, so keys of different uses are independent.

import CSodium

/// Keys from keys.
public enum KeyDerivation {
    /// A 32-byte secret. `key` is 16 to 64 bytes, `label` at most 16 ASCII bytes.
    public static func derive(_ key: Secret, label: String, info: [UInt8] = []) -> Secret {
        Secret(count: 32) { out in fill(out, key: key, label: label, info: info) }
    }

    /// The same 32 bytes for what is no secret: tags, ids, public proofs.
    public static func deriveBytes(_ key: Secret, label: String, info: [UInt8] = []) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 32) { out, count in
            fill(out, key: key, label: label, info: info)
            count = 32
        }
    }

    private static func fill(
        _ out: UnsafeMutableBufferPointer<UInt8>, key: Secret, label: String, info: [UInt8]
    ) {
        precondition(key.count >= 16 && key.count <= Blake2b.keyBytesMax, "a key of \(key.count) bytes")
        precondition(out.count == 32 && !label.isEmpty, "a derived key has 32 bytes and a label")
        Blake2b.withPersonal(label) { personal in
            let status = crypto_generichash_blake2b_salt_personal(
                out.start, 32, info, UInt64(info.count), key.pointer,
                key.count, nil, personal)
            precondition(status == 0, "BLAKE2b refused a key of \(key.count) bytes")
        }
    }
}
