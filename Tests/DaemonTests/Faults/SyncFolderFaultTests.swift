// What somebody who holds the folder can do to the boxes that share it, and what a bad disk does: they say
// so, and go on when it is over.

import Foundation
import Testing

extension DaemonTests {
    @Suite struct SyncFolderFaultTests {
        private func put(_ bytes: [UInt8], _ path: String) throws {
            try Data(bytes).write(to: URL(fileURLWithPath: path))
        }

        private func problems(_ boxes: FolderBoxes, _ box: Daemon) throws -> [String: String] {
            var found: [String: String] = [:]
            for file in try boxes.report(box)["others"].array {
                if let problem = file["problem"].string { found[file["file"].string ?? ""] = problem }
            }
            return found
        }

        /// In this test every name is a file's that no member has, so that they all stay there.
        @Test("what is no bundle for this box is named with its reason, and harms nothing")
        func rubbish() throws {
            try DaemonWorld.run { world in
                let boxes = try FolderBoxes(world)
                try boxes.strangers("a", "b")
                let (a, b) = (boxes.all[0], boxes.all[1])
                let stranger = try world.started("stranger")
                try stranger.api.createSpace("s")
                try boxes.write(a, "one")
                try boxes.expectEqual(boxes.all)
                let folder = boxes.folder
                let file = world.folder + "/whole"
                #expect(try boxes.replctl(a, "bundle", "write", "s", file).code == 0)
                let whole = Array(try Data(contentsOf: URL(fileURLWithPath: file)))
                #expect(
                    try boxes.replctl(stranger, "bundle", "write", "s", folder + "/foreign.replbundle").code
                        == 0)
                try FileManager.default.createSymbolicLink(
                    atPath: folder + "/link.replbundle", withDestinationPath: file)
                try FileManager.default.createSymbolicLink(
                    atPath: folder + "/endless.replbundle", withDestinationPath: "/dev/zero")
                mkfifo(folder + "/pipe.replbundle", 0o666)
                mkdir(folder + "/folder.replbundle", 0o777)
                try put([], folder + "/empty.replbundle")
                try put([UInt8](repeating: 0x72, count: 3 << 20), folder + "/noise.replbundle")
                try put(Array(whole.dropLast(9)), folder + "/cut.replbundle")
                try put(whole + [0], folder + "/long.replbundle")
                var bent = whole
                bent[whole.count - 30] ^= 1
                try put(bent, folder + "/bent.replbundle")
                try put([1, 2, 3], folder + "/no-bundle.txt")
                let huge = folder + "/huge.replbundle"
                try put(whole, huge)
                #expect(truncate(huge, 3 << 40) == 0)
                let expected = [
                    "link": "symbolic link", "endless": "symbolic link", "pipe": "a pipe",
                    "folder": "a folder",
                    "empty": "it ends there", "noise": "no bundle begins so", "cut": "it ends there",
                    "long": "something follows", "bent": "the record was changed", "huge": "MiB",
                ]
                try eventually("all to be named", within: boxes.patience, every: 200) {
                    try problems(boxes, b).count >= expected.count && boxes.report(b)["foreign"] == 1
                }
                let found = try problems(boxes, b)
                for (name, words) in expected {
                    let problem = found[name + ".replbundle"] ?? "none"
                    #expect(problem.contains(words), "\(name): \(problem)")
                }
                #expect(found.count == expected.count, "\(found)")
                let doctor = try boxes.replctl(b, "doctor")
                #expect(doctor.code == 0 && doctor.output.contains("bent.replbundle: "), "\(doctor)")
                // The road is open all the same, and who brought it is nobody.
                try boxes.write(a, "two")
                try boxes.expectEqual(boxes.all)
                #expect(try a.api.alarms() == [] && b.api.alarms() == [])
                // What is mended is taken.
                try put(whole, folder + "/cut.replbundle")
                try eventually("the file to be taken", within: boxes.patience, every: 200) {
                    try problems(boxes, b)["cut.replbundle"] == nil
                }
            }
        }

