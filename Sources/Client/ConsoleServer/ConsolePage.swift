// The files of the page, as they stand in CConsolePages/Pages and in the program, each with its type.

import CConsolePages

/// One file that the browser gets.
struct ConsolePage: Equatable, Sendable {
    let name: String
    let type: String
    let bytes: [UInt8]

    /// The empty name is the first page.
    static func named(_ name: some StringProtocol) -> ConsolePage? {
        name.isEmpty ? byName["index.html"] : byName[String(name)]
    }

    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    static let all: [ConsolePage] = {
        var pages: [ConsolePage] = []
        while true {
            let page = console_page_at(pages.count)
            guard let name = page.name else { return pages }
            let text = String(cString: name)
            pages.append(
                ConsolePage(
                    name: text, type: type(of: text),
                    bytes: Array(UnsafeBufferPointer(start: page.bytes, count: page.count))))
        }
    }()

    private static func type(of name: String) -> String {
        switch name.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "svg": "image/svg+xml"
        default: preconditionFailure("\(name) has no type")
        }
    }
}
