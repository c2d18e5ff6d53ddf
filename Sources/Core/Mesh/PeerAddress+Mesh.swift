// What the mesh asks of an address beyond its form.

public import Wire

extension PeerAddress {
    /// The part before the port.
    public var host: String { String(string[..<(string.lastIndex(of: ":") ?? string.endIndex)]) }
    /// True for addresses that lead back to the machine that dials them.
    public var isLoopback: Bool { host.hasPrefix("127.") || host == "[::1]" || host == "localhost" }
    /// True for "any address", which can be listened on and never dialled.
    public var isUnspecified: Bool { host == "0.0.0.0" || host == "[::]" }
}
