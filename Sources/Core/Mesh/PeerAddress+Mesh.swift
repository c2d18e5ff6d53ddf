// What the mesh asks of an address beyond its form.

public import Wire

extension PeerAddress {
    /// The part before the port; IPv6 in brackets.
    public var host: String { String(string[..<(string.lastIndex(of: ":") ?? string.endIndex)]) }
    /// The decimal digits after the last colon.
    public var port: String {
        String(string[(string.lastIndex(of: ":").map(string.index(after:)) ?? string.endIndex)...])
    }

    /// True for addresses that lead back to the machine that dials them.
    public var isLoopback: Bool { host.hasPrefix("127.") || host == "[::1]" || host == "localhost" }
    /// True for "any address", which can be listened on and never dialled.
    public var isUnspecified: Bool { host == "0.0.0.0" || host == "[::]" }
    /// True for a name, which must be looked up before it can be dialled.
    public var isName: Bool { !host.hasPrefix("[") && octets == nil }

    /// Why nobody can be reached there, whoever says so; nil for an address worth a dial.
    public var whyNotDialled: String? {
        if isUnspecified { return "it stands for any address and can only be listened on" }
        if let octets {
            if octets[0] == 0 { return "it stands for this network" }
            if octets[0] >= 224, octets[0] < 240 { return "it is a multicast address" }
            if octets == [255, 255, 255, 255] { return "it is the broadcast address" }
        }
        if host.lowercased().hasPrefix("[ff") { return "it is a multicast address" }
        return nil
    }

    /// What two addresses on one LAN mostly have in common: the first 24 bits of IPv4, 64 of IPv6; nil for
    /// names, loopback, and IPv6 that is written short there.
    public var network: String? {
        if isLoopback { return nil }
        if let octets { return octets[..<3].map(String.init).joined(separator: ".") }
        guard host.hasPrefix("[") else { return nil }
        let groups = host.dropFirst().split(separator: ":", omittingEmptySubsequences: false).prefix(4)
        guard groups.count == 4, groups.allSatisfy({ !$0.isEmpty }) else { return nil }
        return groups.joined(separator: ":").lowercased()
    }

    /// The four numbers of a dotted IPv4 address; nil for anything else.
    private var octets: [UInt8]? {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var numbers: [UInt8] = []
        for part in parts {
            guard part.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt8(part) else {
                return nil
            }
            numbers.append(number)
        }
        return numbers
    }
}
