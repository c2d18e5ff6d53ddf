// Boxes that share a folder and nothing else, on the real programs: documents both ways, members that go,
// deaths while writing, a folder that is pulled, settings.

import Foundation
import Testing

extension DaemonTests {
    @Suite struct SyncFolderTests {
        @Test("three boxes that share a folder alone are equal, and their files shrink to receipts")
        func sharing() throws {
            try DaemonWorld.run { world in
                let boxes = try FolderBoxes(world)
                try boxes.strangers("a", "b", "c")
                let (a, b, c) = (boxes.all[0], boxes.all[1], boxes.all[2])
                try boxes.write(a, "from/a")
                try boxes.write(b, "from/b")
                try boxes.write(c, "from/c")
                try boxes.expectEqual(boxes.all)
                for box in boxes.all {
                    #expect(try box.api.json("/v1/spaces/s")["documents"] == 3)
                    #expect(try box.api.json("/v1/status")["links"] == 0)
                    try eventually(
                        "the file of \(box.name) to be a receipt", within: boxes.patience, every: 200
                    ) {
                        try boxes.own(box)["changes"] == 0
                    }
                    let folder = try boxes.report(box)
                    #expect(folder["state"] == "ready" && folder["others"].array.count == 2, "\(folder)")
                    #expect(folder["others"].array.allSatisfy { $0["problem"] == nil && $0["readMs"] != nil })
                    #expect(try box.api.alarms() == [])
                }
                #expect(boxes.files.count == 3 && boxes.drafts == [])
                // Nothing of people is in the folder.
                for file in boxes.files {
                    let bytes = try Data(contentsOf: URL(fileURLWithPath: boxes.folder + "/" + file))
                    #expect(bytes.range(of: Data("from/".utf8)) == nil && bytes.count < 2_000)
                }
                // Nothing is written while there is nothing to say.
                let written = try boxes.all.map { try boxes.own($0)["writtenMs"] }
                let looks = try boxes.report(a)["lookedMs"]
                try eventually("some looks", within: boxes.patience, every: 200) {
                    (try boxes.report(a)["lookedMs"].integer ?? 0) > (looks.integer ?? 0) + 25_000
                }
                #expect(try boxes.all.map { try boxes.own($0)["writtenMs"] } == written)
                let doctor = try boxes.replctl(a, "doctor")
                #expect(
                    doctor.code == 0 && doctor.output.contains("sync-folder: \(boxes.folder)"), "\(doctor)")
                #expect(try boxes.replctl(a, "status").output.contains("sync folder"))
                let metrics = String(decoding: try a.api.get("/v1/metrics").body, as: UTF8.self)
                #expect(metrics.contains(#"repl_sync_folder_state{state="ready"} 1"#), "\(metrics)")
            }
        }

        @Test("who was removed learns nothing more by the folder, and its file is read and then goes")
        func removal() throws {
            try DaemonWorld.run { world in
                let boxes = try FolderBoxes(world)
                try boxes.strangers("a", "b", "c")
                let (a, b, c) = (boxes.all[0], boxes.all[1], boxes.all[2])
                try boxes.write(c, "before")
                try boxes.expectEqual(boxes.all)
                // Written before c can know that it is out, and read by nobody yet.
                try a.stop()
                try b.stop()
                try boxes.write(c, "last")
                // The file with what it wrote before may still be there, of as many changes.
                let written = Int(Date().timeIntervalSince1970 * 1_000)
                try eventually("c to leave it", within: boxes.patience, every: 200) {
                    let own = try boxes.own(c)
                    return own["changes"].integer ?? 0 > 0 && own["writtenMs"].integer ?? 0 > written
                }
                try c.stop()
                try boxes.start(a)
                try eventually("a to have it", within: boxes.patience, every: 200) {
                    try a.api.get("/v1/spaces/s/documents/last").status == 200
                }
                #expect(try boxes.replctl(a, "space", "remove", "s", "c", "--yes").code == 0)
                try boxes.write(a, "secret")
                try boxes.start(b)
                try boxes.expectEqual([a, b])
                try eventually("the file of c to go", within: boxes.patience, every: 200) {
                    boxes.files.count == 2
                }
                try boxes.start(c)
                try eventually("c to be refused", within: boxes.patience, every: 200) {
                    try boxes.report(c)["others"].array.contains {
                        $0["problem"].string?.contains("none of them") ?? false
                    }
                }
                #expect(try c.api.get("/v1/spaces/s/documents/secret").status == 404)
                // What c writes now has no effect, though its file is read.
                try boxes.write(c, "late")
                try eventually("c to leave it", within: boxes.patience, every: 200) { boxes.files.count == 3 }
                try eventually("its file to go", within: boxes.patience, every: 200) {
                    boxes.files.count == 2
                }
                #expect(try a.api.get("/v1/spaces/s/documents/late").status == 404)
                try boxes.expectEqual([a, b])
            }
        }

