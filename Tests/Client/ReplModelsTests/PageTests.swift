// The code of Sources/Docs/MODELS.md, compiled; a test compares it with the page, and runs it.

public import Foundation
public import ReplModeling
import Testing

enum Urgency: String, ModelScalar { case low, normal, high }

@Model struct Step: Equatable {
    var text: String
    var done: Bool = false
}

@Model struct Job: Equatable {
    @Key var id: String
    var title: String
    var body: ReplicatedText
    var tags: Set<String>
    var steps: [Step]
    var views: ReplicatedCounter
    var urgency: Urgency = .normal
    @ModelName("due-date") var due: ModelDate?
}

struct Office: Schema {
    let jobs = Models<Job>("job/")
}

func write(_ space: Space<Office>) async throws {
    try await space.jobs.add(
        Job(id: "1", title: "Paint", body: "white", tags: [], steps: [], views: 0, due: nil))
    let receipt = try await space.transaction {
        $0.jobs["1"].title = "Paint the door"
        $0.jobs["1"].views += 1
        $0.jobs["1"].tags.insert("house")
    }
    _ = try await receipt.wait(seconds: 5)
    try await space.jobs.update("1") {
        $0.steps.append(Step(text: "buy brushes"))
        $0.body.append(", two coats")
    }
    let urgent = try await space.jobs.where(\.urgency == .high || \.title == "Paint the door").fetch()
    print(urgent.map(\.body.string))
}

func follow(_ space: Space<Office>) async {
    for await change in space.jobs.where(\.urgency == .high).changes {
        switch change {
        case .initial(let jobs): print("now \(jobs.count)")
        case .changed(let difference): print("+\(difference.inserted.count) -\(difference.removed.count)")
        case .misfit(let misfit): print(misfit)
        case .interrupted(let error): print("waiting: \(error.message)")
        case .ended(let error): print(error.message)
        }
    }
}

func check(_ space: Space<Office>) async throws {
    for misfit in try await Job.check(space) { print(misfit.message, misfit.hint) }
}

extension Date: ModelScalar {
    public init?(_ primitive: ModelPrimitive) {
        guard case .integer(let milliseconds) = primitive else { return nil }
        self.init(timeIntervalSince1970: Double(milliseconds) / 1_000)
    }
    public var primitive: ModelPrimitive { .integer(Int64((timeIntervalSince1970 * 1_000).rounded())) }
}

@Suite struct PageTests {
    @Test("the page shows the code of this file")
    func page() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(
            contentsOf: root.appendingPathComponent("Sources/Docs/MODELS.md"), encoding: .utf8)
        let file = try String(contentsOfFile: #filePath, encoding: .utf8)
        let blocks = page.matches(of: /```swift\n((?s:.*?))```/)
        #expect(blocks.count == 5)
        for block in blocks {
            let code = String(block.1).replacing(/^import \w+\n+/, with: "")
            #expect(file.contains(code), "not in this file:\n\(code)")
        }
    }

    @Test(
        "the page's code does what the page says",
        .enabled(if: RealPrograms.folder != nil, "REPL_PROGRAMS names no folder of programs"))
    func running() async throws {
        try await RealDaemon.run { daemon, _ in
            let space = Space<Office>("home", client: ReplClient(socket: daemon.socket))
            try await write(space)
            let job = try #require(try await space.jobs["1"].read())
            #expect(job.title == "Paint the door" && job.body == "white, two coats" && job.views == 1)
            #expect(job.steps == [Step(text: "buy brushes")] && job.tags == ["house"])
            try await check(space)
            #expect(Date(ModelPrimitive.integer(1_500)) == Date(timeIntervalSince1970: 1.5))
        }
    }
}
