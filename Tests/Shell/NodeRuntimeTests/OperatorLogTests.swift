// What operators read: which lines are told and which are only counted, in which form, at which level.

import Glibc
import Logging
import Testing

@testable import NodeRuntime

@Suite struct LogThrottleTests {
    private func told(_ throttle: inout LogThrottle, _ code: String, _ message: String, _ now: UInt64) -> Bool
    {
        throttle.admit(code: code, message: message, at: now).isTold
    }

    @Test("equal lines are told once in ten seconds, others at once")
    func equal() {
        var throttle = LogThrottle()
        #expect(told(&throttle, "a", "x", 0))
        #expect(!told(&throttle, "a", "x", 9_999))
        #expect(told(&throttle, "a", "y", 9_999))
        #expect(told(&throttle, "b", "x", 9_999))
        let later = throttle.admit(code: "a", message: "x", at: 10_000)
        #expect(later.heldBack == 1 && later.isTold)
    }

    @Test("lines of one peer and reason that differ in what counts up are one; other peers are others")
    func subjects() {
        var throttle = LogThrottle()
        #expect(told(&throttle, "fault", "10.0.0.7:5001: the seal at 17, of 3, is wrong", 0))
        #expect(!told(&throttle, "fault", "10.0.0.7:5002: the seal at 18, of 44, is wrong", 0))
        #expect(told(&throttle, "fault", "10.0.0.8:5002: the seal at 18, of 44, is wrong", 0))
        #expect(told(&throttle, "fault", "link to [fe80::1]:5001 ended", 0))
        #expect(!told(&throttle, "fault", "link to [fe80::1]:5002 ended", 0))
        #expect(told(&throttle, "fault", "link to [fe80::2]:5002 ended", 0))
        #expect(told(&throttle, "fault", "device ABC2DEF left", 0))
        #expect(told(&throttle, "fault", "device ABC3DEF left", 0))
    }

    @Test("lines of one code that differ are bounded too, and counted once when their time is over")
    func bounded() {
        var throttle = LogThrottle()
        let count = (0..<1_000).filter { told(&throttle, "a", "from 10.0.\($0 / 256).\($0 % 256)", 5) }.count
        #expect(count == RuntimeLimits.logLinesMax)
        #expect(throttle.expire(at: 10_004).isEmpty)
        let over = throttle.expire(at: 10_005)
        #expect(over.map(\.code) == ["a"] && over.first?.heldBack == 1_000 - RuntimeLimits.logLinesMax)
        #expect(throttle.expire(at: 30_000).isEmpty)
        #expect(throttle.admit(code: "a", message: "z", at: 30_000).heldBack == nil)
    }
}

/// A pipe that a sink writes into.
private struct Pipe {
    let (reading, writing): (Int32, Int32)

    init() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        (reading, writing) = (ends[0], ends[1])
    }

    func read() -> [String] {
        close(writing)
        defer { close(reading) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = Glibc.read(reading, &bytes, bytes.count)
        return String(decoding: bytes[..<max(0, count)], as: UTF8.self).split(separator: "\n").map(
            String.init)
    }
}

@Suite struct OperatorLogTests {
    @Test("under the journal a line begins with its priority, and is one line whatever it holds")
    func journal() throws {
        let pipe = try Pipe()
        let sink = LogSink(level: .trace, isJournal: true, descriptor: pipe.writing)
        let log = sink.logger(label: "test")
        for level in Logger.Level.allCases { log.log(level: level, "\(level)", metadata: ["code": "c"]) }
        log.info("a\nb\u{1B}[31m", metadata: ["code": "d", "peer": "p"])
        #expect(
            pipe.read() == [
                "<7>c: trace", "<7>c: debug", "<6>c: info", "<5>c: notice", "<4>c: warning", "<3>c: error",
                "<2>c: critical", #"<6>d: a\nb\u{1b}[31m peer=p"#,
            ])
    }

    @Test("elsewhere it begins with time and level, and lines under the level are not written")
    func terminal() throws {
        let pipe = try Pipe()
        let sink = LogSink(level: .warning, isJournal: false, descriptor: pipe.writing)
        let log = sink.logger(label: "test")
        log.notice("no", metadata: ["code": "a"])
        log.warning("yes", metadata: ["code": "b"])
        sink.level = .notice
        log.notice("now", metadata: ["code": "c"])
        var own = log
        own.logLevel = .error
        own.warning("not for this one", metadata: ["code": "d"])
        let lines = pipe.read()
        #expect(lines.count == 2)
        #expect(lines.first?.wholeMatch(of: /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d warning b: yes/) != nil)
        #expect(lines.last?.wholeMatch(of: /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d notice c: now/) != nil)
    }

    @Test("what was held back is told when it is flushed, whoever logged it")
    func heldBack() throws {
        let pipe = try Pipe()
        let sink = LogSink(level: .info, isJournal: true, descriptor: pipe.writing)
        for _ in 0..<3 { sink.logger(label: "a").info("x", metadata: ["code": "c"]) }
        sink.logger(label: "b").info("x", metadata: ["code": "c"])
        sink.flush(at: .max)
        #expect(pipe.read() == ["<6>c: x", "<5>c: 3 more lines with code c were held back"])
    }

    @Test("only the stream that the manager connected is the journal's")
    func journalStream() throws {
        let pipe = try Pipe()
        defer { _ = pipe.read() }
        var status = stat()
        try #require(fstat(pipe.writing, &status) == 0)
        let name = "\(status.st_dev):\(status.st_ino)"
        #expect(LogSink.isJournal(name, descriptor: pipe.writing))
        for other in [
            nil, "", "1:2", "\(status.st_dev):\(status.st_ino + 1)", "\(status.st_dev)", name + ":1", "a:b",
        ] {
            #expect(!LogSink.isJournal(other, descriptor: pipe.writing), "\(other ?? "nil")")
        }
    }
}