        @Test("who dies while it writes leaves the file before whole, and nothing behind after a start")
        func killed() throws {
            try DaemonWorld.run { world in
                let boxes = try FolderBoxes(world)
                try boxes.strangers("a", "b")
                let (a, b) = (boxes.all[0], boxes.all[1])
                try boxes.write(a, "first")
                try boxes.expectEqual(boxes.all)
                var caught = 0
                for round in 0..<12 where caught < 3 {
                    try boxes.fill(a, 2_000, "fill/\(round)", seed: UInt64(round))
                    // It is killed when a file is being written, which takes a moment of each look.
                    let start = secondsNow()
                    while boxes.drafts.isEmpty, secondsNow() - start < 6 { usleep(200) }
                    a.crash()
                    if !boxes.drafts.isEmpty { caught += 1 }
                    try boxes.start(a)
                    try eventually("drafts to go", within: boxes.patience) { boxes.drafts.isEmpty }
                }
                #expect(caught > 0, "no kill came while a file was written")
                try boxes.expectEqual(boxes.all)
                #expect(try b.api.alarms() == [] && a.api.alarms() == [])
                let metrics = String(decoding: try b.api.get("/v1/metrics").body, as: UTF8.self)
                #expect(metrics.contains("repl_sync_folder_files_refused_total 0\n"))
            }
        }

        @Test("a folder that is pulled and put back goes on; one that is emptied is filled again")
        func pulled() throws {
            try DaemonWorld.run { world in
                let boxes = try FolderBoxes(world)
                try boxes.strangers("a", "b")
                let (a, b) = (boxes.all[0], boxes.all[1])
                try boxes.write(a, "one")
                try boxes.expectEqual(boxes.all)
                let away = world.folder + "/away"
                try FileManager.default.moveItem(atPath: boxes.folder, toPath: away)
                try eventually("the folder to be missed", within: boxes.patience) {
                    try boxes.report(a)["state"] == "missing" && boxes.report(b)["state"] == "missing"
                }
                try boxes.write(a, "two")
                let doctor = try boxes.replctl(a, "doctor")
                #expect(doctor.output.contains("is not there"), "\(doctor)")
                #expect(try a.api.alarms() == [], "a stick comes and goes")
                try FileManager.default.moveItem(atPath: away, toPath: boxes.folder)
                try boxes.expectEqual(boxes.all)
                #expect(try b.api.get("/v1/spaces/s/documents/two").status == 200)
                for file in boxes.files {
                    try FileManager.default.removeItem(atPath: boxes.folder + "/" + file)
                }
                try eventually("files to be there again", within: boxes.patience) { boxes.files.count == 2 }
                try boxes.write(b, "three")
                try boxes.expectEqual(boxes.all)
            }
        }

        @Test("a reload takes the folder into use and out of it; a path that cannot be is 78")
        func reloaded() throws {
            try DaemonWorld.run { world in
                let boxes = try FolderBoxes(world)
                try boxes.strangers("a")
                let a = boxes.all[0]
                // The daemon answers before it has looked at the folder.
                try eventually("the folder", within: boxes.patience) {
                    try boxes.report(a)["path"] == .string(boxes.folder)
                }
                try boxes.configure(a, nil)
                let out = try a.api.post("/v1/reload", "").json()
                #expect(out["applied"] == ["sync-folder"], "\(out)")
                try eventually("no folder", within: boxes.patience) { try boxes.report(a) == .null }
                try boxes.configure(a, world.folder + "/other", max: "16MiB")
                let back = try a.api.post("/v1/reload", "").json()
                #expect(back["applied"] == ["sync-folder", "sync-folder-max"], "\(back)")
                try eventually("another folder", within: boxes.patience) {
                    try boxes.report(a)["state"] == "missing"
                }
                for text in [
                    #"sync-folder = "stick""#, #"sync-folder = "/""#, #"sync-folder = """#,
                    "sync-folder = 3", "sync-folder = \"\(a.state)/x\"", #"sync-folder-max = "1MiB""#,
                    #"sync-folder-max = "2GiB""#, #"sync-folder-max = "5%""#,
                ] {
                    try Data(text.utf8).write(to: URL(fileURLWithPath: boxes.config(a)))
                    #expect(try a.api.post("/v1/reload", "").status == 422, "\(text)")
                    // Another daemon does not mind a folder in the state directory of this one.
                    if text.contains(a.state) { continue }
                    let other = try world.daemon("x\(text.utf8.count)")
                    let process = try other.launch(other.arguments + ["--config", boxes.config(a)])
                    let end = try process.waitForEnd(within: 20, text)
                    #expect(end == .exit(78), "\(text): \(other.log)")
                }
            }
        }
    }
}
