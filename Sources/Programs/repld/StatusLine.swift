// The line that `systemctl status` shows: spaces, links, and how far behind this node is. Asked of the node
// seldom, sent only when it says something new.

import Causality
import Node
import NodeRuntime
import ServiceLifecycle

/// Keeps the service manager's status line true.
struct StatusLine: Service {
    let notifier: ServiceNotifier
    let runtime: NodeRuntime
    private static let interval = Duration.seconds(15)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var last = ""
            while !Task.isCancelled {
                if let text = await text(), text != last {
                    notifier.status(text)
                    last = text
                }
                // Ends early when cancelled; the loop's condition sees it.
                do { try await Task.sleep(for: Self.interval) } catch { return }
            }
        }
    }

    /// Nil when the node stops.
    private func text() async -> String? {
        guard case .status(let status) = await runtime.answer(to: .status),
            case .peers(let peers, _) = await runtime.answer(to: .peers)
        else { return nil }
        return Self.text(
            spaces: status.spaces.count, links: status.links, behind: Self.behind(peers.flatMap(\.spaces)),
            alarms: status.alarms.count)
    }

    static func text(spaces: Int, links: Int, behind: UInt64, alarms: Int) -> String {
        let parts = [
            count(spaces, "space"), count(links, "link"), behind == 0 ? "not behind" : "\(behind) behind",
        ]
        return (parts + (alarms == 0 ? [] : [count(alarms, "alarm")])).joined(separator: ", ")
    }

    /// Changes that this node lacks: of each space, what the peer that is furthest ahead holds beyond us.
    static func behind(_ syncs: [PeerReport.Sync]) -> UInt64 {
        var behind: [SpaceID: UInt64] = [:]
        for space in syncs {
            behind[space.space] = max(behind[space.space] ?? 0, space.behindChanges ?? 0)
        }
        return behind.values.reduce(UInt64(0)) { $0.addingReportingOverflow($1).partialValue }
    }

    private static func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }
}

extension NodeRuntime {
    /// The one answer to a request that has one.
    func answer(to request: NodeRequest) async -> NodeAnswer {
        await withCheckedContinuation { continuation in
            submit(request) { continuation.resume(returning: $0) }
        }
    }
}
