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
        script("api", PackageResources.api_js),
        script("app", PackageResources.app_js),
        script("changes", PackageResources.changes_js),
        script("conflicts", PackageResources.conflicts_js),
        script("containers", PackageResources.containers_js),
        script("dialogs", PackageResources.dialogs_js),
        script("document", PackageResources.document_js),
        script("documents", PackageResources.documents_js),
        script("dom", PackageResources.dom_js),
        script("editor", PackageResources.editor_js),
        script("feed", PackageResources.feed_js),
        script("json", PackageResources.json_js),
        script("listing", PackageResources.listing_js),
        script("members", PackageResources.members_js),
        script("merge", PackageResources.merge_js),
        script("mesh", PackageResources.mesh_js),
        script("metrics", PackageResources.metrics_js),
        script("node", PackageResources.node_js),
        script("overview", PackageResources.overview_js),
        script("plot", PackageResources.plot_js),
        script("slot", PackageResources.slot_js),
        script("slots", PackageResources.slots_js),
        script("spaces", PackageResources.spaces_js),
        script("text", PackageResources.text_js),
        script("virtual", PackageResources.virtual_js),
        script("words", PackageResources.words_js),
    ]
}
