// What the shell knows before the node exists: who the device is, how chance is seeded, what was found about
// the state directory.

public import Crypto

/// Fixed for the life of a node value.
public struct NodeConfiguration: Sendable {
    /// Signs seals, roster operations and certificates.
    public let device: SigningKey
    /// Opens sealed space keys.
    public let box: AgreementKey
    /// Shown to other members: 1 to 64 bytes.
    public let deviceName: String
    /// The program's version, for `status`.
    public let version: String
    /// 32 bytes of system randomness; in the simulator the seed of the run.
    public let entropySeed: Secret
    /// Set when the log that this store holds may have gone on elsewhere: a restored backup, a copied disk.
    /// Every space then gets a new incarnation, and an alarm says this.
    public let discontinuity: String?
    /// "host:port" of `--peer` and the config.
    public let staticPeers: [String]
    /// Addresses to put into invites and announcements before those that we listen on.
    public let advertise: [String]

    public init(
        device: SigningKey, box: AgreementKey, deviceName: String, version: String, entropySeed: Secret,
        discontinuity: String?, staticPeers: [String], advertise: [String]
    ) {
        self.device = device
        self.box = box
        self.deviceName = deviceName
        self.version = version
        self.entropySeed = entropySeed
        self.discontinuity = discontinuity
        self.staticPeers = staticPeers
        self.advertise = advertise
    }
}
