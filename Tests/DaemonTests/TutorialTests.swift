// Sources/Docs/TUTORIAL.md: its program is the one in Tests/Tutorial, which is built with the tests, and its
// sessions are typed on two boxes.

import Foundation
import Testing

extension DaemonTests {
    @Suite struct TutorialTests {
        private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../..").standardized.path

        @Test("the blocks of the page are the program, and its package names products that there are")
        func page() throws {
            let page = try ConsolePage("TUTORIAL.md")
            let blocks = page.text.matches(of: /```swift\n((?s:.*?))```/).map { String($0.1) }
            let program = try String(
                contentsOfFile: Self.root + "/Tests/Tutorial/jot/Jot.swift", encoding: .utf8)
            #expect(blocks.count > 4)
            #expect(blocks.joined(separator: "\n") == program)
            let own = try String(contentsOfFile: Self.root + "/Package.swift", encoding: .utf8)
            #expect(page.text.contains(#".product(name: "ReplModeling", package: "repld")"#))
            #expect(own.contains(#".library(name: "ReplModeling", targets: ["ReplModeling"])"#))
            let tools = try #require(page.text.firstMatch(of: /\/\/ (swift-tools-version: [0-9.]+)/)).1
            #expect(own.hasPrefix("// \(tools)\n"))
        }

        @Test("its sessions print what the page says")
        func sessions() throws {
            let page = try ConsolePage("TUTORIAL.md")
            #expect(page.steps.count > 15)
            try DaemonWorld.run { world in
                let attic = try world.started("attic")
                let shed = try world.started("shed", peers: [attic])
                let tools = world.folder + "/tools"
                try FileManager.default.createDirectory(atPath: tools, withIntermediateDirectories: true)
                try FileManager.default.createSymbolicLink(
                    atPath: tools + "/jot",
                    withDestinationPath: try #require(Tool.path("jot"), "jot does not lie beside the tests"))
                try page.run(
                    home: world.folder, sockets: ["attic": attic.socket, "shed": shed.socket], tools: tools)
            }
        }
    }
}
