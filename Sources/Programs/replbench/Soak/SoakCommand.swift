// `replbench soak`: that a space which is written to for ever stays as small as what it shows.

import ArgumentParser
import Glibc

struct SoakCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "soak", abstract: "Writes to a space for ever, and looks at disk, memory and vectors.",
        discussion: """
            Four nodes increment a counter, overwrite a register, fill and empty lists, make and delete \
            documents, and two of them are restarted, some as copies: for simulated days, then for minutes \
            with four daemons on 127.0.0.1, with no history kept and checkpoints as often as that asks for. \
            At the end four fresh daemons get the same state and a minute of the same. Prints whether each \
            bound held, and exits with 1 when one did not.
            """)

    @Option(help: "The daemon to soak.")
    var repld = "repld"
    @Option(help: "Simulated days; 0: none.")
    var days = 30
    @Option(help: "Minutes of the daemons; 0: none.")
    var minutes = 20
    @Option(help: "Documents that stay and that nobody writes to.")
    var documents = 5_000
    @Option(help: ArgumentHelp("Where the plot goes.", valueName: "file.svg"))
    var output: String?
    @Flag(help: "JSON lines instead of text.")
    var json = false

    func validate() throws {
        guard (0...3_650).contains(days) else { throw ValidationError("--days is 0 to 3650, not \(days)") }
        guard (0...10_000).contains(minutes) else {
            throw ValidationError("--minutes is 0 to 10000, not \(minutes)")
        }
        guard (100...1_000_000).contains(documents) else {
            throw ValidationError("--documents is 100 to 1000000, not \(documents)")
        }
    }

    func run() throws {
        var (records, verdicts) = ([SoakRecord](), [SoakVerdict]())
        if days > 0 {
            var soak = try SimulatedSoak(days: days, documents: documents, tell: tell)
            try soak.run()
            records.append(soak.record)
            verdicts += [soak.record.diskBound()] + soak.record.flatness()
        }
        if minutes > 0 {
            let (record, more) = try processes()
            records.append(record)
            verdicts += more
        }
        if json { for record in records { record.lines(print: { print($0) }) } }
        for verdict in verdicts { print(verdict.line(isJSON: json)) }
        if let output { try TextFile.write(SoakPlot(records: records).svg, to: output) }
        guard verdicts.allSatisfy(\.holds) else { throw ExitCode(1) }
    }

    private func processes() throws -> (SoakRecord, [SoakVerdict]) {
        let directory = try TemporaryDirectory()
        var soak = try ProcessSoak(
            "soaked", program: repld, in: directory, state: .documents(documents), tell: tell)
        try soak.run(minutes: Double(minutes))
        let soaked = try soak.rest()
        let record = soak.record
        let export = try soak.typedExport()
        soak.end()
        // The same state on daemons that have no past, a minute of the same, and the same rest.
        var other = try ProcessSoak(
            "fresh", program: repld, in: directory, state: .typed(export), tell: { _ in })
        try other.run(minutes: 1)
        let fresh = try other.rest()
        let mib = Double(1 << 20)
        return (
            record,
            [record.diskBound()] + record.flatness() + [
                SoakVerdict(
                    name: "processes: resident memory beside twice a fresh node's, MiB",
                    value: soaked.memory / mib, limit: 2 * fresh.memory / mib),
                SoakVerdict(
                    name: "processes: opening time beside twice a fresh node's, ms", value: soaked.opening,
                    limit: 2 * fresh.opening),
                // One in two minutes at least.
                SoakVerdict(
                    name: "processes: checkpoints that are missing",
                    value: max(0, Double(minutes / 2 - record.checkpoints)), limit: 0),
            ]
        )
    }

    /// How far it is, for who waits.
    private func tell(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = Glibc.write(2, bytes, bytes.count)
    }
}
