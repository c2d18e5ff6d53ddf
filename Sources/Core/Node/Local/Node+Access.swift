// What requests need before they do anything: their space, the right to it, and a store that answers.

import Causality

extension Node {
    /// Finds a space by local name or by its 64-digit id.
    func handle(of reference: SpaceReference) throws(NodeError) -> SpaceHandle {
        // An id names its space whatever others are called (decision 0110).
        if let id = SpaceID(digits: reference.text), let index = spaces.handle(of: id) { return index }
        // By handle, since a space is large.
        if let index = spaces.indices.first(where: { spaces[$0].name == reference.text }) { return index }
        throw .noSuchSpace(reference.text)
    }
}
