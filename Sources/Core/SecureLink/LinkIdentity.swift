// Who this node is on its links, the same for all of them.

public import Causality
public import Crypto

/// This node as its certificates show it.
public struct LinkIdentity: Sendable {
    public let key: SigningKey
    /// Random per start.
    public let instance: UInt64
    public let features: UInt32
    /// Noise static key: random per process and never written anywhere.
    public let staticKey: AgreementKey

    public init(key: SigningKey, instance: UInt64, features: UInt32 = 0, staticKey: AgreementKey) {
        self.key = key
        self.instance = instance
        self.features = features
        self.staticKey = staticKey
    }

    public var device: DeviceID { DeviceID(publicKey: key.publicKey) }
}
