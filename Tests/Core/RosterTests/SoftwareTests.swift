// What members say that they run (decision 0170).

import Bytes
import Causality
import Testing
import Wire

@testable import Roster

@Suite struct SoftwareTests {
    private func said(_ version: String, _ level: FeatureLevel = .current) throws -> RosterBody {
        .deviceSoftware(try #require(DeviceSoftware(level: level, version: version)))
    }

    @Test("the last that a device said counts, whatever the order in which it comes")
    func last() throws {
        let (creator, writer) = (Box(1), Box(2))
        var roster = try Roster(genesis: genesis(by: creator))
        try roster.admit(writer, .writer, by: creator)
        #expect(roster.software(of: writer.device) == nil)
        let before = roster
        let first = try roster.act(said("1.0"), by: writer)
        let second = try roster.act(said("2.0", FeatureLevel(7)), by: writer)
        #expect(roster.software(of: writer.device)?.version == "2.0")
        var other = before
        for operation in [second, first] { _ = try other.add(operation) }
        #expect(other.software(of: writer.device) == roster.software(of: writer.device))
        #expect(other.software(of: writer.device)?.level == FeatureLevel(7))
        #expect(roster.software(of: creator.device) == nil)
    }

    @Test("it is said once; a relay says it when all who are none did")
    func due() throws {
        let (creator, writer, relay, second) = (Box(1), Box(2), Box(3), Box(4))
        let now = try #require(DeviceSoftware(level: .current, version: "1.0"))
        var roster = try Roster(genesis: genesis(by: creator))
        try roster.admit(writer, .writer, by: creator)
        try roster.admit(relay, .relay, by: creator)
        try roster.admit(second, .relay, by: creator)
        #expect(roster.isToSay(now, by: creator.device) && roster.isToSay(now, by: writer.device))
        #expect(!roster.isToSay(now, by: relay.device) && !roster.isToSay(now, by: Box(9).device))
        _ = try roster.act(said("1.0"), by: creator)
        #expect(!roster.isToSay(now, by: creator.device) && !roster.isToSay(now, by: relay.device))
        _ = try roster.act(said("0.9"), by: writer)
        #expect(roster.isToSay(now, by: writer.device) && roster.isToSay(now, by: relay.device))
        _ = try roster.act(said("1.0"), by: relay)
        #expect(roster.software(of: relay.device) == now && roster.isToSay(now, by: second.device))
    }

    @Test("a level is told by the bit of it, and what nobody can read says nothing")
    func forms() throws {
        #expect(FeatureLevel(features: 0) == .none && FeatureLevel(features: 0xFFFF_FFFE) == .none)
        #expect(FeatureLevel(features: 1) == .removals && FeatureLevel(features: .max) == .checkpoints)
        #expect(FeatureLevel.none.features == 0 && FeatureLevel.removals.features == 1)
        #expect(FeatureLevel(9).features == 3 && FeatureLevel(features: 3) == .checkpoints)
        for version in ["", "1 0", "1\n0", "é", String(repeating: "1", count: 65)] {
            #expect(DeviceSoftware(level: .current, version: version) == nil)
        }
        #expect(DeviceSoftware(level: .current, version: String(repeating: "1", count: 64)) != nil)
    }
}
