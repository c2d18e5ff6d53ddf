// Macros expanded by the compiler that builds the package, with the plugin that it built: what they write and
// what they have to say. A test that linked the plugin's code would be built as a tool, and all other tests
// with it, without the programs that they import.

import Foundation
import Testing

/// A source after its macros, and every complaint of a macro as `line:column message`.
struct Expanded {
    /// What the macros wrote, without empty expansions.
    let text: String
    let complaints: [String]

    /// What `Replicating` and `ReplModeling` declare.
    private static let declarations = """
        protocol Replicating {}
        protocol Model {}
        protocol KeyedModel {}
        @attached(member, names: named(part), named(init), named(kind), named(==))
        @attached(memberAttribute)
        @attached(extension, conformances: Replicating)
        macro Replicating() = #externalMacro(module: "ReplicatingMacros", type: "ReplicatingMacro")
        @attached(accessor, names: named(get), named(set), named(_modify))
        macro ReplicatingField() = #externalMacro(module: "ReplicatingMacros", type: "ReplicatingFieldMacro")
        @attached(peer) macro ReplicatingName(_ name: StaticString) =
            #externalMacro(module: "ReplicatingMacros", type: "ReplicatingNameMacro")
        @attached(
            extension, conformances: Model, KeyedModel,
            names: named(modelFields), named(modelKey), named(init(_:)))
        macro Model() = #externalMacro(module: "ReplicatingMacros", type: "ModelMacro")
        @attached(peer) macro Key() = #externalMacro(module: "ReplicatingMacros", type: "MarkMacro")
        @attached(peer) macro ModelName(_ name: StaticString, formerly: StaticString...) =
            #externalMacro(module: "ReplicatingMacros", type: "MarkMacro")
        """

    init(_ source: String) throws {
        let files = FileManager.default
        let folder = files.temporaryDirectory.appendingPathComponent("macros-\(UUID().uuidString)")
        try files.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? files.removeItem(at: folder) }
        let (program, declarations) = (folder.path + "/Program.swift", folder.path + "/Declarations.swift")
        try source.write(toFile: program, atomically: true, encoding: .utf8)
        try Self.declarations.write(toFile: declarations, atomically: true, encoding: .utf8)
        // The plugin lies beside the program that runs the tests.
        let own = try files.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let plugin =
            URL(fileURLWithPath: own).deletingLastPathComponent().path + "/ReplicatingMacros-tool"
        try #require(files.isExecutableFile(atPath: plugin), "no plugin at \(plugin)")
        let said = try Self.run([
            "swiftc", "-typecheck", "-swift-version", "6", "-diagnostic-style", "llvm",
            "-load-plugin-executable", plugin + "#ReplicatingMacros", "-Xfrontend", "-dump-macro-expansions",
            program, declarations,
        ])
        complaints = said.matches(
            of: /(?m)^.*\/Program\.swift:(\d+:\d+): error: (.*) \(from macro '\w+ ?'\)$/
        )
        .map { "\($0.1) \($0.2)" }
        let dumped = said.matches(of: /(?m)^@__swiftmacro_.*\n-+\n((?s:.*?))\n-{30}\n/)
        text = dumped.map { String($0.1) }.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private static func run(_ words: [String]) throws -> String {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: bytes, as: UTF8.self)
    }
}
