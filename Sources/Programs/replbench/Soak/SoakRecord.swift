// What a soak saw, as lines over time, and what is asked of them.

import Bytes
import JSON

/// One of the things that must not grow.
enum SoakMetric: String, CaseIterable {
    case disk
    case log
    case memory
    case opening
    case vector

    /// What a plot says of it.
    var title: String {
        switch self {
        case .disk: "disk, MiB"
        case .log: "of it log, MiB"
        case .memory: "resident memory, MiB"
        case .opening: "opening time, ms"
        case .vector: "logs in the version vector"
        }
    }

    /// A measured value in the unit of the plot.
    func plotted(_ value: Double) -> Double {
        switch self {
        case .disk, .log, .memory: value / Double(1 << 20)
        case .opening, .vector: value
        }
    }
}

struct SoakPoint {
    let time: Double
    let value: Double
}

/// The lines of one part, by metric and node.
struct SoakRecord {
    /// "simulated" or "processes".
    let part: String
    /// What times are in: "days" or "minutes".
    let unit: String
    private(set) var lines: [SoakMetric: [Int: [SoakPoint]]] = [:]
    /// Bytes of the plain export: the state as anybody sees it.
    private(set) var state: [SoakPoint] = []
    /// Checkpoints that stood.
    var checkpoints = 0

    /// Alarms that copied directories raise.
    static let expectedAlarms: Set<String> = ["restored"]

    init(part: String, unit: String) { (self.part, self.unit) = (part, unit) }

    mutating func add(_ metric: SoakMetric, node: Int, at time: Double, _ value: Double) {
        lines[metric, default: [:]][node, default: []].append(SoakPoint(time: time, value: value))
    }

    mutating func addState(at time: Double, _ bytes: Int) {
        state.append(SoakPoint(time: time, value: Double(bytes)))
    }

    /// All points as JSON lines.
    func lines(print: (String) -> Void) {
        func tell(_ metric: String, _ node: Int?, _ points: [SoakPoint]) {
            for point in points {
                let place = node.map { #""node":\#($0),"# } ?? ""
                print(
                    #"{"part":"\#(part)","metric":"\#(metric)",\#(place)"\#(unit)":\#(point.time),"#
                        + #""value":\#(point.value)}"#)
            }
        }
        for metric in SoakMetric.allCases {
            for (node, points) in (lines[metric] ?? [:]).sorted(by: { $0.key < $1.key }) {
                tell(metric.rawValue, node, points)
            }
        }
        tell("state", nil, state)
    }

    /// The middle of all nodes' values in a part of the time; nil: none was taken there.
    func median(_ metric: SoakMetric, from start: Double, to end: Double) -> Double? {
        let last = lines.values.flatMap { $0.values.flatMap { $0 } }.map(\.time).max() ?? 0
        let values = (lines[metric] ?? [:]).values.flatMap { $0 }
            .filter { $0.time >= start * last && $0.time <= end * last }.map(\.value).sorted()
        return values.isEmpty ? nil : values[values.count / 2]
    }
}

/// Whether something held.
struct SoakVerdict {
    let name: String
    let value: Double
    let limit: Double
    var holds: Bool { value <= limit }

    /// A line for people, or for programs.
    func line(isJSON: Bool) -> String {
        var writer = JSONWriter()
        writer.object {
            $0.member("bound", name)
            $0.name("value")
            $0.raw(Array(Self.text(value).utf8))
            $0.name("limit")
            $0.raw(Array(Self.text(limit).utf8))
            $0.member("holds", holds)
        }
        if isJSON { return String(decoding: writer.bytes, as: UTF8.self) }
        return "\(holds ? "holds " : "BROKEN") \(name): \(Self.text(value)), at most \(Self.text(limit))"
    }

    private static func text(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }
}

extension SoakRecord {
    /// A line is flat if its last quarter is not above its second one by more than a quarter. What may come
    /// and go is allowed on top: a log until the next checkpoint, logs of the last incarnations.
    func flatness() -> [SoakVerdict] {
        SoakMetric.allCases.compactMap { metric in
            guard let early = median(metric, from: 0.25, to: 0.5),
                let late = median(metric, from: 0.75, to: 1)
            else { return nil }
            return SoakVerdict(
                name: "\(part): \(metric.title) is flat", value: metric.plotted(late),
                limit: metric.plotted(early * 1.25))
        }
    }

    /// Disk at most three times the state and 48 MiB, at each moment, on each node.
    func diskBound() -> SoakVerdict {
        var worst = (value: 0.0, limit: Double.infinity)
        for point in (lines[.disk] ?? [:]).values.flatMap({ $0 }) {
            let size = state.last { $0.time <= point.time }?.value ?? state.first?.value ?? 0
            let limit = 3 * size + Double(48 << 20)
            if point.value / limit > worst.value / worst.limit { worst = (point.value, limit) }
        }
        return SoakVerdict(
            name: "\(part): disk at its worst, MiB", value: worst.value / Double(1 << 20),
            limit: worst.limit / Double(1 << 20))
    }
}
