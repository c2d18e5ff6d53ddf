// Programs act in one place again and again. Where a container is the only thing in its slot, on the whole
// way down, nothing has to be resolved: the place is found once and remembered.

import Bytes
import Causality

extension DocumentState {
    /// The container of a kind that a path of keys shows, when on the whole way there is nothing else in any
    /// slot. It is the remembered one then.
    mutating func soleContainer(
        at path: ArraySlice<PathElement>, _ kind: ContainerKind
    ) -> (content: Int, path: ContainerPath)? {
        if let recentPath, recentPath.kind == kind, let recentRequest, path.elementsEqual(recentRequest),
            isRecentSole
        {
            return (self[recentChain[recentChain.count - 1].container].content, recentPath)
        }
        guard path.count <= DocumentLimits.nestingMax else { return nil }
        var chain: ContiguousArray<PathLink> = []
        var steps: [ContainerStep] = []
        guard let root = soleContainer(in: Self.root) else { return nil }
        chain.append(PathLink(slot: Self.root, container: root))
        var container = root
        for element in path {
            guard case .key(let key) = element, self[container].kind == .map,
                let slot = slot(.key(key), in: container), let inner = soleContainer(in: slot)
            else { return nil }
            container = inner
            chain.append(PathLink(slot: slot, container: inner))
            steps.append(ContainerStep(.key(key), self[inner].kind, self[inner].generation))
        }
        guard self[container].kind == kind else { return nil }
        let found = ContainerPath(generation: self[root].generation, steps: steps)
        (recentPath, recentChain, recentRequest) = (found, chain, Array(path))
        return (self[container].content, found)
    }

    private var isRecentSole: Bool {
        for index in recentChain.indices
        where soleContainer(in: recentChain[index].slot) != recentChain[index].container {
            return false
        }
        return true
    }

    private func soleContainer(in slot: SlotHandle) -> ContainerHandle? {
        guard slots[slot.index].live.count == 1, slots[slot.index].registers.isEmpty else { return nil }
        return slots[slot.index].live[0]
    }
}
