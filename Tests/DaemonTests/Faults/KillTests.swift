// kill -9 again and again under four writers, also in the middle of starting: after each start everything
// acknowledged is there, and nothing twice. 50 rounds in every run, 1,000 by command.

import Foundation
import Testing

extension DaemonTests {
    @Suite struct KillTests {
        /// What each writer was told, and what it has in doubt.
        private struct Ledger {
            var acknowledged = [0, 0, 0, 0]
            var asked = [0, 0, 0, 0]
        }

        @Test(
            "kill -9 under four writers: nothing acknowledged is lost, nothing is there twice, and it is back in 2 s"
        )
        func rounds() throws {
            let rounds = FaultRounds.count(sample: 50, whole: 1_000)
            try DaemonWorld.run { world in
                let daemon = try world.started("a")
                let api = daemon.api
                try api.createSpace("s")
                let stops = Shared(false)
                let ledger = Shared(Ledger())
                let total = { ledger.value.acknowledged.reduce(0, +) }
                let writers = Workers([0, 1, 2, 3]) { writer in
                    try Self.write(writer, api, ledger, until: stops)
                }
                defer { stops.change { $0 = true } }
                var ready = Sample()
                var dice = FaultDice(seed: 7)
                for round in 0..<rounds {
                    let before = total()
                    try eventually("increments in round \(round)", within: 60, every: 2) {
                        total() > before + 3
                    }
                    usleep(UInt32(dice.below(40_000)))
                    daemon.crash()
                    if round % 5 == 4 {
                        // Once more, somewhere in its start.
                        try daemon.launch(daemon.arguments)
                        usleep(UInt32(dice.below(60_000)))
                        daemon.crash()
                    }
                    let told = ledger.value.acknowledged
                    let start = secondsNow()
                    try daemon.start()
                    ready.add(secondsNow() - start)
                    let held = try Self.counts(api)
                    let asked = ledger.value.asked
                    for writer in 0..<4 {
                        #expect(
                            told[writer] <= held[writer] && held[writer] <= asked[writer],
                            "round \(round), writer \(writer): \(told[writer]) acknowledged, \(held[writer]) held, \(asked[writer]) asked"
                        )
                    }
                }
                stops.change { $0 = true }
                try writers.finish(within: 60)
                #expect(try Self.counts(api) == ledger.value.acknowledged, "each increment once")
                // Each change stands in the log once, and each of them was asked for.
                let log = try api.get("/v1/spaces/s/log").lines()
                #expect(Set(log.compactMap { $0["change"].string }).count == log.count)
                #expect(log.count <= total() + 1, "\(log.count) changes for \(total()) increments")
                #expect(try api.alarms() == [], "plain restarts raise nothing")
                #expect(ready.percentile(0.99) <= 2, "ready again: \(ready.summary) s")
                FaultRounds.report(
                    "kill -9: \(rounds) rounds, \(total()) acknowledged, ready again \(ready.summary) s")
            }
        }

        private static func counts(_ api: ControlClient) throws -> [Int] {
            let value = try api.value("s", "c")
            return (0..<4).map { Int(value["w\($0)"].integer ?? 0) }
        }

        /// Increments under ever new keys, each repeated until it is acknowledged.
        private static func write(
            _ writer: Int, _ api: ControlClient, _ ledger: Shared<Ledger>, until stops: Shared<Bool>
        ) throws {
            var number = 0
            let operation = #"{"op":"increment","document":"c","path":["w\#(writer)"],"by":1}"#
            while !stops.value {
                ledger.change { $0.asked[writer] += 1 }
                try api.incrementSurely("s", [operation], key: "\(writer)-\(number)")
                ledger.change { $0.acknowledged[writer] += 1 }
                number += 1
            }
        }
    }
}

/// Chance of the fault tests: xorshift64*, the same in every run.
struct FaultDice {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func below(_ bound: Int) -> Int {
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        return Int(truncatingIfNeeded: (state &* 0x2545_F491_4F6C_DD1D) >> 33) % bound
    }
}
