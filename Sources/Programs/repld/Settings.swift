// What the daemon runs with: flags before the config file before what stands to reason. Every value is
// checked here, so that nothing is found wrong when half of it has started.

import Logging
import PeerNetwork
import Wire

struct Settings {
    /// What was given on the command line.
    struct Flags {
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
    let listen: [ListenAddress]
    /// "host:port" to put into invites before those that we listen on.
    let advertise: [String]
    let peers: [String]
    let isDiscovering: Bool
    /// 1 to 64 bytes.
    let name: String
    let logLevel: Logger.Level

    static let nameBytesMax = 64

    init(flags: Flags, file: ConfigFile?, environment: Environment) throws(SettingsError) {
        guard let state = flags.state ?? file?.state ?? environment.stateDirectory else {
            throw .nowhere(what: "the state directory", flag: "--state")
        }
        guard let socket = flags.socket ?? file?.socket ?? environment.socket else {
            throw .nowhere(what: "the control socket", flag: "--socket")
        }
        self.state = Self.withoutSlash(state)
        self.socket = socket
        listen = try Self.listen(flags, file)
        advertise = try Self.addresses(file?.advertise ?? [], file?.place(of: "advertise") ?? "")
        peers =
            try Self.addresses(flags.peers, "--peer")
            + Self.addresses(file?.peers ?? [], file?.place(of: "peers") ?? "")
        isDiscovering = !flags.noDiscovery && (file?.discovery ?? true)
        name = try Self.name(flags, file, environment)
        logLevel = try Self.logLevel(flags, file)
    }

    /// "state/" and "state" are one directory, and messages name it as one.
    private static func withoutSlash(_ path: String) -> String {
        var trimmed = path[...]
        while trimmed.count > 1, trimmed.hasSuffix("/") { trimmed = trimmed.dropLast() }
        return String(trimmed)
    }

    private static func listen(_ flags: Flags, _ file: ConfigFile?) throws(SettingsError) -> [ListenAddress] {
        var (texts, place) = (file?.listen ?? [], file?.place(of: "listen") ?? "")
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

    private static func addresses(_ texts: [String], _ place: String) throws(SettingsError) -> [String] {
        for text in texts where PeerAddress(text) == nil {
            throw .wrongValue(place: place, value: text, need: "a host and a port, as box.example:21420")
        }
        return texts
    }

    private static func name(
        _ flags: Flags, _ file: ConfigFile?, _ environment: Environment
    ) throws(SettingsError) -> String {
        guard let wanted = flags.name ?? file?.name else {
            // A machine's name may be longer than a device's: cut at a character.
            var name = environment.hostName[...]
            while name.utf8.count > nameBytesMax { name = name.dropLast() }
            return String(name)
        }
        guard (1...nameBytesMax).contains(wanted.utf8.count) else {
            let place = flags.name == nil ? file?.place(of: "name") ?? "" : "--name"
            throw .wrongValue(place: place, value: wanted, need: "a name of 1 to \(nameBytesMax) bytes")
        }
        return wanted
    }

    private static func logLevel(_ flags: Flags, _ file: ConfigFile?) throws(SettingsError) -> Logger.Level {
        guard let wanted = flags.logLevel ?? file?.logLevel else { return .info }
        guard let level = Logger.Level(rawValue: wanted) else {
            let place = flags.logLevel == nil ? file?.place(of: "log-level") ?? "" : "--log-level"
            let all = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
            throw .wrongValue(place: place, value: wanted, need: "one of \(all)")
        }
        return level
    }
}
