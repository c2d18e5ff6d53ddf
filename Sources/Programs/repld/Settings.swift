// What the daemon runs with: flags before the config file before what stands to reason. Every value is
// checked here, so that nothing is found wrong when half of it has started.

import ControlServer
import Logging
import Mesh
import Node
import PeerNetwork
import SyncFolder
import Wire

struct Settings: Sendable {
    /// What was given on the command line.
    struct Flags: Sendable {
        var state: String?
        var socket: String?
        var listen: String?
        var peers: [String] = []
        var noDiscovery = false
        var name: String?
        var logLevel: String?
    }

    let state: String
    let socket: String
    /// For the log: why the socket is in no place of its own; nil where it is.
    let socketNote: String?
    let listen: [ListenAddress]
    /// "host:port" to put into invites before those that we listen on.
    private(set) var advertise: [String]
    private(set) var peers: [String]
    /// Bytes of changes a second on one link, and on all together; 0: no cap.
    private(set) var linkBytesPerSecond: Int
    private(set) var totalBytesPerSecond: Int
    /// Links kept in a large space.
    private(set) var activeLinks: Int
    /// Local writes stop below so much free disk.
    private(set) var diskFloor: DiskFloor
    /// What of the log is kept beyond what is needed.
    private(set) var retainHistory: Retention
    /// When a checkpoint is proposed: after so much log, nil: by the size of the state; after so long.
    private(set) var checkpointLogBytes: UInt64?
    private(set) var checkpointSeconds: UInt64
    /// Members that were not seen for so long are not waited for.
    private(set) var absentAfterSeconds: UInt64
    /// The folder in which bundles are left and taken, "" without one; and how large a file there may be.
    private(set) var syncFolder: String
    private(set) var syncFolderFileBytesMax: Int
    /// What single users and groups may do on the control socket.
    private(set) var access: AccessSettings
    let discovery: DiscoverySettings
    /// 1 to 64 bytes.
    private(set) var name: String
    private(set) var logLevel: Logger.Level

    /// Silence on a link after which a sign of life is asked for, and after which it is dead; the second is
    /// greater.
    private(set) var pingSeconds: Int
    private(set) var linkTimeoutSeconds: Int

    /// The device key's file while others can read it; found out after the start, not configured.
    var exposedKey: String?

    static let nameBytesMax = 64

    init(flags: Flags, file: ConfigFile?, environment: Environment) throws(SettingsError) {
        guard let state = flags.state ?? file?.string("state") ?? environment.stateDirectory else {
            throw .noStateDirectory
        }
        self.state = Self.withoutSlash(state)
        (socket, socketNote) = try Self.socket(flags, file, environment, state: self.state)
        listen = try Self.listen(flags, file)
        advertise = try Self.addresses(file?.strings("advertise") ?? [], file?.place(of: "advertise") ?? "")
        peers =
            try Self.addresses(flags.peers, "--peer")
            + Self.addresses(file?.strings("peers") ?? [], file?.place(of: "peers") ?? "")
        linkBytesPerSecond = file?.integer("link-bytes-per-second") ?? 0
        totalBytesPerSecond = file?.integer("total-bytes-per-second") ?? 0
        activeLinks = file?.integer("active-links") ?? NodeSettings.activeLinksStandard
        diskFloor = try SizeText.diskFloor(file)
        retainHistory = try HistoryText.retention(file)
        checkpointLogBytes = try HistoryText.logBytes(file)
        checkpointSeconds =
            try HistoryText.seconds("checkpoint-seconds", file) ?? NodeSettings.checkpointSecondsStandard
        absentAfterSeconds =
            try HistoryText.seconds("absent-after", file) ?? NodeSettings.absentAfterSecondsStandard
        syncFolder = try FolderText.folder(file, state: self.state)
        syncFolderFileBytesMax = try FolderText.fileBytesMax(file)
        access = try AccessText.settings(file)
        discovery = DiscoverySettings(
            isEnabled: !flags.noDiscovery && (file?.bool("discovery.enabled") ?? true),
            interfaces: file?.strings("discovery.interfaces") ?? [],
            ignored: file?.strings("discovery.ignore") ?? [],
            silent: file?.strings("discovery.silent") ?? [],
            withoutMulticast: file?.strings("discovery.no-multicast") ?? [],
            withoutBroadcast: file?.strings("discovery.no-broadcast") ?? [])
        name = try Self.name(flags, file, environment)
        logLevel = try Self.logLevel(flags, file)
        (pingSeconds, linkTimeoutSeconds) = try Self.linkTimes(file)
    }

    /// These settings after a reload that found `wanted`: every key of `ConfigKey.all` that may change has
    /// its value (a test holds the two together), the others wait for a restart.
    func taking(from wanted: Settings) -> Settings {
        var taken = self
        taken.advertise = wanted.advertise
        taken.peers = wanted.peers
        taken.linkBytesPerSecond = wanted.linkBytesPerSecond
        taken.totalBytesPerSecond = wanted.totalBytesPerSecond
        taken.activeLinks = wanted.activeLinks
        taken.diskFloor = wanted.diskFloor
        taken.retainHistory = wanted.retainHistory
        taken.checkpointLogBytes = wanted.checkpointLogBytes
        taken.checkpointSeconds = wanted.checkpointSeconds
        taken.absentAfterSeconds = wanted.absentAfterSeconds
        taken.syncFolder = wanted.syncFolder
        taken.syncFolderFileBytesMax = wanted.syncFolderFileBytesMax
        taken.access = wanted.access
        taken.name = wanted.name
        taken.logLevel = wanted.logLevel
        taken.pingSeconds = wanted.pingSeconds
        taken.linkTimeoutSeconds = wanted.linkTimeoutSeconds
        return taken
    }

