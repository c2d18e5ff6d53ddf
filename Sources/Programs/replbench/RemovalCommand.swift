// `replbench removal`: how long a node takes over the changes of a removed member, and how it answers reads
// meanwhile.

import ArgumentParser
import Bytes
import Glibc

struct RemovalCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "removal", abstract: "Measures how a running daemon takes the removal of a member.",
        discussion: """
            Starts three daemons of its own. One member writes to some documents and is gone; an admin that \
            never saw that removes it; the third node holds all documents, hears of the removal, and makes \
            those documents anew. Prints a JSON line: seconds from when it says that the member is removed \
            until none of them shows what the member wrote, and the latencies of reads of any document in \
            that time, in milliseconds.
            """)

    @Option(help: "The daemon to measure.")
    var repld = "repld"
    @Option(help: "Documents, in thousands.")
    var thousands = 1_000
    @Option(help: "Documents that the removed member wrote to.")
    var written = 1_000

    func validate() throws {
        guard (1...10_000).contains(thousands), (1...thousands * 1_000).contains(written) else {
            throw ValidationError("--thousands is 1 to 10000, --written not more than the documents")
        }
    }

    func run() throws {
        try RemovalBench(repld: repld, documents: thousands * 1_000, written: written).run()
    }
}

private struct RemovalBench {
    let repld: String
    let documents: Int
    let written: Int
    let directory: TemporaryDirectory

    init(repld: String, documents: Int, written: Int) throws(BenchFailure) {
        (self.repld, self.documents, self.written) = (repld, documents, written)
        directory = try TemporaryDirectory()
    }

    func run() throws(BenchFailure) {
        let keeper = try BenchNode("keeper", program: repld, in: directory)
        try keeper.ask("POST", "/v1/spaces", body: #"{"name":"bench"}"#)
        // 1. An admin that knows the member, and sees nothing of what follows.
        var admin = try BenchNode("admin", program: repld, in: directory)
        try admin.join(try invite("admin", by: keeper))
        let gone = try BenchNode("gone", program: repld, in: directory)
        try gone.join(try invite("writer", by: keeper))
        try wait("the admin knows the member") { () throws(BenchFailure) in
            try members(admin).contains(#""gone""#)
        }
        admin.process.stop()
        // 2. A member that writes, and is gone when the keeper has it.
        for number in 0..<written {
            try gone.ask("POST", Self.transactions, body: Self.body([number], path: "mark"))
        }
        try wait("the keeper has what the member wrote") { () throws(BenchFailure) in
            try shows(keeper, written - 1)
        }
        gone.process.stop()
        // 3. All documents, those of the member too.
        for start in stride(from: 0, to: documents, by: 1_000) {
            try keeper.ask("POST", Self.transactions, body: Self.body(start..<start + 1_000, path: "n"))
        }
        // 4. The removal, of which the keeper hears when it goes on.
        kill(keeper.process.pid, SIGSTOP)
        defer { kill(keeper.process.pid, SIGCONT) }
        admin = try BenchNode("admin", program: repld, in: directory)
        let answer = try admin.reply("DELETE", "/v1/spaces/bench/members/gone")
        guard let epoch = BenchNode.member("rotated", of: answer) else {
            throw BenchFailure("the removal answers no new keys")
        }
        try measure(keeper, admin, epoch)
    }

    private func measure(_ keeper: BenchNode, _ admin: BenchNode, _ epoch: String) throws(BenchFailure) {
        let readers = try keeper.connections(4)
        kill(keeper.process.pid, SIGCONT)
        let (start, processor) = (microseconds(), keeper.process.processorMilliseconds)
        var latencies: [Double] = []
        var heard: Double?
        var random = SystemRandomNumberGenerator()
        while true {
            guard microseconds() - start < 600e6 else { throw BenchFailure("nothing came of it in 10 min") }
            let load = try Load.run(readers, count: 8, .http) { _ in
                BenchNode.request(
                    "GET",
                    "/v1/spaces/bench/documents/record/\(Int.random(in: 0..<documents, using: &random))")
            } accepts: {
                BenchNode.isFine($0)
            }
            // Those under way when the removal came count too.
            latencies = (heard == nil ? [] : latencies) + load.latencies
            if heard == nil, try members(keeper).contains(#""removed""#) {
                heard = microseconds()
                // What the admin lacks is not measured here.
                kill(admin.process.pid, SIGKILL)
            }
            if heard != nil, try !shows(keeper, written - 1) { break }
        }
        let end = microseconds()
        for number in 0..<written where try shows(keeper, number) {
            throw BenchFailure("document \(number) shows what the removed member wrote")
        }
        latencies.sort()
        let percentile = { (part: Double) in
            (latencies[min(latencies.count - 1, Int(part * Double(latencies.count)))] / 10).rounded() / 100
        }
        print(
            """
            {"bench":"removal","documents":\(documents),"written":\(written),\
            "seconds":\(((end - (heard ?? end)) / 1e4).rounded() / 100),\
            "processorMs":\((keeper.process.processorMilliseconds - processor).rounded()),\
            "reads":\(latencies.count),"readP50Ms":\(percentile(0.5)),"readP99Ms":\(percentile(0.99)),\
            "readMaxMs":\(percentile(1))}
            """)
    }

    // MARK: Asking

    private static let transactions = "/v1/spaces/bench/transactions"

    private static func body(_ numbers: some Sequence<Int>, path: String) -> String {
        let operations = numbers.map {
            #"{"op":"set","document":"record/\#($0)","path":["\#(path)"],"value":"\#(path) \#($0)"}"#
        }
        return #"{"operations":[\#(operations.joined(separator: ","))]}"#
    }

    private func invite(_ role: String, by node: BenchNode) throws(BenchFailure) -> String {
        try node.ask("POST", "/v1/spaces/bench/invites", body: #"{"role":"\#(role)"}"#, member: "token")
    }

    private func shows(_ node: BenchNode, _ number: Int) throws(BenchFailure) -> Bool {
        let request = BenchNode.request("GET", "/v1/spaces/bench/documents/record/\(number)")
        let reply = try node.connection.ask(request, .http)
        return BenchNode.isFine(reply) && String(decoding: reply, as: UTF8.self).contains("mark \(number)")
    }

    private func members(_ node: BenchNode) throws(BenchFailure) -> String {
        String(decoding: try node.reply("GET", "/v1/spaces/bench/members"), as: UTF8.self)
    }

    private func wait(_ what: String, until isDone: () throws(BenchFailure) -> Bool) throws(BenchFailure) {
        let end = microseconds() + 60e6
        while try !isDone() {
            guard microseconds() < end else { throw BenchFailure("not within a minute: \(what)") }
            usleep(20_000)
        }
    }
}
