// The files of the page: the program has those of the folder, and they do what the page's policy asks.

import Foundation
import Testing

@testable import ConsoleServer

@Suite struct ConsolePageTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../Sources/Client/CConsolePages/Pages")

    @Test("the program has the files of the folder, byte for byte")
    func folder() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        #expect(Set(names) == Set(ConsolePage.all.map(\.name)))
        for page in ConsolePage.all {
            let file = try Data(contentsOf: Self.folder.appendingPathComponent(page.name))
            #expect(Array(file) == page.bytes, "\(page.name)")
        }
        #expect(ConsolePage.named("")?.name == "index.html")
    }

    @Test("no file makes markup or code of text, or names another place", arguments: ConsolePage.all)
    func harmless(page: ConsolePage) throws {
        let text = String(decoding: page.bytes, as: UTF8.self)
        for word in [
            "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function",
            "srcdoc",
            "javascript:", "https://", "@import", "url(",
        ] where !(page.name == "dom.js" && word == "innerHTML") {
            #expect(!text.contains(word), "\(page.name) has \(word)")
        }
        let namespaces = text.replacing("http://www.w3.org/2000/svg", with: "")
        #expect(!namespaces.contains("http://"), "\(page.name)")
        #expect(text.split(separator: "\n").count <= 600, "\(page.name) is long")
    }

    @Test("the first page has neither code nor style in it")
    func frame() throws {
        let text = String(decoding: try #require(ConsolePage.named("")).bytes, as: UTF8.self)
        #expect(text.matches(of: /<script[^>]*>/).count == 1)
        #expect(text.contains(#"<script type="module" src="app.js"></script>"#))
        #expect(
            !text.contains("<style") && text.matches(of: /\ on[a-z]+="/).isEmpty && !text.contains(" style="))
    }

    @Test("a file says what it is for before anything else", arguments: ConsolePage.all)
    func heads(page: ConsolePage) {
        guard page.name.hasSuffix(".js") || page.name.hasSuffix(".css") else { return }
        let text = String(decoding: page.bytes, as: UTF8.self)
        #expect(text.hasPrefix("// ") || text.hasPrefix("/* "), "\(page.name)")
    }
}
