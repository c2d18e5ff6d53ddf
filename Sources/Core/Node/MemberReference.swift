// Devices as programs name them, and as answers name them to people.

public import Causality
import Identity

/// A device as a program names it: by the name that one active member has, by its device ID, or by the first
/// letters of that, 7 or more.
public struct MemberReference: Hashable, Sendable {
    public let text: String

    public init(_ text: String) { self.text = text }

    /// By the whole device ID.
    public init(_ device: DeviceID) { self.init(device.text) }
}

/// A device with the name that it gives itself.
public struct NamedDevice: Hashable, Sendable, CustomStringConvertible {
    public let device: DeviceID
    /// Empty for one that never was a member.
    public let name: String

    public init(_ device: DeviceID, _ name: String) {
        self.device = device
        self.name = name
    }

    /// "attic (TXCWM6Y)"; the letters alone of one without a name.
    public var description: String { name.isEmpty ? device.short : "\(name) (\(device.short))" }
}
