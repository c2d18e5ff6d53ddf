// What spreading costs, and that it does not stop: the tree in a full mesh, its repair, catching up from one
// peer, caps, and the partial views of a mesh that is too large to be full. Figures of larger meshes come
// from `replbench mesh` (PERFORMANCE.md).

import Causality
import Node
import Replication
import Simulator
import Testing
import Wire

@Suite struct GossipTests {
    @Test(
        "in a full mesh of 20 steady writers a node receives at most 1.3 bytes a byte, links breaking or not")
    func fullMesh() throws {
        var trial = try #require(MeshTrial(nodes: 20, seed: 5))
        let isFull = trial.world.run(within: 60_000) { world in
            world.nodes.allSatisfy { $0.node?.linkedDevices.count == 19 }
        }
        #expect(isFull)
        let nodes = Array(0..<20)
        // The first changes of each author find their tree.
        _ = trial.write(nodes, bytes: 300, every: 2_500, for: 2_500)
        let steady = trial.write(nodes, bytes: 300, every: 2_500, for: 10_000)
        #expect(steady.ratio <= 1.3 && steady.duplicate == 0, "\(steady.ratio) of \(steady)")
        let breaks = trial.connectionCount
        trial.world.weather.breaksOneIn = 2_000
        let breaking = trial.write(nodes, bytes: 300, every: 2_500, for: 10_000)
        #expect(breaking.ratio <= 1.3 && trial.connectionCount > breaks, "\(breaking.ratio) of \(breaking)")
        trial.world.weather.breaksOneIn = 0
        let settled = trial.converge(within: 60_000)
        #expect(settled != nil)
    }
}
