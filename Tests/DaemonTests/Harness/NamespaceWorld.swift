// Daemons, each on a box of its own in a LAN of namespaces. They run with discovery, on the standard port,
// which is why only tests that hold a LAN may make them.

import Foundation
import Testing

/// The daemons of one test and the LAN that they are on.
final class NamespaceWorld {
    let world: DaemonWorld
    let lan: NamespaceLan
    static let port: UInt16 = 21_420

    /// Gives the body a LAN without boxes; ends and removes everything after it.
    static func run(_ body: (NamespaceWorld) throws -> Void) throws {
        let lan = try NamespaceLan()
        // After the daemons are gone: `DaemonWorld.run` ends them before it returns.
        defer { lan.remove() }
        try DaemonWorld.run { world in try body(NamespaceWorld(world, lan)) }
    }

    private init(_ world: DaemonWorld, _ lan: NamespaceLan) { (self.world, self.lan) = (world, lan) }

    /// A node on a new box, which does not run yet; the box has the node's name.
    func daemon(_ name: String, arguments: [String] = []) throws -> Daemon {
        try world.daemon(name, on: try lan.box(name), arguments: arguments)
    }

    /// A node that answers.
    func started(_ name: String, peers: [Daemon] = [], arguments: [String] = []) throws -> Daemon {
        try daemon(name, arguments: arguments).start(peers: peers)
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips, by name, where lines between namespaces cannot be made slow.
    static var slowLines: Self {
        .enabled(
            if: NamespaceCommands.slownessObstacle == nil,
            Comment(rawValue: NamespaceCommands.slownessObstacle ?? "lines can be made slow"))
    }

    /// Skips, by name, where network namespaces cannot be made.
    static var namespaces: Self {
        .enabled(
            if: NamespaceCommands.obstacle == nil,
            Comment(rawValue: NamespaceCommands.obstacle ?? "network namespaces can be made"))
    }
}