        @Test("a member's file that is cut, bent, swapped or rolled back costs time, and no document")
        func tampered() throws {
            try DaemonWorld.run { world in
                let boxes = try FolderBoxes(world)
                try boxes.strangers("a", "b")
                let (a, b) = (boxes.all[0], boxes.all[1])
                try boxes.write(a, "one")
                try boxes.expectEqual(boxes.all)
                let ofA = boxes.folder + "/" + (try boxes.own(a)["file"].string ?? "")
                let ofB = boxes.folder + "/" + (try boxes.own(b)["file"].string ?? "")
                let old = Array(try Data(contentsOf: URL(fileURLWithPath: ofA)))
                // Each of the other's name; then they find their own changed, and write it again.
                let swap = world.folder + "/swap"
                try FileManager.default.moveItem(atPath: ofA, toPath: swap)
                try FileManager.default.moveItem(atPath: ofB, toPath: ofA)
                try FileManager.default.moveItem(atPath: swap, toPath: ofB)
                try boxes.write(b, "two")
                try boxes.expectEqual(boxes.all)
                try boxes.write(a, "three")
                try boxes.expectEqual(boxes.all)
                try put(old, ofA)
                try boxes.write(a, "four")
                try boxes.write(b, "five")
                try boxes.expectEqual(boxes.all)
                try put(Array(old.dropLast(20)), ofA)
                try eventually("a to mend its file", within: boxes.patience, every: 200) {
                    try problems(boxes, b).isEmpty
                        && Array(try Data(contentsOf: URL(fileURLWithPath: ofA))).count != old.count - 20
                }
                try boxes.write(a, "six")
                try boxes.expectEqual(boxes.all)
                #expect(try a.api.alarms() == [] && b.api.alarms() == [])
                #expect(try a.api.json("/v1/spaces/s")["documents"] == 6)
            }
        }

        @Test("thirty thousand files in the folder hide no member's, and the daemon does not grow with them")
        func crowded() throws {
            try DaemonWorld.run { world in
                let boxes = try FolderBoxes(world)
                try boxes.strangers("a", "b")
                let (a, b) = (boxes.all[0], boxes.all[1])
                for number in 0..<30_000 {
                    close(open("\(boxes.folder)/x\(number).replbundle", O_WRONLY | O_CREAT, 0o644))
                }
                try boxes.write(a, "one")
                try boxes.expectEqual(boxes.all)
                try eventually("it to be told", within: boxes.patience, every: 200) {
                    try boxes.report(b)["crowded"] == true
                }
                let files = try boxes.report(b)["others"].array.count
                #expect((2...260).contains(files), "\(files)")
                try boxes.write(b, "two")
                try boxes.expectEqual(boxes.all)
                #expect(try boxes.replctl(b, "doctor").output.contains("more files than are looked at"))
            }
        }

