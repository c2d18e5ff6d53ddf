// The device key's 32-byte seed: STATE/device.key, or a credential of the service manager, which then never
// lies in the state directory. It is read straight into guarded memory. Backups carry it (a restored box is
// the same device), except where it came as a credential: whoever put it there decides where it goes.

import Crypto
import Glibc
import Node

/// Where the device's seed came from.
struct DeviceKeyFile {
    enum Source {
        case file
        case credential
    }

    static let byteCount = 32
    static let name = "device.key"
    /// The credential's; both may be there while a key is moved from one to the other.
    static let credentialName = "device-key"

    let seed: Secret
    let source: Source

    /// The credential if there is one, else the file; nil when there is neither. Two that differ are two
    /// devices, and which of them this is meant to be is not ours to guess.
    static func find(in directory: String, credentials: String?) throws(StoreFailure) -> DeviceKeyFile? {
        let path = "\(directory)/\(name)"
        let file = try read(path)
        if let credentials, let seed = try read("\(credentials)/\(credentialName)") {
            if let file, SigningKey(seed: file).publicKey != SigningKey(seed: seed).publicKey {
                throw .unusable(.file(path: path, .twoKeys(credential: credentialName)))
            }
            return DeviceKeyFile(seed: seed, source: .credential)
        }
        return file.map { DeviceKeyFile(seed: $0, source: .file) }
    }

    /// Durable when it returns; before the database says that this is its device.
    static func make(in directory: String, seed: Secret) throws(StoreFailure) -> DeviceKeyFile {
        let (new, path) = ("\(directory)/\(name).new", "\(directory)/\(name)")
        _ = try seed.withBytes { bytes throws(StoreFailure) in try Files.create(new, bytes) }
        _ = try Files.rename(new, to: path, in: directory)
        return DeviceKeyFile(seed: seed, source: .file)
    }

    /// Nil when there is none. Its mode stays: whoever let others read it should hear of it, and change the
    /// key rather than the mode if one of them may have done so (`StateDirectory.exposedKey`).
    private static func read(_ path: String) throws(StoreFailure) -> Secret? {
        guard let descriptor = try Files.open(path, O_RDONLY | O_NOFOLLOW) else { return nil }
        defer { close(descriptor) }
        let status = try Files.status(of: descriptor, path)
        guard status.st_size == off_t(byteCount) else {
            throw .unusable(.file(path: path, .keyLength(bytes: Int64(status.st_size), expected: byteCount)))
        }
        var count = 0
        let seed = Secret(count: byteCount) { out in
            count = Glibc.read(descriptor, out.baseAddress, out.count)
        }
        guard count == byteCount else { throw .system(errno, doing: "reading", path: path) }
        return seed
    }
}
