// What a trial about members tells of its rosters when it failed: who did what on top of what, who holds it,
// and what each node makes of it.

import Bytes
import Causality
import Identity
import RosterModel
import Wire

extension RosterAccount {
    /// A line for each operation, by time, then one for each node; `devices` by node.
    func story(of devices: [DeviceID]) -> [String] {
        func name(_ device: DeviceID) -> String {
            devices.firstIndex(of: device).map { "node \($0)" } ?? device.short
        }
        let all = everything.compactMap { model.operations[$0] }.sorted {
            ($0.timestamp, $0.id) < ($1.timestamp, $1.id)
        }
        let numbers = Dictionary(all.enumerated().map { ($1.id, $0) }) { first, _ in first }
        var lines = all.map { operation in
            let heads = operation.heads.compactMap { numbers[$0] }.sorted().map { "#\($0)" }
            let holders = devices.indices.filter { set(at: $0).contains(operation.id) }.map(String.init)
            return
                "#\(numbers[operation.id] ?? -1) on \(heads.joined(separator: " ")): "
                + "\(name(operation.author)) \(Self.words(operation.body, name)); held by "
                + holders.joined(separator: " ")
        }
        for index in devices.indices {
            let states = devices.map { Self.words(state(of: $0, at: index)) }
            lines.append("as node \(index) knows: \(states.joined(separator: ", "))")
        }
        let states = devices.map { Self.words(state(of: $0)) }
        return lines + ["by all operations: \(states.joined(separator: ", "))"]
    }

    private static func words(_ body: RosterBody, _ name: (DeviceID) -> String) -> String {
        switch body {
        case .genesis: "makes the space"
        case .add(let add): "adds \(name(add.device)) as \(add.role) by \(add.invite)"
        case .remove(let remove): "removes \(name(remove.device))"
        case .role(let role): "makes \(name(role.device)) \(role.role)"
        case .leave: "leaves"
        case .invite(let invite): "invites by \(invite.id)"
        case .keyEpoch(let epoch):
            "keys \(epoch.epoch.value) for \(epoch.packages.map { name($0.device) }.joined(separator: " "))"
        default: String("\(body)".prefix { $0.isLetter })
        }
    }

    private static func words(_ state: RosterOracle.State) -> String {
        if case .active(let role) = state { "\(role)" } else { "\(state)" }
    }
}
