// What reports read: the parts of a node as they are at one moment, as values. A report changes nothing, and
// what it finds (a state to be remembered, a row that cannot be read) is handed back.

import Causality
import Replication

/// A node as reports see it; made for one report, since it holds what the node would then copy to change.
struct NodeView<Store: ChangeStore> {
    let device: DeviceID
    let settings: NodeSettings
    let store: Store
    let spaces: Spaces
    let links: LinksState
    let reachability: Reachability
    let catchUps: CatchUps
    /// The log that a closed log's branch goes into; nil when none of the branch is held.
    let reissue: (ReplicaID, SpaceHandle) throws(StoreFailure) -> Reissue?
}

extension Node {
    var view: NodeView<Store> {
        let node = self
        return NodeView(
            device: device, settings: configuration.settings, store: store, spaces: spaces, links: links,
            reachability: reachability, catchUps: catchUps,
            reissue: { replica, index throws(StoreFailure) in try node.reissue(of: replica, in: index) })
    }
}
