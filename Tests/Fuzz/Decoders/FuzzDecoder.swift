// What the fuzzers call, and what a quick test replays in debug: each decoder with the properties that must
// hold whatever bytes come. A trap is libFuzzer's to see; what is wrong without one is returned as a
// sentence. Inputs are bytes as a peer, a disk or a program would give them; where a checksum, a signature or
// a cipher would keep every mutation out, the property makes it itself, as a hostile member could.

import Bytes
public import Causality

/// A decoder that takes bytes from outside, or a road that such bytes take.
public enum FuzzDecoder: String, CaseIterable, Sendable {
    /// Bodies of frames; the first byte picks the type.
    case frames
    /// Canonical changes of one log, from its beginning.
    case changes
    /// A sealed run that its author signed, whatever is in it.
    case run
    /// Runs of two branches, proofs on a link and as they are stored.
    case forks
    /// Two logs whose changes are executed in both orders.
    case road
    case block
    /// A block of columns, read and replayed.
    case columns
    /// A plan and a block that always decodes, replayed in bulk and executed change by change.
    case histories
    case segment
    case snapshot
    /// Operations of the roster, and what they do when an admin signs them.
    case roster
    /// Proofs and answers of joining.
    case join
    /// Invite tokens, device ids, addresses, version tokens.
    case token
    /// Bytes of a connection before there is a key.
    case link
    /// Datagrams of discovery, and what a member may seal in one.
    case beacon
    /// Records of an established link.
    case records
    /// A bundle as it comes, and records that somebody sealed who knows the members' box keys.
    case bundle
    /// What the node keeps beside the log.
    case stored
    case json
    /// Transactions, planned and applied.
    case transaction
    /// Lines of a typed export, imported.
    case typed
    /// Methods and targets of HTTP requests.
    case request

    /// What is broken with these bytes; nil when every property holds.
    public func broken(by bytes: [UInt8]) -> String? {
        switch self {
        case .frames: DataProperties.frame(bytes)
        case .changes: DataProperties.changes(bytes)
        case .run: RoadProperties.run(bytes)
        case .forks: ForkProperties.forks(bytes)
        case .road: RoadProperties.road(bytes)
        case .columns: ColumnProperties.columns(bytes)
        case .histories: ReplayProperties.histories(bytes)
        case .block: DataProperties.block(bytes)
        case .segment: DataProperties.segment(bytes)
        case .snapshot: DataProperties.snapshot(bytes)
        case .roster: TrustProperties.roster(bytes)
        case .join: TrustProperties.join(bytes)
        case .token: TrustProperties.token(bytes)
        case .link: LinkProperties.link(bytes)
        case .beacon: LinkProperties.beacon(bytes)
        case .records: LinkProperties.records(bytes)
        case .bundle: BundleProperties.bundle(bytes)
        case .stored: TrustProperties.stored(bytes)
        case .json: TextProperties.json(bytes)
        case .transaction: TextProperties.transaction(bytes)
        case .typed: TextProperties.typed(bytes)
        case .request: TextProperties.request(bytes)
        }
    }
}

extension FuzzDecoder {
    /// A mutation of one input, perhaps with a piece of another. Where no mutated byte would get past the
    /// decoder, it is what the bytes say that is mutated.
    public func bent(
        _ bytes: [UInt8], _ other: [UInt8], countMax: Int, using random: inout SeededGenerator
    ) -> [UInt8] {
        switch self {
        case .histories: HistoryMutation.bent(bytes, other, countMax: countMax, using: &random)
        default: Mutation.bent(bytes, other, countMax: countMax, using: &random)
        }
    }

    /// True when mutations are to be mutated again: the mutated is as well-formed as the corpus.
    public var isDrifting: Bool { self == .histories }
}

/// Splits an input: the first byte picks what the rest is for.
func split(_ bytes: [UInt8]) -> (choice: Int, rest: [UInt8])? {
    guard let first = bytes.first else { return nil }
    return (Int(first), Array(bytes.dropFirst()))
}
