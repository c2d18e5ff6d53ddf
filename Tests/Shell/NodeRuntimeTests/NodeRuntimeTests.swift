// The loop around the node: order, batches, and what leaves when. The machine is scripted; where a test needs
// several inputs in one batch it holds the node's thread inside `handle` until they are queued.

import Causality
import Dispatch
import Logging
import Node
import Synchronization
import Testing

@testable import NodeRuntime

private let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

private let noSpace = StoreFailure.full(
    .step(FailedStep(doing: "writing", path: "/copy", answer: .simulated(words: "no space"))))

/// A clock that stands until a test moves it: no batch ends by its time, however busy the machine is.
private final class StepClock: Sendable {
    private let milliseconds = Mutex<UInt64>(1_000)
    @Sendable func now() -> Instant {
        let now = milliseconds.withLock { $0 }
        return Instant(monotonic: now, wall: now)
    }
    func pass(_ time: UInt64) { milliseconds.withLock { $0 += time } }
}

private func runtime(
    now: @escaping @Sendable () -> Instant = SystemClock.now, pulse: Pulse? = nil,
    reload: @escaping @Sendable (Bool, (NodeSettings) -> Void) throws -> ReloadReport = { _, _ in
        ReloadReport(applied: [], needsRestart: [])
    }, backup: @escaping @Sendable () throws -> String = { "" }
) -> NodeRuntime {
    NodeRuntime(log: silent, now: now, pulse: pulse, errands: Errands(backup: backup, reload: reload))
}

/// The answer to one request.
private func answer(_ runtime: NodeRuntime, _ request: NodeRequest = .status) async -> NodeAnswer {
    await withCheckedContinuation { continuation in
        runtime.submit(request) { continuation.resume(returning: $0) }
    }
}

private func error(_ answer: NodeAnswer) -> NodeError? {
    if case .failed(let error) = answer { error } else { nil }
}

@Suite struct NodeRuntimeTests {
    @Test("an answer leaves after the commit of its batch, and the first commit comes before any input")
    func durableBeforeVisible() async throws {
        let (record, runtime) = (Record(), runtime())
        let machine = Script(record) { input in
            if case .request(let id, _) = input { [.answer(id, .done)] } else { [] }
        }
        runtime.start(machine, peers: nil)
        _ = await withCheckedContinuation { continuation in
            runtime.submit(.status) { _ in
                record.add("answer")
                continuation.resume()
            }
        }
        #expect(record.lines == ["commit", "request 1", "commit", "answer"])
    }

