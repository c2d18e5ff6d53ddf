// The DocC pages of the libraries, made of the modules that were built with the tests: every link leads
// somewhere and every parameter that is spoken of is there.

import Foundation
import Testing

@Suite struct DocPageTests {
    private static let docc = ProcessInfo.processInfo.environment["PATH", default: ""].split(separator: ":")
        .map { $0 + "/docc" }.first { FileManager.default.isExecutableFile(atPath: $0) }

    @Test("the pages are made without a warning", .enabled(if: docc != nil, "the toolchain has no docc"))
    func pages() throws {
        let files = FileManager.default
        let own = try files.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let build = URL(fileURLWithPath: own).deletingLastPathComponent().path
        let folder = files.temporaryDirectory.appendingPathComponent("pages-\(UUID().uuidString)")
        defer { try? files.removeItem(at: folder) }
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: SourceTree.root.path + "/Config/docc")
        process.arguments = ["--built", folder.path]
        process.environment = ProcessInfo.processInfo.environment.merging(["REPL_BUILD": build]) { $1 }
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(said)")
        #expect(!said.contains("warning:"), "\(said)")
        for module in ["Replicating", "ReplClient", "ReplModels"] {
            let page = "\(folder.path)/\(module)/data/documentation/\(module.lowercased()).json"
            #expect(files.fileExists(atPath: page), "\(page)")
        }
    }
}
