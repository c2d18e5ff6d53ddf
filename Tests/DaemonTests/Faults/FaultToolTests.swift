// What the fault suites need and this machine may lack: said aloud, so that a green run without them is not
// taken for one with them. Where `make test` has installed the packages (REPL_FAULT_TOOLS=installed) a suite
// that would be skipped for a missing program is a failure; where mounts, namespaces or the clock are not
// permitted, a skip by name stays right.

import Foundation
import Testing

extension DaemonTests {
    @Suite struct FaultToolTests {
        /// Programs and files of TEST_PACKAGES in the Makefile, and the suites that are nothing without them.
        private static let needed: [(what: String, isHere: Bool, suites: String)] = [
            ("strace", FaultRounds.program("strace") != nil, "FailingSyncTests"),
            ("libfaketime", FakeClock.library != nil, "ClockTests"),
            ("mkfs.ext4", FaultRounds.program("mkfs.ext4") != nil, "ForkTests"),
            ("ip", NamespaceCommands.ip != nil, "tests in namespaces"),
            ("nft", NamespaceCommands.nft != nil, "tests in namespaces"),
            ("bash-completion", CompletionTests.bashCompletion != nil, "completion in bash"),
            ("zsh", FaultRounds.program("zsh") != nil, "completion in zsh"),
            ("fish", FaultRounds.program("fish") != nil, "completion in fish"),
            ("mandoc", FaultRounds.program("mandoc") != nil, "lint of manual pages"),
            ("curl", FaultRounds.program("curl") != nil, "the lines of API.md"),
            ("shellcheck", FaultRounds.program("shellcheck") != nil, "shell scripts"),
        ]
        /// What of this machine, and not of its packages, keeps suites from running.
        private static let obstacles: [(suites: String, obstacle: String?)] = [
            ("FullDiskTests", SmallDisk.obstacle), ("ForkTests", DiskImage.obstacle),
            ("SyncFolderDiskTests", DiskImage.obstacle),
            ("ClockTests", FakeClock.obstacle), ("tests in namespaces", NamespaceCommands.obstacle),
            ("HostileMemberTests", Tool.path("hostilepeer") == nil ? "hostilepeer was not built" : nil),
            ("ChaosTests", Tool.path("chaosrelay") == nil ? "chaosrelay was not built" : nil),
        ]

        @Test("what was installed for the fault suites is found, and what they cannot do here is named")
        func tools() {
            let isInstalled = ProcessInfo.processInfo.environment["REPL_FAULT_TOOLS"] == "installed"
            for (what, isHere, suites) in Self.needed where !isHere {
                if isInstalled { Issue.record("\(what) was installed and is not found: no \(suites)") }
                FaultRounds.say("skipped: \(suites): \(what) is not installed")
            }
            for (suites, obstacle) in Self.obstacles {
                if let obstacle { FaultRounds.say("skipped: \(suites): \(obstacle)") }
            }
            // These come with the tests themselves.
            #expect(Tool.path("hostilepeer") != nil && Tool.path("chaosrelay") != nil)
        }
    }
}
