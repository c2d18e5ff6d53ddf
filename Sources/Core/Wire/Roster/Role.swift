// The four roles of a space. Their order is the order of rights: each may do what those below it may (DESIGN
// 7).

/// What a member may do. Raw values are bytes in roster operations.
public enum Role: UInt8, Hashable, Comparable, Sendable, CaseIterable {
    /// Stores and passes on what it cannot read.
    case relay = 0
    /// Reads, and acknowledges what it holds.
    case reader = 1
    /// Also writes data and starts key epochs.
    case writer = 2
    /// Also invites, removes and changes roles.
    case admin = 3

    public static func < (left: Role, right: Role) -> Bool { left.rawValue < right.rawValue }

    /// As the API writes it.
    public var name: String {
        switch self {
        case .relay: "relay"
        case .reader: "reader"
        case .writer: "writer"
        case .admin: "admin"
        }
    }

    public init?(name: String) {
        guard let role = Role.allCases.first(where: { $0.name == name }) else { return nil }
        self = role
    }
}
