// The files of the page, as they stand in Pages. SwiftPM writes their bytes into the program, under names in
// which a dot is an underscore; here they get back their own names and their types.

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

    private static func script(_ name: String, _ bytes: [UInt8]) -> ConsolePage {
        ConsolePage(name: name + ".js", type: "text/javascript; charset=utf-8", bytes: bytes)
    }

    static let all = [
        ConsolePage(
            name: "index.html", type: "text/html; charset=utf-8", bytes: PackageResources.index_html),
        ConsolePage(name: "style.css", type: "text/css; charset=utf-8", bytes: PackageResources.style_css),
        ConsolePage(name: "icon.svg", type: "image/svg+xml", bytes: PackageResources.icon_svg),
        script("app", PackageResources.app_js),
    ]
}
