// What may lie in a folder that others write to, and what is left there.

import Glibc
import Testing

@testable import SyncFolder

@Suite struct FolderDirectoryTests {
    /// A folder of its own for the body.
    private func inFolder(_ body: (String, FolderDirectory) throws -> Void) throws {
        var template = Array("/tmp/repld-folder-XXXXXX".utf8CString)
        let path = String(cString: try #require(mkdtemp(&template)))
        defer { _ = system("rm -rf '\(path)'") }
        try body(path, try FolderDirectory(path))
    }

    private func put(_ bytes: [UInt8], _ path: String) throws {
        let file = try #require(fopen(path, "w"))
        fwrite(bytes, 1, bytes.count, file)
        fclose(file)
    }

    @Test("only files are read: links, pipes, folders and sockets are not opened, and nothing waits")
    func kinds() throws {
        try inFolder { path, folder in
            try put([1, 2, 3], path + "/file")
            symlink("file", path + "/link")
            symlink("/dev/zero", path + "/zero")
            mkfifo(path + "/pipe", 0o600)
            mkdir(path + "/folder", 0o700)
            #expect(try folder.file("file").read(at: 0, 10) == [1, 2, 3])
            #expect(try folder.file("file").read(at: 2, 10) == [3])
            #expect(try folder.file("file").read(at: 9, 10) == [])
            let kinds = [
                "link": "a symbolic link", "zero": "a symbolic link", "pipe": "a pipe",
                "folder": "a folder",
            ]
            for (name, kind) in kinds {
                #expect(throws: FolderFileFault.noFile(kind)) { try folder.file(name) }
            }
            #expect(throws: FolderFileFault.gone) { try folder.file("none") }
            let listing = try folder.names(limit: 100)
            #expect(Set(listing.names).isSuperset(of: ["file", "link", "pipe", "folder"]))
            #expect(!listing.isMore)
            #expect(try folder.names(limit: 3).isMore)
            #expect(throws: FolderFailure(doing: "open", code: ENOENT)) { try FolderDirectory(path + "/x") }
            #expect(throws: FolderFailure(doing: "open", code: ENOTDIR)) {
                try FolderDirectory(path + "/file")
            }
        }
    }

    @Test("a draft has its name when it is whole, in the place of whatever had it, and is gone otherwise")
    func drafts() throws {
        try inFolder { path, folder in
            try put([9], path + "/outside")
            symlink("outside", path + "/own")
            var mark: BundleMark?
            do {
                let draft = try folder.draft(of: "own")
                try draft.append([1, 2])
                #expect(try folder.names(limit: 10).names.contains { $0.hasSuffix(".part") })
                #expect(folder.identity(of: "own")?.size != 2)
                try draft.append([UInt8](repeating: 3, count: 200))
                mark = try draft.finish()
            }
            let file = try folder.file("own")
            #expect(try file.read(at: 0, 300).count == 202)
            #expect(try file.mark() == mark)
            #expect(try folder.file("outside").read(at: 0, 9) == [9], "not written through the link")
            do {
                let draft = try folder.draft(of: "own")
                try draft.append([5])
            }
            #expect(try !folder.names(limit: 10).names.contains { $0.hasSuffix(".part") })
            #expect(try folder.file("own").mark() == mark)
            // One whose writer died, and one of another box.
            try put([1], path + "/.own.abc.part")
            try put([1], path + "/.other.abc.part")
            folder.removeDrafts(of: "own", among: try folder.names(limit: 20).names)
            let left = try folder.names(limit: 20).names.filter { $0.hasSuffix(".part") }
            #expect(left == [".other.abc.part"])
        }
    }

    @Test("a folder that is a link, or that is the state directory by whatever path, is not opened")
    func elsewhere() throws {
        try inFolder { path, folder in
            mkdir(path + "/state", 0o700)
            mkdir(path + "/real", 0o700)
            symlink("real", path + "/link")
            symlink(".", path + "/around")
            let isElsewhere = FolderFailure(doing: "open", code: ELOOP)
            #expect(throws: isElsewhere) { try FolderDirectory(path + "/link") }
            #expect(throws: isElsewhere) {
                try FolderDirectory(path + "/around/state", besides: path + "/state")
            }
            _ = try FolderDirectory(path + "/around/real", besides: path + "/state")
            try put([1], path + "/real/plain.replbundle")
            try put([1], path + "/real/\u{1B}[2J.replbundle")
            let listed = try FolderDirectory(path + "/real").names(limit: 10).names
            #expect(listed.filter { $0.hasSuffix("replbundle") } == ["plain.replbundle"])
        }
    }

    @Test("a file is removed only as it was read")
    func removal() throws {
        try inFolder { path, folder in
            try put([1], path + "/file")
            let identity = try folder.file("file").identity
            try put([1, 2], path + "/file")
            #expect(try !folder.remove("file", ifStill: identity))
            #expect(try folder.remove("file", ifStill: try folder.file("file").identity))
            #expect(folder.identity(of: "file") == nil)
        }
    }
}
