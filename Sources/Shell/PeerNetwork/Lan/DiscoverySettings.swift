// What the operator wants of discovery: whether, and on which interfaces what.

/// Settings of beacons. Interfaces are named as the system does; a `*` at the end stands for any rest.
public struct DiscoverySettings: Sendable, Equatable {
    /// Beacons are sent and heard.
    public var isEnabled: Bool
    /// Only these interfaces; empty: all.
    public var interfaces: [String]
    /// Not these.
    public var ignored: [String]
    /// Beacons are heard there and none is sent.
    public var silent: [String]
    /// No multicast is sent there, and none is heard.
    public var withoutMulticast: [String]
    /// No broadcast is sent there.
    public var withoutBroadcast: [String]

    public init(
        isEnabled: Bool = true, interfaces: [String] = [], ignored: [String] = [], silent: [String] = [],
        withoutMulticast: [String] = [], withoutBroadcast: [String] = []
    ) {
        self.isEnabled = isEnabled
        self.interfaces = interfaces
        self.ignored = ignored
        self.silent = silent
        self.withoutMulticast = withoutMulticast
        self.withoutBroadcast = withoutBroadcast
    }

    func hears(on interface: String) -> Bool {
        isEnabled && (interfaces.isEmpty || Self.names(interfaces, interface))
            && !Self.names(ignored, interface)
    }

    func sends(on interface: String) -> Bool { hears(on: interface) && !Self.names(silent, interface) }
    func multicasts(on interface: String) -> Bool { !Self.names(withoutMulticast, interface) }
    func broadcasts(on interface: String) -> Bool { !Self.names(withoutBroadcast, interface) }

    private static func names(_ patterns: [String], _ interface: String) -> Bool {
        patterns.contains { $0.hasSuffix("*") ? interface.hasPrefix($0.dropLast()) : $0 == interface }
    }
}