    /// What of it is the sync folder's.
    var folder: FolderSettings? {
        guard !syncFolder.isEmpty else { return nil }
        return FolderSettings(path: syncFolder, fileBytesMax: syncFolderFileBytesMax, state: state)
    }

    /// What of it is the node's.
    var node: NodeSettings {
        var node = NodeSettings(
            deviceName: name, staticPeers: peers, advertise: advertise,
            liveness: LivenessTimes(
                pingMilliseconds: UInt64(pingSeconds) * 1_000,
                deadMilliseconds: UInt64(linkTimeoutSeconds) * 1_000))
        node.linkBytesPerSecond = linkBytesPerSecond
        node.totalBytesPerSecond = totalBytesPerSecond
        node.activeLinks = activeLinks
        node.exposedKey = exposedKey
        node.diskFloor = diskFloor
        node.retainHistory = retainHistory
        node.checkpointLogBytes = checkpointLogBytes
        node.checkpointSeconds = checkpointSeconds
        node.absentAfterSeconds = absentAfterSeconds
        return node
    }

    /// "state/" and "state" are one directory, and messages name it as one.
    static func withoutSlash(_ path: String) -> String {
        var trimmed = path[...]
        while trimmed.count > 1, trimmed.hasSuffix("/") { trimmed = trimmed.dropLast() }
        return String(trimmed)
    }

    private static func socket(
        _ flags: Flags, _ file: ConfigFile?, _ environment: Environment, state: String
    ) throws(SettingsError) -> (String, note: String?) {
        let wanted =
            if let flag = flags.socket {
                Environment.SocketPlace(place: "--socket", path: flag)
            } else if let setting = file?.string("socket") {
                Environment.SocketPlace(place: file?.place(of: "socket") ?? "", path: setting)
            } else {
                environment.socket(state: state)
            }
        guard 1...ControlServer.socketPathBytesMax ~= wanted.path.utf8.count else {
            throw .wrongValue(
                place: wanted.place, value: wanted.path,
                need: "a path of 1 to \(ControlServer.socketPathBytesMax) bytes, as a Unix socket has; "
                    + "--socket names another")
        }
        return (wanted.path, wanted.note)
    }

    private static func listen(_ flags: Flags, _ file: ConfigFile?) throws(SettingsError) -> [ListenAddress] {
        var (texts, place) = (file?.strings("listen") ?? [], file?.place(of: "listen") ?? "")
        if let flag = flags.listen { (texts, place) = ([flag], "--listen") }
        if texts.isEmpty { return ListenAddress.all() }
        var found: [ListenAddress] = []
        for text in texts {
            guard let address = ListenAddress(text) else {
                throw .wrongValue(
                    place: place, value: text, need: "an IP address and a port, as 0.0.0.0:21420")
            }
            found.append(address)
        }
        return found
    }

    private static func linkTimes(_ file: ConfigFile?) throws(SettingsError) -> (ping: Int, dead: Int) {
        let ping = file?.integer("ping-interval-seconds") ?? Int(MeshLimits.pingMilliseconds / 1_000)
        let dead =
            file?.integer("link-timeout-seconds") ?? max(2 * ping, Int(MeshLimits.deadMilliseconds / 1_000))
        guard ping < dead else {
            throw .wrongValue(
                place: file?.place(of: "link-timeout-seconds") ?? "", value: "\(dead)",
                need: "more than ping-interval-seconds, which is \(ping)")
        }
        return (ping, dead)
    }

    private static func addresses(_ texts: [String], _ place: String) throws(SettingsError) -> [String] {
        for text in texts where PeerAddress(text) == nil {
            throw .wrongValue(place: place, value: text, need: "a host and a port, as box.example:21420")
        }
        return texts
    }

    private static func name(
        _ flags: Flags, _ file: ConfigFile?, _ environment: Environment
    ) throws(SettingsError) -> String {
        guard let wanted = flags.name ?? file?.string("name") else {
            // A machine's name may be longer than a device's: cut at a character.
            var name = environment.hostName[...]
            while name.utf8.count > nameBytesMax { name = name.dropLast() }
            return String(name)
        }
        guard DeviceName(wanted) != nil else {
            let place = flags.name == nil ? file?.place(of: "name") ?? "" : "--name"
            throw .wrongValue(
                place: place, value: wanted,
                need: "a name of 1 to \(nameBytesMax) bytes without control characters")
        }
        return wanted
    }

    private static func logLevel(_ flags: Flags, _ file: ConfigFile?) throws(SettingsError) -> Logger.Level {
        guard let wanted = flags.logLevel ?? file?.string("log-level") else { return .info }
        guard let level = Logger.Level(rawValue: wanted) else {
            let place = flags.logLevel == nil ? file?.place(of: "log-level") ?? "" : "--log-level"
            let all = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
            throw .wrongValue(place: place, value: wanted, need: "one of \(all)")
        }
        return level
    }
}
