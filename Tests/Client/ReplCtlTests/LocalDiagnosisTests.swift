// `doctor` without a daemon.

import Bytes
import Foundation
import JSON
import Testing

@testable import replctl

@Suite struct LocalDiagnosisTests {
    @Test("it looks at sockets, service, state, port and clock, and ends with 2")
    func looks() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("d-\(UUID().uuidString)")
            .path
        try FileManager.default.createDirectory(atPath: folder + "/repld", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let environment = ["XDG_RUNTIME_DIR": folder, "XDG_STATE_HOME": folder, "HOME": folder]
        let told = try await replctl(
            ["doctor", "--socket", folder + "/none.sock"], environment: environment)
        #expect(told.code == .unreachable, "\(told)")
        for line in [
            "socket: \(folder)/none.sock is not there", "socket: \(folder)/repld/control.sock is not there",
            "socket: /run/repld/control.sock", "service: ", "state: \(folder)/repld is there, and no daemon",
            "port: TCP port 21420", "clock: it is ",
        ] {
            #expect(told.output.contains(line), "\(line): \(told.output)")
        }
        let asJSON = try await replctl(
            ["doctor", "--json", "--socket", folder + "/none.sock"], environment: environment)
        #expect(asJSON.code == .unreachable && asJSON.output.hasPrefix(#"{"findings":[{"check":"socket""#))
    }

    @Test("a socket that nobody listens on, and a state directory in use, are told")
    func stale() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("d-\(UUID().uuidString)")
            .path
        try FileManager.default.createDirectory(atPath: folder + "/repld", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let lock = open(folder + "/repld", O_RDONLY | O_DIRECTORY)
        defer { close(lock) }
        try #require(flock(lock, LOCK_EX | LOCK_NB) == 0)
        let findings = LocalDiagnosis({ ["XDG_STATE_HOME": folder][$0] }, asked: folder + "/repld").findings
        #expect(findings.first?.level == .wrong)
        #expect(
            findings.contains {
                $0.check == "state" && $0.message.hasSuffix("is in use by a daemon that runs")
            })
    }

    @Test("the disk is fine, near its floor, or an alarm's")
    func disk() throws {
        func level(_ free: Int64, _ floor: Int64) throws -> [DoctorCommand.Finding.Level] {
            DoctorCommand.disk(
                .object([
                    .init(
                        "disk",
                        .object([
                            .init("floorBytes", .scalar(.integer(floor))),
                            .init("freeBytes", .scalar(.integer(free))),
                        ]))
                ])
            ).map(\.level)
        }
        #expect(try level(1 << 40, 256 << 20) == [.fine])
        #expect(try level(300 << 20, 256 << 20) == [.note])
        #expect(try level(1, 256 << 20) == [])
    }
}
