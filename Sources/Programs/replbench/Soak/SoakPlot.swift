// The plot of a soak: a small chart for each metric, the simulated weeks on the left and the processes on the
// right. Plain SVG, with colours for light and dark pages.

struct SoakPlot {
    private static let panel = (width: 460.0, height: 210.0)
    /// Around the lines of a chart, for its title and its axes.
    private static let inset = (left: 58.0, right: 14.0, top: 30.0, bottom: 34.0)

    let records: [SoakRecord]

    var svg: String {
        let rows = SoakMetric.allCases.count
        let width = Double(records.count) * Self.panel.width
        let height = Double(rows) * Self.panel.height + 40
        var parts = [
            #"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \#(width) \#(height)" "#
                + #"width="\#(width)" height="\#(height)" role="img" aria-label="Soak of four nodes">"#,
            Self.style,
            #"<rect class="page" width="\#(width)" height="\#(height)"/>"#,
        ]
        for (column, record) in records.enumerated() {
            let x = Double(column) * Self.panel.width
            parts.append(
                #"<text class="head" x="\#(x + Self.inset.left)" y="24">\#(record.part): "#
                    + "\(record.checkpoints) checkpoints</text>")
            for (row, metric) in SoakMetric.allCases.enumerated() {
                let y = 40 + Double(row) * Self.panel.height
                parts.append(#"<g transform="translate(\#(x) \#(y))">\#(chart(metric, of: record))</g>"#)
            }
        }
        return parts.joined(separator: "\n") + "\n</svg>\n"
    }

    private static let style = """
        <style>
        .page { fill: #ffffff } text { font: 12px sans-serif; fill: #1f2328 } .head { font-weight: bold }
        .axis { stroke: #59636e; fill: none } .grid { stroke: #d1d9e0 }
        .line { fill: none; stroke-width: 1.5 }
        .n0 { stroke: #0969da } .n1 { stroke: #1a7f37 } .n2 { stroke: #bc4c00 } .n3 { stroke: #8250df }
        .state { stroke: #59636e; stroke-dasharray: 5 3 }
        .end { text-anchor: end } .mid { text-anchor: middle }
        @media (prefers-color-scheme: dark) {
        .page { fill: #0d1117 } text { fill: #e6edf3 } .axis { stroke: #9198a1 } .grid { stroke: #30363d }
        .n0 { stroke: #58a6ff } .n1 { stroke: #3fb950 } .n2 { stroke: #f0883e } .n3 { stroke: #bc8cff }
        .state { stroke: #9198a1 }
        }
        </style>
        """

    // MARK: One chart

    private func chart(_ metric: SoakMetric, of record: SoakRecord) -> String {
        let lines = (record.lines[metric] ?? [:]).sorted { $0.key < $1.key }
        let state = metric == .disk ? record.state : []
        let all = lines.flatMap(\.value) + state
        let title = metric == .disk ? "\(metric.title) (dashed: the state)" : metric.title
        let isShared = record.part == "simulated" && metric == .memory
        var parts = [
            #"<text x="\#(Self.inset.left)" y="18">\#(title)\#(isShared ? ", a quarter of the process" : "")"#
                + "</text>"
        ]
        let top = Self.rounded(all.map { metric.plotted($0.value) }.max() ?? 1)
        let last = max(all.map(\.time).max() ?? 1, 0.001)
        let (width, height) = (
            Self.panel.width - Self.inset.left - Self.inset.right,
            Self.panel.height - Self.inset.top - Self.inset.bottom
        )
        let (x0, y0) = (Self.inset.left, Self.inset.top + height)
        for step in 0...4 {
            let (value, y) = (top * Double(step) / 4, y0 - height * Double(step) / 4)
            parts.append(#"<path class="grid" d="M\#(x0) \#(y)h\#(width)"/>"#)
            parts.append(#"<text class="end" x="\#(x0 - 6)" y="\#(y + 4)">\#(Self.text(value))</text>"#)
            let (time, x) = (last * Double(step) / 4, x0 + width * Double(step) / 4)
            parts.append(#"<text class="mid" x="\#(x)" y="\#(y0 + 16)">\#(Self.text(time))</text>"#)
        }
        parts.append(#"<path class="axis" d="M\#(x0) \#(Self.inset.top)V\#(y0)H\#(x0 + width)"/>"#)
        parts.append(#"<text class="mid" x="\#(x0 + width / 2)" y="\#(y0 + 30)">\#(record.unit)</text>"#)
        let path = { (points: [SoakPoint]) in
            points.map { point in
                let x = x0 + width * point.time / last
                let y = y0 - height * metric.plotted(point.value) / top
                return "\(Self.digit(x)) \(Self.digit(y))"
            }.joined(separator: "L")
        }
        for (node, points) in lines {
            parts.append(#"<path class="line n\#(node)" d="M\#(path(points))"/>"#)
        }
        if !state.isEmpty { parts.append(#"<path class="line state" d="M\#(path(state))"/>"#) }
        return parts.joined()
    }

    /// The end of an axis that has this on it.
    private static func rounded(_ value: Double) -> Double {
        var step = 0.01
        while step * 10 < value { step *= 10 }
        return [1.0, 2, 4, 6, 8, 10].map { $0 * step }.first { $0 >= value } ?? value
    }

    private static func text(_ value: Double) -> String {
        value == value.rounded() ? "\(Int(value))" : "\((value * 100).rounded() / 100)"
    }

    private static func digit(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}
