// The state directory: everything a node keeps, for its owner's eyes only, for one process at a time.
//
//   STATE/            0700, locked with flock as long as the process lives
//     repld.db        the database, with -wal and -shm beside it while it is open
//     device.key      the device's seed, unless it came as a credential
//     instance        how the directory recognises itself (`Continuity`)
//     crashed         the last process died of a trap (`CrashMarker`)
//     high-water      how far the database was written (`HighWater`)
//     backup-*.db     a copy on its way to a program
//     control.sock    the control socket, where no other place is meant for it

import Bytes
public import Crypto
import Glibc
public import Node

/// Why a state directory cannot be used; the message names it and says what to do.
public enum StateFailure: Error, Equatable, Sendable, CustomStringConvertible {
    case inUse(path: String)
    /// `code` is the system's, 0 where it has none.
    case notUsable(path: String, reason: String, code: Int32)
    /// It holds files of somebody else: the first of them, and how many. Nothing of it was touched.
    case notOurs(path: String, found: String, count: Int)
    case store(StoreFailure)

    /// True where another start finds the same, until a person mends it.
    public var isLasting: Bool {
        switch self {
        case .inUse: false
        // A directory above may be mounted later, and room or the right to write may come back.
        case .notUsable(_, _, let code): [ENOTDIR, EACCES, EPERM, ELOOP, ENAMETOOLONG].contains(code)
        case .notOurs: true
        case .store(.unusable): true
        case .store: false
        }
    }

    public var description: String {
        switch self {
        case .inUse(let path):
            "the state directory \(path) is in use by another repld: stop that one, or choose another --state"
        case .notUsable(let path, let reason, _):
            "the state directory \(path) cannot be used: \(reason)"
        case .notOurs(let path, let found, let count):
            "the state directory \(path) is not repld's: it holds '\(found)'"
                + (count == 1 ? "" : " and \(count - 1) more that repld never made")
                + "; nothing of it was touched: choose an empty directory with --state, or move what is there"
        case .store(.full(let what)):
            "no space left: \(what); nothing is lost: make some MiB of room on that file system, "
                + "and start again"
        case .store(.syncFailed(let what)): "the disk does not keep what is written: \(what)"
        case .store(let failure): "\(failure)"
        }
    }
}

extension StateFailure {
    /// A system call on the directory failed.
    static func system(_ code: Int32, _ path: String) -> StateFailure {
        .notUsable(path: path, reason: String(cString: strerror(code)), code: code)
    }
}

/// A state directory that this process has locked; the lock goes with the last reference.
public final class StateDirectory: Sendable {
    public let path: String
    /// The device's Ed25519 seed, 32 bytes.
    public let deviceSeed: Secret
    public let continuity: Continuity
    public let backup: SQLiteBackup
    private let lock: Int32

    /// Makes the directory if it is missing, locks it, finds or makes the device key, opens the database and
    /// finds out whether it continues. `credentials` is CREDENTIALS_DIRECTORY; `wall` in milliseconds.
    /// `takesNewIdentity`: the device key is replaced by a fresh one, or by a credential that is another.
    public static func open(
        _ path: String, credentials: String?, takesNewIdentity: Bool = false, wall: UInt64
    ) throws(StateFailure) -> (StateDirectory, SQLiteStore) {
        let lock = try take(path)
        do throws(StoreFailure) {
            try SQLiteBackup.removeLeftovers(in: path)
            return try start(
                path, lock: lock, credentials: credentials, takesNewIdentity: takesNewIdentity, wall: wall)
        } catch {
            unlock(lock)
            throw .store(error)
        }
    }

    private init(path: String, key: DeviceKeyFile, continuity: Continuity, lock: Int32) {
        self.path = path
        deviceSeed = key.seed
        self.continuity = continuity
        backup = SQLiteBackup(
            database: "\(path)/repld.db", directory: path, seed: key.source == .file ? key.seed : nil)
        self.lock = lock
    }

