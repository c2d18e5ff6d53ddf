// What the shell knows before the node exists: who the device is, how chance is seeded, what was found about
// the state directory.

public import Crypto
public import Wire

/// Fixed for the life of a node value, but for its `settings`.
public struct NodeConfiguration: Sendable {
    /// Signs seals, roster operations and certificates.
    public let device: SigningKey
    /// Opens sealed space keys.
    public let box: AgreementKey
    /// The program's version, for `status` and rosters.
    public let version: String
    /// What it understands, as other members hear; `.none` says nothing, as programs before the first level.
    public var level = FeatureLevel.current
    /// 32 bytes of system randomness; in the simulator the seed of the run.
    public let entropySeed: Secret
    /// Set when the log that this store holds may have gone on elsewhere: a restored backup, a copied disk.
    /// Every space then gets a new incarnation, and an alarm says this.
    public let discontinuity: String?
    /// The last process died of a trap, not of a stop, a kill or a loss of power: what comes from peers is
    /// noted before it is executed, for a while.
    public var hasCrashed = false
    /// What may change while the node runs.
    public internal(set) var settings: NodeSettings

    public init(
        device: SigningKey, box: AgreementKey, version: String, entropySeed: Secret, discontinuity: String?,
        settings: NodeSettings
    ) {
        self.device = device
        self.box = box
        self.version = version
        self.entropySeed = entropySeed
        self.discontinuity = discontinuity
        self.settings = settings
    }

    /// With the settings that have no default.
    public init(
        device: SigningKey, box: AgreementKey, deviceName: String, version: String, entropySeed: Secret,
        discontinuity: String?, staticPeers: [String], advertise: [String]
    ) {
        self.init(
            device: device, box: box, version: version, entropySeed: entropySeed,
            discontinuity: discontinuity,
            settings: NodeSettings(deviceName: deviceName, staticPeers: staticPeers, advertise: advertise))
    }
}
