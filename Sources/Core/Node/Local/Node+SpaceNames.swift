// Names of spaces on this node.

import Causality
import Wire

extension Node {
    /// A local name is free, and there is room for one more space.
    func checkName(_ name: String) throws(NodeError) {
        guard SpaceName(name) != nil, SpaceID(digits: name) == nil else { throw .invalidName(name) }
        if spaces.contains(where: { $0.name == name }) { throw .nameTaken(name) }
        guard spaces.count < NodeLimits.spacesMax else {
            throw .tooMany(what: "spaces", limit: NodeLimits.spacesMax)
        }
    }

    /// The name itself when it is free here and no id, else the first of name-2, name-3 … that is.
    func freeName(like name: String) -> String {
        let taken = Set(spaces.map(\.name))
        if !taken.contains(name), SpaceID(digits: name) == nil { return name }
        for number in 2... {
            let suffix = "-\(number)"
            let stem = name.prefix(RosterLimits.spaceNameBytesMax - suffix.utf8.count)
            if !taken.contains(stem + suffix) { return stem + suffix }
        }
        preconditionFailure("\(taken.count) spaces take all names")
    }
}
