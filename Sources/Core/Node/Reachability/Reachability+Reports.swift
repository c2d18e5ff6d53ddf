// What reachability shows of addresses and beacons, and why a device is not linked.

import Causality
import Mesh
import Wire

extension Reachability {
    /// What is known of an address. `isOpen`: a link that was dialled there stands; `isLinked`: its device is
    /// linked.
    func report(
        _ address: PeerAddress, isOpen: Bool, isLinked: Bool, at now: Instant
    ) -> AddressReport {
        let entry = book[address]
        let name = names[address]
        let isUnderWay = dialer.isUnderWay(address) || name?.isUnderWay == true
        let isOwn = isOwn(address)
        let outcome: AddressReport.Outcome
        var reason: String?
        if isOpen {
            outcome = .linked
        } else if let why = address.whyNotDialled {
            (outcome, reason) = (.notDialled, why)
        } else if isOwn {
            (outcome, reason) = (.notDialled, "it leads to this node itself")
        } else if isUnderWay {
            outcome = address.isName ? .lookingUp : .connecting
            reason = entry?.lastFailure?.reason
        } else if let failure = name?.failure {
            (outcome, reason) = (.failed, failure)
        } else if let failure = entry?.lastFailure {
            (outcome, reason) = (.failed, failure.reason)
        } else {
            outcome = entry?.lastSuccess != nil ? .worked : name?.answeredAt != nil ? .lookedUp : .notTried
        }
        let isWaiting = !isOpen && !isOwn && !isLinked && !isUnderWay && address.whyNotDialled == nil
        let due = max(dialer.notBefore(address), now.monotonic)
        let failedLookups = name?.failure != nil ? dialer.failureCount(address) : 0
        return AddressReport(
            address: address.string, source: (entry?.source ?? .relayed).name, outcome: outcome,
            reason: reason, triedAt: address.isName ? name?.answeredAt : entry?.lastTried,
            workedAt: entry?.lastSuccess, failures: max(failedLookups, entry?.failures ?? 0),
            nextAt: isWaiting && isDialling ? now.wall(of: due) : nil,
            means: (name?.addresses ?? []).map(\.string))
    }

    /// Why a device without a link has none: what is known, since when, what is tried next and when.
    func whyNotLinked(_ peer: DeviceID, _ dials: [AddressReport], at now: Instant) -> String {
        let worked = dials.compactMap(\.workedAt).max()
        let since: String =
            if let last = linkedAt[peer] {
                "not linked for \(TimeSpan(from: last, to: now.monotonic))"
            } else if let worked, worked <= now.wall {
                "not linked since this node started; it was reached \(TimeSpan(now.wall - worked)) ago"
            } else {
                "never linked"
            }
        if let refusal = refusal(of: peer, at: now) {
            return
                "\(since): it is refused for \(TimeSpan(refusal.until - now.monotonic)), because it broke "
                + "the protocol: \(refusal.reason)"
        }
        if dials.isEmpty {
            return
                "\(since): no address of it is known; another member, a beacon or its own dial can tell one"
        }
        var sentence = since
        if let last = dials.filter({ $0.outcome == .failed }).max(by: {
            ($0.triedAt ?? 0) < ($1.triedAt ?? 0)
        }),
            let reason = last.reason
        {
            let ago = last.triedAt.map { $0 <= now.wall ? " \(TimeSpan(now.wall - $0)) ago" : "" } ?? ""
            sentence += "; \(last.address) failed\(ago): \(reason)"
        }
        if let under = dials.first(where: { $0.outcome == .connecting || $0.outcome == .lookingUp }) {
            return sentence + "; \(under.address) is being tried"
        }
        if let next = dials.filter({ $0.nextAt != nil }).min(by: { $0.nextAt ?? 0 < $1.nextAt ?? 0 }) {
            let wait = (next.nextAt ?? now.wall) - min(next.nextAt ?? now.wall, now.wall)
            return sentence + "; \(next.address) is tried " + (wait == 0 ? "next" : "in \(TimeSpan(wait))")
        }
        if let never = dials.first(where: { $0.outcome == .notDialled }), let reason = never.reason {
            return sentence + "; \(never.address) is not dialled: \(reason)"
        }
        return sentence
    }

    /// A time in a person's words: "40 s", "3 min", "5 h", "2 days".
    static func span(_ milliseconds: UInt64) -> String {
        let seconds = (milliseconds + 999) / 1_000
        if seconds < 120 { return "\(seconds) s" }
        if seconds < 7_200 { return "\(seconds / 60) min" }
        if seconds < 172_800 { return "\(seconds / 3_600) h" }
        return "\(seconds / 86_400) days"
    }
}

extension Discovery {
    /// As `status` shows it.
    var report: DiscoveryReport { DiscoveryReport(networks: networks, counts: counts) }

    /// Prometheus lines: name without prefix, help, value.
    var counters: [(String, String, UInt64)] {
        [
            ("beacons_sent_total", "Beacons sent, all spaces and routes.", counts.sent),
            ("beacons_unsent_total", "Beacons that the system did not take.", counts.unsent),
            ("beacons_heard_total", "Beacons of members that were news.", counts.heard),
            ("datagrams_processed_total", "Datagrams on which keys were tried.", counts.processed),
            ("datagrams_foreign_total", "Datagrams under none of our keys.", counts.foreign),
            ("datagrams_replayed_total", "Beacons heard before.", counts.replayed),
            ("datagrams_malformed_total", "Datagrams that are no beacon.", counts.malformed),
            ("datagrams_flooded_total", "Datagrams over the rate, unread.", counts.flooded),
            ("datagrams_own_total", "Beacons of ours that came back.", counts.own),
        ]
    }
}
