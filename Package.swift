// swift-tools-version: 6.2
// repld: a peer-to-peer replication daemon. Folders are floors: a target may import only targets that stand
// above it in `Sources/README.md`. Tests/TidyTests checks this file and every import against that order.
import CompilerPluginSupport
import PackageDescription

/// PLANTED_BUGS=1 gives the test build in which bugs can be switched on
/// (Sources/Programs/replsim/PlantedNames.swift). It has a scratch path of its own (`make hunt`) and is never
/// shipped.
let planted: [SwiftSetting] = Context.environment["PLANTED_BUGS"] == "1" ? [.define("PLANTED_BUGS")] : []

let strict: [SwiftSetting] =
    planted + [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .treatAllWarnings(as: .error),
    ]

/// A floor of the core: pure and deterministic, no dependency outside the core but libsodium and zstd.
func core(_ name: String, on floors: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: floors, path: "Sources/Core/\(name)", swiftSettings: strict)
}

func shell(_ name: String, on floors: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: floors, path: "Sources/Shell/\(name)", swiftSettings: strict)
}

func program(_ name: String, on floors: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: ["CWorkerPriority", "Release"] + floors, path: "Sources/Programs/\(name)",
        swiftSettings: strict)
}

func tests(
    _ name: String, in folder: String, of floors: [Target.Dependency], without files: [String] = []
) -> Target {
    .testTarget(
        name: name, dependencies: floors, path: "Tests/\(folder)", exclude: files, swiftSettings: strict)
}