    deinit { Self.unlock(lock) }

    /// Said, as closing alone leaves the lock with a process that was forked meanwhile, until it executes its
    /// program.
    private static func unlock(_ lock: Int32) {
        flock(lock, LOCK_UN)
        close(lock)
    }

    /// The key file of a state directory, if the mode or the owner of the file lets others than this user and
    /// root read it; nil where it does not, or where there is no such file. May be asked at any time.
    public static func exposedKey(in path: String) -> String? {
        let file = "\(path)/\(DeviceKeyFile.name)"
        var status = stat()
        guard lstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        let isPrivate = status.st_mode & 0o077 == 0
        return isPrivate && [geteuid(), 0].contains(status.st_uid) ? nil : file
    }

    /// The descriptor that holds the lock.
    private static func take(_ path: String) throws(StateFailure) -> Int32 {
        if mkdir(path, 0o700) != 0, errno != EEXIST {
            let parent = path.split(separator: "/").dropLast().joined(separator: "/")
            let code = errno
            throw .notUsable(
                path: path,
                reason: "it cannot be made (\(String(cString: strerror(code)))); does /\(parent) exist, "
                    + "and is it ours?", code: code)
        }
        let lock = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard lock >= 0 else { throw .system(errno, path) }
        func fail(_ failure: StateFailure) -> StateFailure {
            unlock(lock)
            return failure
        }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            throw fail(
                errno == EWOULDBLOCK ? .inUse(path: path) : .system(errno, path))
        }
        guard access(path, R_OK | W_OK | X_OK) == 0 else {
            let code = errno
            throw fail(
                .notUsable(path: path, reason: "this user may not write to it, or not list it", code: code))
        }
        // Until here the directory is as it was found; whether it stays so is decided now.
        do throws(StateFailure) { try StateOwnership.check(path) } catch { throw fail(error) }
        var status = stat()
        guard fstat(lock, &status) == 0, status.st_mode & 0o077 == 0 || fchmod(lock, 0o700) == 0 else {
            let code = errno
            throw fail(
                .notUsable(
                    path: path, reason: "others can read it, and it cannot be made private (0700)",
                    code: code))
        }
        return lock
    }

    private static func start(
        _ path: String, lock: Int32, credentials: String?, takesNewIdentity: Bool, wall: UInt64
    ) throws(StoreFailure) -> (StateDirectory, SQLiteStore) {
        // 1. The database, made private before anything is in it.
        let database = "\(path)/repld.db"
        guard let descriptor = try Files.open(database, O_RDWR | O_CREAT | O_NOFOLLOW) else {
            throw .system(ENOENT, doing: "making", path: database)
        }
        let databaseStatus = try Files.status(of: descriptor, database)
        if databaseStatus.st_mode & 0o077 != 0 { fchmod(descriptor, 0o600) }
        close(descriptor)
        try Files.syncDirectory(path)
        let highWater = try HighWater("\(path)/high-water")
        let store = try SQLiteStore(path: database, highWater: highWater)
        let row = IdentityRow(connection: store.writer)
        // 2. Who this is.
        if takesNewIdentity { try replaceIdentity(row, in: path, credentials: credentials) }
        let identity = try row.read()
        let key = try deviceKey(in: path, credentials: credentials, identity: identity)
        let device = SigningKey(seed: key.seed).publicKey
        if let expected = identity.device, expected != device {
            let place =
                key.source == .file
                ? "\(path)/\(DeviceKeyFile.name)" : "the credential \(DeviceKeyFile.credentialName)"
            throw .unusable(.file(path: place, .otherKey(database: database)))
        }
        // 3. Whether it goes on from where it stopped.
        let findings = Findings(
            identity: identity, file: try instanceFile(in: path), machine: try InstanceFile.thisMachine(),
            databaseInode: databaseStatus.inode, positions: store.positions,
            highWater: highWater.read(),
            highWaterSecondsPutBack: try highWater.secondsPutBack())
        let continuity = findings.continuity
        if case .uncertain = continuity { try checkIntegrity(of: store.writer) }
        try settle(row, device: device, findings: findings, continuity: continuity, in: path, wall: wall)
        highWater.write(store.positions)
        return (StateDirectory(path: path, key: key, continuity: continuity, lock: lock), store)
    }

    /// The steps of `IdentityRow`, in their order.
    private static func settle(
        _ row: IdentityRow, device: Bytes32, findings: Findings, continuity: Continuity, in path: String,
        wall: UInt64
    ) throws(StoreFailure) {
        let token = SystemRandom.secret(Bytes16.byteCount).withBytes { Bytes16(Array($0)) }
        let file = InstanceFile(
            machine: findings.machine, databaseInode: findings.databaseInode, token: token)
        let (new, instance) = ("\(path)/instance.new", "\(path)/instance")
        let made = try Files.create(new, Array(file.text.utf8))
        var reason: String?
        if case .uncertain(let why) = continuity { reason = why }
        try row.announce(token: token, inode: made.inode, uncertain: reason, wall: wall)
        let named = try Files.rename(new, to: instance, in: path)
        try row.settle(device: device, token: token, inode: named.inode, changed: named.changed)
    }

    /// The database forgets its device first, with the incarnations of its logs: cut off here, the old key is
    /// taken again, and cut off later, the new one.
    private static func replaceIdentity(
        _ row: IdentityRow, in path: String, credentials: String?
    ) throws(StoreFailure) {
        let old = try row.read().device
        if let found = try DeviceKeyFile.find(in: path, credentials: credentials), found.source == .credential
        {
            guard old != SigningKey(seed: found.seed).publicKey else {
                throw .unusable(
                    .file(path: path, .keyIsCredential(credential: DeviceKeyFile.credentialName)))
            }
            return try row.forgetDevice()
        }
        try row.forgetDevice()
        _ = try DeviceKeyFile.make(in: path, seed: SystemRandom.secret(DeviceKeyFile.byteCount))
    }

    /// The key that is there; else the one that a backup carries; else, for a fresh database only, a new one.
    private static func deviceKey(
        in path: String, credentials: String?, identity: Findings.Identity
    ) throws(StoreFailure) -> DeviceKeyFile {
        if let found = try DeviceKeyFile.find(in: path, credentials: credentials) { return found }
        if let seed = identity.seed, seed.count == DeviceKeyFile.byteCount {
            return try DeviceKeyFile.make(in: path, seed: Secret(copying: seed))
        }
        guard identity.device == nil else {
            throw .unusable(
                .file(path: "\(path)/\(DeviceKeyFile.name)", .noKey(credential: DeviceKeyFile.credentialName))
            )
        }
        return try DeviceKeyFile.make(in: path, seed: SystemRandom.secret(DeviceKeyFile.byteCount))
    }

    /// What `instance` says, and which file it is.
    private static func instanceFile(in path: String) throws(StoreFailure) -> Findings.File {
        let name = "\(path)/instance"
        guard let descriptor = try Files.open(name, O_RDONLY | O_NOFOLLOW) else { return .missing }
        defer { close(descriptor) }
        let status = try Files.status(of: descriptor, name)
        guard let bytes = try Files.read(name, limit: InstanceFile.bytesMax), let file = InstanceFile(bytes)
        else {
            return .unreadable
        }
        return .found(file, inode: status.inode, changed: status.changed)
    }

    /// An older database under a newer WAL, as careless copying leaves it, is torn: better to say so than to
    /// go on.
    private static func checkIntegrity(of connection: Connection) throws(StoreFailure) {
        let answer = try connection.first("PRAGMA quick_check(1)") { $0.text(0) }
        guard answer == "ok" else {
            throw .unusable(.file(path: connection.path, .failedCheck(answer: answer ?? "no answer")))
        }
    }
}
