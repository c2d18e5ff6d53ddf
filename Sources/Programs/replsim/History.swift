// How a failed run is seen again: its command, and the end of its timeline. The run is made once more for it;
// lines come as things happen, so that a trap or a hang has them too.

/// A failed run, as a person reads it.
struct History {
    let command: String
    let lines: [String]
    private static let linesMax = 60

    init(of seed: UInt64, _ plan: PlanOptions, extra: [String]) {
        command = Self.command(of: seed, plan, extra: extra)
        var lines: [String] = []
        var campaign = Campaign(plan: plan, first: seed, count: 1, jobs: 1, keepsGoing: false)
        campaign.extra = extra
        campaign.onLine = { line in
            lines.append(String(line.prefix(400)))
            if lines.count > 2 * Self.linesMax { lines.removeFirst(Self.linesMax) }
        }
        _ = campaign.run()
        self.lines = lines.suffix(Self.linesMax)
    }

    /// What makes the same run again.
    static func command(of seed: UInt64, _ plan: PlanOptions, extra: [String]) -> String {
        (["replsim", "--seed", "\(seed)"] + plan.arguments + extra).map(quoted).joined(separator: " ")
    }

    func write() {
        print("\n\(command)")
        for line in lines { print("  \(line)") }
    }

    /// As a shell takes it.
    private static func quoted(_ argument: String) -> String {
        let isPlain = argument.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: ","), UInt8(ascii: "/"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        if isPlain && !argument.isEmpty { return argument }
        return "'"
            + argument.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
            + "'"
    }
}