let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioLocks = Target.Dependency.product(name: "NIOConcurrencyHelpers", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let signals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
/// Modules of swift-syntax, for macros and their tests only: no program needs them.
func syntax(_ names: String...) -> [Target.Dependency] {
    names.map { .product(name: $0, package: "swift-syntax") }
}

// The floors, in order; each may use all core floors above it.
let base: [Target.Dependency] = ["Bytes", "Crypto", "Causality"]
let data: [Target.Dependency] = base + ["JSON", "Documents", "Wire"]
let trust: [Target.Dependency] = data + ["Identity", "Roster", "SecureLink"]
let node: [Target.Dependency] = trust + ["Replication", "Mesh", "Node"]

let package = Package(
    name: "repld",
    products: [
        .library(name: "ReplClient", targets: ["ReplClient", "ReplModels"]),
        .library(name: "ReplModeling", targets: ["ReplModeling"]),
        .library(name: "Replicating", targets: ["Replicating"]),
        .executable(name: "repld", targets: ["repld"]),
        .executable(name: "replctl", targets: ["replctl"]),
        .executable(name: "replsim", targets: ["replsim"]),
        .executable(name: "notes", targets: ["notes"]),
        .executable(name: "replbench", targets: ["replbench"]),
    ],
    dependencies: [
        // Sockets without a thread each: peer links, UDP, and the control API's HTTP/1.1.
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        // Command lines of all programs, with --help and completions for bash, zsh and fish.
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        // The logging front of the ecosystem; our handler writes journald priorities.
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        // Ordered start, SIGTERM, graceful stop in reverse order.
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
        // What macros are written with; built where `Replicating` is, not for the programs (decision 0201).
        .package(url: "https://github.com/swiftlang/swift-syntax", exact: "603.0.1"),
    ],
    targets: [
        // Deterministic cryptography, Debian's libsodium: the only verifier of signatures.
        .systemLibrary(
            name: "CSodium", path: "Sources/CSodium", pkgConfig: "libsodium",
            providers: [.apt(["libsodium-dev"])]),
        // The store's database engine.
        .systemLibrary(
            name: "CSQLite", path: "Sources/CSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"])]),
        // Compression of blocks.
        .systemLibrary(
            name: "CZstd", path: "Sources/CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
        // Linked by every program, imported by none: libdispatch's threads keep the priority of the process.
        .target(name: "CWorkerPriority", path: "Sources/CWorkerPriority"),
        // The one place of the version.
        .target(name: "Release", path: "Sources/Programs/Release", swiftSettings: strict),

        core("Bytes"),
        core("Crypto", on: ["CSodium", "Bytes"]),
        core("Causality", on: ["Bytes"]),
        core("JSON", on: ["Bytes"]),
        core("Documents", on: base + ["JSON"]),
        core("Wire", on: base + ["JSON", "Documents", "CZstd"]),
        core("Identity", on: data),
        core("Roster", on: data + ["Identity"]),
        core("SecureLink", on: base),
        core("Replication", on: trust),
        core("Mesh", on: trust),
        core("Node", on: trust + ["Replication", "Mesh"]),

        shell("SQLiteStore", on: node + ["CSQLite"]),
        shell("NodeRuntime", on: node + [logging, lifecycle]),
        shell("Listening", on: [logging, nioCore]),
        shell("PeerNetwork", on: node + ["NodeRuntime", "Listening", logging, lifecycle, nioCore, nioPosix]),
        shell("ControlAPI", on: node),
        shell(
            "ControlServer",
            on: node + [
                "NodeRuntime", "Listening", "ControlAPI", logging, lifecycle, nioCore, nioPosix, nioHTTP1,
                nioLocks,
            ]),

        shell("SyncFolder", on: node + ["NodeRuntime", "ControlAPI", logging, lifecycle]),

        .target(
            name: "DocumentModel", dependencies: ["Bytes", "Causality", "JSON", "Documents"],
            path: "Sources/Simulation/DocumentModel", swiftSettings: strict),
        .target(
            name: "RosterModel", dependencies: ["Bytes", "Causality", "Wire"],
            path: "Sources/Simulation/RosterModel", swiftSettings: strict),
        .target(
            name: "CheckpointModel", path: "Sources/Simulation/CheckpointModel", swiftSettings: strict),
        .target(
            name: "Simulator", dependencies: node + ["DocumentModel", "RosterModel"],
            path: "Sources/Simulation/Simulator", swiftSettings: strict),
        // No node, libsodium or zstd: a program that speaks to the daemon links none of them (TidyTests).
        .target(
            name: "Scenarios", dependencies: node + ["ControlAPI", "Simulator"],
            path: "Sources/Simulation/Scenarios", swiftSettings: strict),
        .target(
            name: "ReplClient",
            dependencies: ["Bytes", "JSON", nioCore, nioPosix, nioHTTP1],
            path: "Sources/Client/ReplClient", swiftSettings: strict),

        // What programs for people share: the terminal as a value, the person's editor, exit codes.
        .target(
            name: "Terminal", dependencies: ["Bytes", "ReplClient"], path: "Sources/Client/Terminal",
            swiftSettings: strict),

        // Models of documents over the client; without macros, so that a program need not build swift-syntax.
        .target(
            name: "ReplModels", dependencies: ["Bytes", "JSON", "ReplClient"],
            path: "Sources/Client/ReplModels", swiftSettings: strict),

        // Documents as Swift values, for anyone's own transport; the compiler loads the macros.
        .macro(
            name: "ReplicatingMacros",
            dependencies: syntax(
                "SwiftCompilerPlugin", "SwiftDiagnostics", "SwiftSyntax", "SwiftSyntaxBuilder",
                "SwiftSyntaxMacros"),
            path: "Sources/Client/ReplicatingMacros", swiftSettings: strict),
        .target(
            name: "Replicating",
            dependencies: ["Bytes", "Causality", "JSON", "Documents", "ReplicatingMacros"],
            path: "Sources/Client/Replicating", swiftSettings: strict),
        // `@Model`, for who wants the members of a model written.
        .target(
            name: "ReplModeling", dependencies: ["ReplModels", "ReplicatingMacros"],
            path: "Sources/Client/ReplModeling", swiftSettings: strict),
        // The page for a browser, in C because the compiler takes files in there; and what serves it to the
        // person who started it: a client like every other.
        .target(name: "CConsolePages", path: "Sources/Client/CConsolePages", exclude: ["Pages"]),
        .target(
            name: "ConsoleServer",
            dependencies: ["Bytes", "JSON", "ReplClient", "CConsolePages", nioCore, nioPosix, nioHTTP1],
            path: "Sources/Client/ConsoleServer", swiftSettings: strict),

        program(
            "repld",
            on: node + [
                "SQLiteStore", "NodeRuntime", "PeerNetwork", "ControlAPI", "ControlServer", "SyncFolder",
                argumentParser, logging, lifecycle, signals,
            ]),
        program("replctl", on: ["Bytes", "JSON", "ReplClient", "Terminal", "ConsoleServer", argumentParser]),
        program("notes", on: ["Bytes", "JSON", "ReplModels", "Terminal", argumentParser]),
        program("replsim", on: node + ["ControlAPI", "Simulator", "Scenarios", argumentParser]),
        program("replbench", on: node + ["ControlAPI", "Simulator", argumentParser]),

        tests("BytesTests", in: "Core/BytesTests", of: ["Bytes"]),
        tests("JSONTests", in: "Core/JSONTests", of: ["Bytes", "JSON"]),
        tests("CryptoTests", in: "Core/CryptoTests", of: ["Bytes", "Crypto"]),
        tests("SecureLinkTests", in: "Core/SecureLinkTests", of: base + ["SecureLink"]),
        tests("CausalityTests", in: "Core/CausalityTests", of: ["Bytes", "Causality"]),
        tests(
            "DocumentsTests", in: "Core/DocumentsTests",
            of: ["Bytes", "Causality", "JSON", "Documents", "Crypto", "DocumentModel"]),
        tests("ReplicationTests", in: "Core/ReplicationTests", of: trust + ["Replication"]),
        tests(
            "RosterTests", in: "Core/RosterTests",
            of: data + ["Identity", "Roster", "RosterModel", "CheckpointModel"]),
        tests("MeshTests", in: "Core/MeshTests", of: trust + ["Mesh"]),
        tests("WireTests", in: "Core/WireTests", of: data + ["Identity", "Roster"]),
        tests("IdentityTests", in: "Core/IdentityTests", of: data + ["Identity"]),
        // The shell.
        tests("ControlAPITests", in: "Shell/ControlAPITests", of: node + ["ControlAPI"]),
        tests(
            "ListeningTests", in: "Shell/ListeningTests", of: ["Listening", logging, nioCore, nioEmbedded]),
        tests(
            "ControlServerTests", in: "Shell/ControlServerTests",
            of: node + [
                "NodeRuntime", "ControlAPI", "ControlServer", "Simulator", logging, nioCore, nioPosix,
                nioLocks,
            ]),
        tests(
            "SyncFolderTests", in: "Shell/SyncFolderTests",
            of: node + ["NodeRuntime", "SyncFolder", "Simulator", logging]),
        tests("SimulationTests", in: "SimulationTests", of: node + ["Simulator", "Scenarios"]),
        tests("TidyTests", in: "TidyTests", of: [], without: ["shape.py", "index_store.py"]),
        // Tools of the process tests, never installed: a member in wrong hands, and a bad network.
        .executableTarget(
            name: "hostilepeer", dependencies: trust, path: "Tests/Hostile/hostilepeer", swiftSettings: strict
        ),
        .executableTarget(
            name: "chaosrelay", dependencies: [], path: "Tests/Chaos/chaosrelay", swiftSettings: strict),
        // The program that Sources/Docs/TUTORIAL.md builds, never installed.
        .executableTarget(
            name: "jot", dependencies: ["ReplModeling"], path: "Tests/Tutorial/jot", swiftSettings: strict),
        // Real processes, spoken to as strangers do: nothing of the project is imported.
        tests("DaemonTests", in: "DaemonTests", of: ["hostilepeer", "chaosrelay", "jot"]),
        // Properties of every decoder: libFuzzer runs them by command, FuzzTests replays a kept corpus.
        .target(
            name: "FuzzDecoders", dependencies: node + ["ControlAPI"], path: "Tests/Fuzz/Decoders",
            swiftSettings: strict),
        tests("FuzzTests", in: "Fuzz/FuzzTests", of: ["Causality", "FuzzDecoders"]),
        tests("NodeTests", in: "Core/NodeTests", of: node + ["Simulator"]),
        tests(
            "StoreContractTests", in: "StoreContractTests", of: data + ["Node", "SQLiteStore", "Simulator"]),
        tests(
            "PeerNetworkTests", in: "Shell/PeerNetworkTests",
            of: ["Causality", "Node", "NodeRuntime", "PeerNetwork", logging, nioCore, nioPosix]),
        tests(
            "RepldTests", in: "Programs/RepldTests",
            of: data + [
                "Node", "PeerNetwork", "ControlServer", "SyncFolder", "repld", "FuzzDecoders", logging,
            ]),
        tests(
            "NodeRuntimeTests", in: "Shell/NodeRuntimeTests",
            of: ["Causality", "Node", "NodeRuntime", logging]),
        tests(
            "ReplCtlTests", in: "Client/ReplCtlTests",
            of: [
                "Bytes", "JSON", "Documents", "ControlAPI", "Release", "ReplClient", "Terminal",
                "ConsoleServer",
                "replctl",
                nioCore, nioPosix, nioHTTP1,
            ]),
        tests(
            "ReplicatingTests", in: "Client/ReplicatingTests",
            of: ["Bytes", "Causality", "JSON", "Documents", "Replicating"]),
        tests(
            "ReplModelsTests", in: "Client/ReplModelsTests",
            of: ["Bytes", "JSON", "ReplClient", "ReplModels", "ReplModeling", nioCore, nioPosix, nioHTTP1]),
        tests("TerminalTests", in: "Client/TerminalTests", of: ["Bytes", "ReplClient", "Terminal"]),
        tests("NotesTests", in: "Client/NotesTests", of: ["Bytes", "ReplModels", "Terminal", "notes"]),
        // Of ReplModeling, so that the plugin is built; they ask the compiler, and link none of it.
        tests("MacroTests", in: "Client/MacroTests", of: ["ReplModeling"]),
        tests(
            "SQLiteStoreTests", in: "Shell/SQLiteStoreTests",
            of: data + ["Node", "SQLiteStore", "NodeRuntime"]),
    ]
)

// libFuzzer brings its own `main`, so its program exists only where it is asked for.
if Context.environment["REPL_FUZZ"] == "1" {
    package.targets.append(
        .executableTarget(
            name: "replfuzz", dependencies: ["FuzzDecoders"], path: "Tests/Fuzz/replfuzz",
            swiftSettings: strict))
    package.targets.append(
        .executableTarget(
            name: "fuzzloop", dependencies: ["Bytes", "Causality", "FuzzDecoders"],
            path: "Tests/Fuzz/fuzzloop",
            swiftSettings: strict))
}
