// What an operator may change while the node runs: `replctl reload` reads the config file again and hands the
// whole of it over as one input, so a new value takes effect between two batches and never in one.

import Bytes
import Causality
import Crypto
public import Mesh
import Roster
import Wire

/// Replaced as a whole by `Input.settings`.
public struct NodeSettings: Sendable, Equatable {
    /// Shown to other members: 1 to 64 bytes.
    public var deviceName: String
    /// "host:port" of `--peer` and the config.
    public var staticPeers: [String]
    /// Addresses to put into invites and announcements before those that we listen on.
    public var advertise: [String]
    /// When links are asked for a sign of life, and when they are dead; also of links that are up.
    public var liveness: LivenessTimes

    /// Bytes of changes a second that may be sent on one link, and on all together; 0: no cap.
    public var linkBytesPerSecond = 0
    public var totalBytesPerSecond = 0
    /// Links that a node keeps in a space of many members; at least 3.
    public var activeLinks = NodeSettings.activeLinksStandard
    public static let activeLinksStandard = 6
    /// The file of the device key while others could read it: an alarm as long as it is there.
    public var exposedKey: String?
    /// Local writes stop below so much free disk.
    public var diskFloor = DiskFloor.standard

    /// What of the log is kept beyond what is needed.
    public var retainHistory = Retention.standard
    /// Bytes of log since the last checkpoint after which one is proposed; nil: the larger of 16 MiB and half
    /// the state.
    public var checkpointLogBytes: UInt64?
    /// After which one is proposed, from the first change since the last.
    public var checkpointSeconds = NodeSettings.checkpointSecondsStandard
    public static let checkpointSecondsStandard: UInt64 = 86_400
    /// Checkpoints are proposed by themselves: only where a setting asks for it, until the simulator's seeds
    /// with checkpoints hold. Who calls `POST checkpoints` proposes in any case.
    var isProposing: Bool {
        checkpointLogBytes != nil || checkpointSeconds != NodeSettings.checkpointSecondsStandard
    }
    /// Members that were not seen for so long are not waited for.
    public var absentAfterSeconds = NodeSettings.absentAfterSecondsStandard
    public static let absentAfterSecondsStandard: UInt64 = 60 * 86_400

    public init(
        deviceName: String, staticPeers: [String], advertise: [String],
        liveness: LivenessTimes = LivenessTimes()
    ) {
        self.deviceName = deviceName
        self.staticPeers = staticPeers
        self.advertise = advertise
        self.liveness = liveness
    }
}

extension Node {
    /// Takes what differs into effect; equal settings cost nothing.
    mutating func apply(_ settings: NodeSettings, at now: Instant) {
        let old = configuration.settings
        configuration.settings = settings
        if settings.staticPeers != old.staticPeers {
            setStaticPeers()
            reachability.checkDials()
        }
        links.connections.set(settings.liveness, at: now)
        reachability.setAdvertise(settings.advertise)
        if settings.activeLinks != old.activeLinks { reachability.checkDials() }
        if settings.deviceName != old.deviceName { updateDeviceName(at: now) }
        updateKeyAlarm(at: now)
        // What is free stays; whether it is enough may not.
        if settings.diskFloor != old.diskFloor {
            resolveAlarm(code: "disk-low")
            isDiskLow = false
            recordDiskFree(diskFree, of: diskTotal, at: now)
        }
    }

    /// Tells each roster this device's name where it says another: after a reload, and at a start with
    /// another name than before.
    mutating func updateDeviceName(at now: Instant) {
        guard let name = DeviceName(configuration.settings.deviceName) else {
            return batch.log(
                .warning, "device-name",
                "this device's name has characters that no node would show; members see the old one"
            )
        }
        for index in spaces.indices {
            guard let said = spaces[index].roster.description(of: device), said.name != name else { continue }
            let update = DeviceDescription(
                name: name, boxKey: configuration.box.publicKey, addresses: reachability.advertisedAddresses)
            do throws(RosterFault) {
                let operation = try spaces[index].membership.roster.author(
                    .deviceUpdate(.init(update)), at: now.timestamp, by: configuration.device)
                _ = try spaces[index].membership.roster.add(operation)
                storeRoster([operation], in: index, at: now)
            } catch {
                // Whoever left or was removed has no word in that roster any more.
                batch.log(
                    .notice, "device-name",
                    "the roster of space \(spaces[index].name) keeps this device's old name: "
                        + "\(FaultWords(error))"
                )
            }
        }
    }

    /// The addresses of the configuration, and no others, are fixed.
    mutating func setStaticPeers() {
        var fixed: [PeerAddress] = []
        for text in configuration.settings.staticPeers {
            guard let address = PeerAddress(text) else {
                batch.log(.warning, "static-peer", "\(text) is no \"host:port\"; it is not dialled")
                continue
            }
            if let why = address.whyNotDialled {
                batch.log(.warning, "static-peer", "\(text) is not dialled: \(why)")
            }
            fixed.append(address)
        }
        reachability.setStaticPeers(fixed)
    }
}