        @Test("a small file carries more than fits, part by part, and says that it is not whole")
        func capped() throws {
            try DaemonWorld.run { world in
                let boxes = try FolderBoxes(world)
                try boxes.strangers("a", "b", max: "8MiB")
                let (a, b) = (boxes.all[0], boxes.all[1])
                // Some 450 bytes of noise each.
                try b.stop()
                try boxes.fill(a, 40_000, "fill")
                try eventually("the file to be full", within: boxes.patience, every: 200) {
                    let own = try boxes.own(a)
                    return own["whole"] == false && own["problem"].string?.contains("sync-folder-max") == true
                        && (own["bytes"].integer ?? 0) > 7 << 20
                }
                #expect((try boxes.own(a)["bytes"].integer ?? 0) <= 8 << 20)
                #expect(try boxes.replctl(a, "doctor").output.contains("sync-folder-max"))
                try boxes.start(b)
                try eventually("boxes to be equal", within: 240, every: 500) {
                    try a.api.json("/v1/spaces/s")["documents"] == b.api.json("/v1/spaces/s")["documents"]
                }
                try boxes.expectEqual(boxes.all)
                try eventually("the file to be whole", within: boxes.patience, every: 200) {
                    try boxes.own(a)["whole"] == true
                }
            }
        }
    }

    /// On a file system of its own, which can be filled and made read-only.
    @Suite(
        .enabled(
            if: DiskImage.obstacle == nil, Comment(rawValue: DiskImage.obstacle ?? "images can be mounted")))
    struct SyncFolderDiskTests {
        @Test("a stick that is full is an alarm until there is room, and what is on it can be read meanwhile")
        func full() throws {
            try DaemonWorld.run { world in
                let disk = try DiskImage(in: world.folder, "disk", megabytes: 8)
                defer { disk.end() }
                let boxes = try FolderBoxes(world, folder: disk.path + "/repld")
                try boxes.strangers("a", "b")
                let (a, b) = (boxes.all[0], boxes.all[1])
                try boxes.write(a, "one")
                try boxes.expectEqual(boxes.all)
                let filler = disk.path + "/filler"
                let file = open(filler, O_WRONLY | O_CREAT, 0o600)
                let zeros = [UInt8](repeating: 0, count: 65_536)
                while Foundation.write(file, zeros, zeros.count) > 0 {}
                while Foundation.write(file, zeros, 512) > 0 {}
                close(file)
                let before = boxes.files
                try boxes.fill(a, 400, "fill")
                try eventually("the alarm", within: boxes.patience, every: 200) {
                    try a.api.alarms() == ["sync-folder"] && boxes.report(a)["state"] == "full"
                }
                #expect(boxes.files == before && boxes.drafts == [], "what was whole stays")
                let doctor = try boxes.replctl(a, "doctor")
                #expect(doctor.code == 1 && doctor.output.contains("is full"), "\(doctor)")
                try boxes.write(a, "two")
                try FileManager.default.removeItem(atPath: filler)
                try boxes.expectEqual(boxes.all)
                try eventually("the alarm to end", within: boxes.patience, every: 200) {
                    try a.api.alarms() == [] && b.api.alarms() == [] && boxes.report(a)["state"] == "ready"
                }
            }
        }

        @Test(
            "a folder that a service may not write is an alarm with the drop-in, and is taken up when it may")
        func readOnly() throws {
            try DaemonWorld.run { world in
                let disk = try DiskImage(in: world.folder, "disk", megabytes: 8)
                defer { disk.end() }
                let boxes = try FolderBoxes(world, folder: disk.path + "/repld")
                func remount(_ mode: String) throws {
                    let mount = try #require(FaultRounds.program("mount"))
                    let result = try ChildProcess.run(
                        mount, ["-o", "remount,\(mode)", disk.path], within: 30)
                    try #require(result.end == .exit(0), "\(String(decoding: result.output, as: UTF8.self))")
                }
                try remount("ro")
                let a = try world.daemon("a")
                let notify = try NotifySocket("\(world.folder)/notify")
                a.environment = ["NOTIFY_SOCKET=\(notify.address)"]
                try boxes.configure(a, boxes.folder)
                try boxes.start(a)
                try a.api.createSpace("s")
                try eventually("the alarm", within: boxes.patience, every: 200) {
                    notify.collect()
                    return try a.api.alarms() == ["sync-folder"]
                }
                #expect(try boxes.report(a)["state"] == "refused")
                let doctor = try boxes.replctl(a, "doctor")
                #expect(
                    doctor.code == 1 && doctor.output.contains("ReadWritePaths=-\(boxes.folder)"), "\(doctor)"
                )
                #expect(doctor.output.contains("Read-only file system"), "\(doctor)")
                try remount("rw")
                try eventually("the file", within: 2 * boxes.patience, every: 200) { boxes.files.count == 1 }
                try eventually("no alarm", within: boxes.patience, every: 200) { try a.api.alarms() == [] }
            }
        }
    }
}