    @Test("what is queued during a batch is the next one, committed once, orders in one piece")
    func groupCommit() async throws {
        let (record, port, runtime) = (Record(), PortRecord(), runtime(now: StepClock().now))
        let gate = Gate()
        let machine = Script(record) { input in
            switch input {
            case .network(.changed):
                gate.hold()
                return []
            case .received(let id, let bytes): return [.send(id, bytes + bytes), .close(id)]
            case .request(let id, _): return [.dial(ConnectionID(9), "a:1"), .answer(id, .done)]
            default: return []
            }
        }
        runtime.start(machine, peers: port)
        runtime.post(.network(.changed))
        await gate.isHolding()
        runtime.post(.received(ConnectionID(1), [1, 2]))
        runtime.post(.received(ConnectionID(1), [3]))
        runtime.post(.received(ConnectionID(2), [4]))
        async let answered = answer(runtime)
        while runtime.waitingCount < 4 { await Task.yield() }
        gate.open()
        _ = await answered
        runtime.stop()
        try await runtime.run()
        #expect(
            record.lines == [
                "commit", "changed", "commit", "received 1 2", "received 1 1", "received 2 1", "request 1",
                "commit",
            ])
        #expect(
            port.batches == [
                [
                    "send 1 4", "close 1", "send 1 2", "close 1", "send 2 2", "close 2", "dial 9 a:1",
                    "handled 1 3",
                    "handled 2 1",
                ]
            ])
    }

    private func wait(for semaphore: DispatchSemaphore) async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                semaphore.wait()
                continuation.resume()
            }
        }
    }

    @Test("a deadline gives a tick when it has come")
    func tick() async throws {
        let (record, runtime) = (Record(), runtime())
        let ticked = DispatchSemaphore(value: 0)
        let machine = Script(record, deadline: SystemClock.now().monotonic + 20) { input in
            if case .tick = input { ticked.signal() }
            return []
        }
        runtime.start(machine, peers: nil)
        await wait(for: ticked)
        runtime.stop()
        try await runtime.run()
        #expect(record.lines == ["commit", "tick", "commit"])
    }

    @Test("a halt ends the run with its message, after the effects before it; who waits is told")
    func halt() async throws {
        let (record, port, runtime) = (Record(), PortRecord(), runtime())
        let machine = Script(record) { input in
            switch input {
            case .request: []
            default: [.send(ConnectionID(1), [1]), .halt("the disk fails"), .send(ConnectionID(2), [2])]
            }
        }
        runtime.start(machine, peers: port)
        async let waiting = answer(runtime)
        while !record.lines.contains("request 1") { await Task.yield() }
        runtime.post(.network(.changed))
        let halted = await #expect(throws: RuntimeHalt.self) { try await runtime.run() }
        #expect(halted?.description == "the disk fails")
        guard case .stopping? = error(await waiting) else {
            Issue.record("a request without an answer")
            return
        }
        #expect(port.batches == [["send 1 1"]])
        guard case .stopping? = error(await answer(runtime)) else {
            Issue.record("a request after the end")
            return
        }
    }

    @Test("a cancelled request gets no answer and is forgotten, a cancel of an answered one is no input")
    func cancel() async throws {
        let (record, runtime) = (Record(), runtime())
        let answers = Mutex(0)
        let machine = Script(record) { input in
            switch input {
            case .cancel(let id): [.answer(id, .done)]
            case .request(let id, .peers): [.answer(id, .done)]
            default: []
            }
        }
        runtime.start(machine, peers: nil)
        let open = runtime.submit(.status) { _ in answers.withLock { $0 += 1 } }
        runtime.cancel(open)
        runtime.cancel(open)
        _ = await answer(runtime, .peers)
        #expect(answers.withLock { $0 } == 0)
        #expect(record.lines.filter { $0.hasPrefix("cancel") } == ["cancel 1"])
    }

    @Test("a request gets all its answers in order and none after the final one")
    func answers() async throws {
        let (record, runtime) = (Record(), runtime())
        let seen = Record()
        let machine = Script(record) { input in
            switch input {
            case .request(let id, .status):
                [
                    .answer(id, .joinStage("a")), .answer(id, .joinStage("b")), .answer(id, .done),
                    .answer(id, .ended),
                ]
            case .request(let id, _): [.answer(id, .done)]
            default: []
            }
        }
        runtime.start(machine, peers: nil)
        runtime.submit(.status) { answer in
            if case .joinStage(let stage) = answer { seen.add(stage) } else { seen.add("\(answer.isFinal)") }
        }
        _ = await answer(runtime, .peers)
        #expect(seen.lines == ["a", "b", "true"])
    }

    @Test("a batch ends by its time: what its first inputs let out leaves before the rest is handled")
    func endedByTime() async throws {
        let (record, gate, clock) = (Record(), Gate(), StepClock())
        let runtime = runtime(now: clock.now)
        let machine = Script(record) { input in
            switch input {
            case .network(.changed): gate.hold()
            // Two of them are more than a batch may take, one is not.
            case .received: clock.pass(RuntimeLimits.batchMilliseconds * 2 / 3)
            default: break
            }
            return []
        }
        runtime.start(machine, peers: nil)
        runtime.post(.network(.changed))
        await gate.isHolding()
        for id in 1...3 { runtime.post(.received(ConnectionID(UInt64(id)), [7])) }
        gate.open()
        runtime.stop()
        try await runtime.run()
        #expect(
            record.lines == [
                "commit", "changed", "commit", "received 1 1", "received 2 1", "commit", "received 3 1",
                "commit",
            ])
    }

    @Test("a halt in a batch that ended by its time refuses the requests behind it")
    func haltedByTime() async throws {
        let (record, gate, clock) = (Record(), Gate(), StepClock())
        let runtime = runtime(now: clock.now)
        let machine = Script(record) { input in
            switch input {
            case .network(.changed): gate.hold()
            case .received:
                clock.pass(RuntimeLimits.batchMilliseconds)
                return [.halt("the disk fails")]
            default: break
            }
            return []
        }
        runtime.start(machine, peers: nil)
        runtime.post(.network(.changed))
        await gate.isHolding()
        runtime.post(.received(ConnectionID(1), [7]))
        async let behind = answer(runtime)
        while runtime.waitingCount < 2 { await Task.yield() }
        gate.open()
        await #expect(throws: RuntimeHalt.self) { try await runtime.run() }
        guard case .stopping? = error(await behind) else {
            Issue.record("a request without an answer")
            return
        }
        #expect(!record.lines.contains("request 1"))
    }

    @Test("requests over the bound are refused at once while the node is busy, and taken again later")
    func refused() async throws {
        let (record, runtime) = (Record(), runtime(now: StepClock().now))
        let gate = Gate()
        let machine = Script(record) { input in
            switch input {
            case .network(.changed):
                gate.hold()
                return []
            case .request(let id, _): return [.answer(id, .done)]
            default: return []
            }
        }
        runtime.start(machine, peers: nil)
        runtime.post(.network(.changed))
        await gate.isHolding()
        let done = Mutex(0)
        for _ in 0..<RuntimeLimits.requestsMax { runtime.submit(.status) { _ in done.withLock { $0 += 1 } } }
        guard case .tooMany? = error(await answer(runtime)) else {
            Issue.record("one over the bound was taken")
            return
        }
        gate.open()
        while done.withLock({ $0 }) < RuntimeLimits.requestsMax { await Task.yield() }
        #expect(error(await answer(runtime)) == nil)
        let commits = record.lines.filter { $0 == "commit" }.count
        #expect(commits >= RuntimeLimits.requestsMax / RuntimeLimits.batchInputsMax, "batches are bounded")
        #expect(commits <= RuntimeLimits.requestsMax / RuntimeLimits.batchInputsMax + 4)
    }

    @Test("a backup runs beside the node and answers its request, also when it fails")
    func backup() async throws {
        struct Failed: Error {}
        let calls = Mutex(0)
        let runtime = runtime(backup: {
            let call = calls.withLock { count in
                count += 1
                return count
            }
            if call > 1 { throw Failed() }
            return "/copy"
        })
        let machine = Script(Record()) { input in
            if case .request(let id, _) = input { [.backup(id)] } else { [] }
        }
        runtime.start(machine, peers: nil)
        guard case .backup("/copy") = await answer(runtime, .backup) else {
            Issue.record("no backup")
            return
        }
        guard case .storeFailed? = error(await answer(runtime, .backup)) else {
            Issue.record("a failed backup is told")
            return
        }
    }

    @Test("a backup that finds the disk full is a 507, and an errand without a thread a 503")
    func refusedErrands() async throws {
        let machine = Script(Record()) { input in
            if case .request(let id, _) = input { [.backup(id)] } else { [] }
        }
        let runtime = runtime(backup: { throw noSpace })
        runtime.start(machine, peers: nil)
        guard case .storeFull(let shortage)? = error(await answer(runtime, .backup)),
            "\(shortage)" == "no space"
        else {
            Issue.record("a full disk is told")
            return
        }
        let answers = Mutex<[NodeError]>([])
        let errands = Errands(backup: { "/copy" })
        var delivery = Delivery(
            log: silent, peers: nil, errands: errands, run: { _ in "Resource temporarily unavailable" }
        ) { _ in }
        for id in [RequestID(1), RequestID(2)] {
            delivery.register(
                .request(id, .backup) { answer in
                    if case .failed(let error) = answer { answers.withLock { $0.append(error) } }
                })
        }
        let halt = delivery.deliver([.backup(RequestID(1)), .reload(RequestID(2), isCheck: false)])
        #expect(halt == nil)
        for error in answers.withLock({ $0 }) {
            guard case .noThread(words: "Resource temporarily unavailable") = error else {
                Issue.record("\(error)")
                return
            }
        }
        #expect(answers.withLock { $0.count } == 2)
    }

    @Test("many threads hand over, and the node sees each thread's inputs in order", arguments: [4])
    func ordered(threads: Int) async throws {
        let (record, runtime) = (Record(), runtime())
        let machine = Script(record) { input in
            if case .request(let id, _) = input { [.answer(id, .done)] } else { [] }
        }
        runtime.start(machine, peers: nil)
        await withTaskGroup(of: Void.self) { group in
            for thread in 1...threads {
                group.addTask {
                    for size in 1...500 {
                        runtime.post(
                            .received(ConnectionID(UInt64(thread)), [UInt8](repeating: 0, count: size)))
                    }
                }
            }
        }
        _ = await answer(runtime)
        for thread in 1...threads {
            let seen = record.lines.filter { $0.hasPrefix("received \(thread) ") }
            #expect(seen == (1...500).map { "received \(thread) \($0)" })
        }
    }

    @Test("settings of a reload are handled before what is asked after its answer; a refused one gives none")
    func reload() async throws {
        struct Refused: Error, CustomStringConvertible { let description = "r.toml:3:1: no" }
        let record = Record()
        let calls = Mutex(0)
        let runtime = runtime(reload: { _, take in
            let call = calls.withLock { count in
                count += 1
                return count
            }
            if call > 1 { throw Refused() }
            take(NodeSettings(deviceName: "kitchen", staticPeers: [], advertise: []))
            return ReloadReport(applied: ["name"], needsRestart: ["state"])
        })
        let machine = Script(record) { input in
            switch input {
            case .request(let id, .reload(let isCheck)): [.reload(id, isCheck: isCheck)]
            case .request(let id, _): [.answer(id, .done)]
            default: []
            }
        }
        runtime.start(machine, peers: nil)
        guard case .reloaded(let report) = await answer(runtime, .reload(isCheck: false)) else {
            Issue.record("no report")
            return
        }
        #expect(report == ReloadReport(applied: ["name"], needsRestart: ["state"]))
        _ = await answer(runtime)
        #expect(record.lines.filter { $0 != "commit" } == ["request 1", "settings kitchen", "request 2"])
        guard case .configInvalid(let reason)? = error(await answer(runtime, .reload(isCheck: false))),
            "\(reason)" == "r.toml:3:1: no"
        else {
            Issue.record("a refused file is told")
            return
        }
        #expect(record.lines.filter { $0.hasPrefix("settings") }.count == 1)
    }

    @Test("a loop that nothing comes in to tells so once, and again after the next input")
    func quiet() async throws {
        let told = DispatchSemaphore(value: 0)
        let count = Mutex(0)
        let record = Record()
        let runtime = NodeRuntime(
            log: silent,
            quiet: Quiet(afterMilliseconds: 5) {
                count.withLock { $0 += 1 }
                told.signal()
            },
            errands: Errands(backup: { "" }, reload: { _, _ in ReloadReport(applied: [], needsRestart: []) }))
        let script = Script(record) { input in
            if case .request(let id, _) = input { [.answer(id, .done)] } else { [] }
        }
        runtime.start(script, peers: nil)
        await wait(for: told)
        // Real time, since the loop's wait is: ten times as long as it takes to tell.
        let end = SystemClock.now().monotonic + 50
        while SystemClock.now().monotonic < end { await Task.yield() }
        #expect(count.withLock { $0 } == 1)
        runtime.post(.network(.changed))
        await wait(for: told)
        #expect(count.withLock { $0 } == 2)
        // What the sync folder's task asks all the time is no work, and does not put it off either.
        runtime.post(.network(.changed))
        let asked = DispatchSemaphore(value: 0)
        for _ in 0..<2 {
            runtime.submit(.syncFolder(nil)) { _ in asked.signal() }
            await wait(for: asked)
        }
        await wait(for: told)
        runtime.submit(.syncFolder(nil)) { _ in asked.signal() }
        await wait(for: asked)
        let after = SystemClock.now().monotonic + 50
        while SystemClock.now().monotonic < after { await Task.yield() }
        #expect(count.withLock { $0 } == 3)
        runtime.stop()
        try await runtime.run()
    }

    @Test("code that was given back runs as before")
    func givenBack() {
        #expect(!IdleMemory.codePages().isEmpty)
        let before = (0..<1_000).map { String($0 * 7) }
        IdleMemory.giveBack()
        #expect((0..<1_000).map { String($0 * 7) } == before)
    }

    @Test("an idle loop beats its pulse, a busy one too, and one that hangs in the machine does not")
    func pulse() async throws {
        let (record, beaten) = (Record(), DispatchSemaphore(value: 0))
        let beats = Mutex(0)
        let gate = Gate()
        let runtime = runtime(
            pulse: Pulse(everyMilliseconds: 5) {
                beats.withLock { $0 += 1 }
                beaten.signal()
            })
        let machine = Script(record) { input in
            if case .network(.changed) = input {
                gate.hold()
            }
            return []
        }
        runtime.start(machine, peers: nil)
        // Idle: no input, no deadline.
        for _ in 0..<5 { await wait(for: beaten) }
        #expect(record.lines == ["commit"], "a beat is no batch")
        runtime.post(.network(.changed))
        await gate.isHolding()
        let hanging = beats.withLock { $0 }
        // Ten beats would be due in this time if somebody else gave them.
        let end = SystemClock.now().monotonic + 50
        while SystemClock.now().monotonic < end { await Task.yield() }
        #expect(beats.withLock { $0 } == hanging)
        gate.open()
        while beats.withLock({ $0 }) < hanging + 3 { await Task.yield() }
        runtime.stop()
        try await runtime.run()
    }
}
