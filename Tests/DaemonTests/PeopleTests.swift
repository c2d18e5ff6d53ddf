// What people meet of names and signs of life, on the real programs.

import Foundation
import Testing

extension DaemonTests {
    @Suite struct PeopleTests {
        @Test("a peer is pinged by name and by letters; what means nobody, or this box, is told")
        func ping() throws {
            try DaemonWorld.run { world in
                let attic = try world.started("attic")
                let shed = try world.started("shed", peers: [attic])
                try attic.api.createSpace("s")
                try shed.api.join(try attic.api.token("s"))
                try eventually("the link", within: 20) {
                    try attic.api.get("/v1/status").json()["sync"]["members"]["linked"].integer == 1
                }
                let device = try #require(try shed.api.get("/v1/status").json()["device"].string)
                for name in ["shed", String(device.prefix(7)), device, device.lowercased()] {
                    // Of two links that were dialled at once one ends, and a ping on it has no answer.
                    try eventually("an answer to \(name)", within: 20) {
                        let answer = try attic.api.request("POST", "/v1/peers/\(name):ping")
                        return try answer.status == 200 && answer.json()["rttMs"].integer != nil
                    }
                }
                let nobody = try attic.api.request("POST", "/v1/peers/nobody:ping")
                let members = try nobody.json()["error"]["members"].array
                #expect(nobody.status == 404 && members.count == 2)
                #expect(try attic.api.request("POST", "/v1/peers/attic:ping").status == 409)
                try shed.stop()
                try eventually("the link to end", within: 20) {
                    try attic.api.request("POST", "/v1/peers/shed:ping").status == 409
                }
            }
        }

        @Test("a new identity keeps what is there readable, writes nothing, and joins again after leaving")
        func newIdentity() throws {
            try DaemonWorld.run { world in
                let attic = try world.started("attic")
                let copy = try world.started("copy", peers: [attic])
                try attic.api.createSpace("s")
                try copy.api.join(try attic.api.token("s"))
                try copy.api.write("s", #"{"op":"set","document":"a","path":["x"],"value":1}"#)
                try eventually("the change at the other", within: 20) {
                    try attic.api.get("/v1/spaces/s/documents/a").status == 200
                }
                let old = try copy.api.json("/v1/status")["device"].string
                let export = try copy.api.export("s")
                try copy.stop()
                try copy.start(peers: [attic], extra: ["--new-identity"])
                let new = try copy.api.json("/v1/status")["device"].string
                #expect(new != nil && new != old)
                #expect(try copy.api.export("s") == export)
                let write = #"{"operations":[{"op":"set","document":"a","path":["x"],"value":2}]}"#
                let refused = try copy.api.post("/v1/spaces/s/transactions", write)
                #expect(refused.status == 403 && refused.code == "not-member", "\(refused)")
                #expect(try copy.api.request("DELETE", "/v1/spaces/s?force=true").status == 200)
                try copy.api.join(try attic.api.token("s"))
                try eventually("its documents", within: 20) { try copy.api.export("s") == export }
                #expect(try copy.api.post("/v1/spaces/s/transactions", write).status == 200)
            }
        }

        @Test("metrics name spaces, peers and the process, and promtool has nothing to say")
        func metrics() throws {
            try DaemonWorld.run { world in
                let attic = try world.started("attic")
                let shed = try world.started("shed", peers: [attic])
                try attic.api.createSpace("s")
                try shed.api.join(try attic.api.token("s"))
                let names = [
                    "repl_build_info{version=", "repl_space_sync_state{space=\"s\",state=\"up-to-date\"} ",
                    "repl_peer_linked{peer=\"shed\"",
                    "repl_peer_behind_changes{space=\"s\",peer=\"shed\",device=\"", "repl_disk_floor_bytes ",
                    "process_start_time_seconds ", "process_resident_memory_bytes ", "process_open_fds ",
                    "process_cpu_seconds_total ", "process_virtual_memory_bytes ", "process_max_fds ",
                ]
                var (text, missing) = ("", names)
                // What a peer lacks is known when both have said what they hold.
                try eventually("the metrics", within: 20, last: { "missing: \(missing)" }) {
                    text = try attic.api.get("/v1/metrics").text
                    missing = names.filter { !text.contains("\n" + $0) }
                    return missing.isEmpty
                }
                let tool = "/usr/bin/promtool"
                guard FileManager.default.isExecutableFile(atPath: tool) else { return }
                let file = world.folder + "/metrics"
                try text.write(toFile: file, atomically: false, encoding: .utf8)
                let process = Process()
                process.executableURL = URL(fileURLWithPath: "/bin/sh")
                process.arguments = ["-c", "\(tool) check metrics < \(file)"]
                try process.run()
                process.waitUntilExit()
                #expect(process.terminationStatus == 0)
            }
        }
    }
}
