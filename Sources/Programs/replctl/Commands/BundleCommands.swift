// Bundles: what a link would carry, as a file, for boxes that never meet.

import ArgumentParser
import Bytes
import Glibc
import JSON
import ReplClient

struct BundleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bundle", abstract: "Carry changes to boxes that never meet, in a file.",
        discussion: """
            A bundle holds what another member lacks, sealed for the members of the space: whoever carries \
            or finds it cannot read it. Any member reads it, in any order and as often as it likes.
            Examples:
              replctl bundle write household /media/stick/for-attic.bundle --for attic
              replctl bundle read /media/stick/for-attic.bundle                  (on the other box)
            """,
        subcommands: [BundleWrite.self, BundleRead.self])
}

struct BundleWrite: Verb {
    static let configuration = CommandConfiguration(
        commandName: "write", abstract: "Write a bundle of a space to a file.",
        discussion: """
            Everything, or only what a member is not known to hold (--for), what a version does not hold \
            (--since), or the newest checkpoint's documents and what follows them (--base). --for goes by \
            what the member said last, on a link or in a bundle of its own. The file must not exist yet.
            Example: replctl bundle write household /media/stick/for-attic.bundle --for attic
            """)
    @Argument(help: "Name or id.") var space: String
    @Argument(help: "The file to make.", completion: .file()) var file: String
    @Option(
        name: .customLong("for"),
        help: ArgumentHelp(
            "Only what this member lacks: name, device id, or its first 7 letters or more.",
            valueName: "member"))
    var member: String?
    @Option(help: ArgumentHelp("Only what this version does not hold.", valueName: "version"))
    var since: String?
    @Flag(help: "The base of the checkpoint that stands, and what follows it.") var base = false
    @OptionGroup var common: DaemonOptions

    func validate() throws {
        let given = [member != nil, since != nil, base].count { $0 }
        if given > 1 {
            throw ValidationError("give one of --for, --since and --base, or none for everything")
        }
    }

    func run() async throws {
        let request = ClientRequest(
            "GET", ["spaces", space, "bundle"],
            query: [("for", member), ("since", since), ("base", base ? "true" : nil)], timeoutSeconds: nil)
        try await download(request, to: file, saying: "writing")
    }
}

struct BundleRead: Verb {
    static let configuration = CommandConfiguration(
        commandName: "read", abstract: "Take what a bundle holds.",
        discussion: """
            It says itself of which space it is. Everything in it is checked like what comes from a peer, \
            and what is here already does not change. When reading ends early, what was read is kept: read \
            the file again.
            Example: replctl bundle read /media/stick/for-attic.bundle
            """)
    @Argument(help: "A file made by replctl bundle write.", completion: .file()) var file: String
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw CommandFailure(
                .badInput, "cannot open \(file): \(String(cString: strerror(errno)))", name: "no-file")
        }
        defer { close(descriptor) }
        let space = try Self.space(of: descriptor, file)
        let progress = ProgressLine(
            "reading", total: fileSize(of: descriptor), console: console, isQuiet: common.json)
        defer { progress.finish() }
        var request = ClientRequest("POST", ["spaces", space, "bundle"], timeoutSeconds: nil)
        request.headers = [("Content-Type", "application/octet-stream")]
        let answer = try await common.client.call(request) { body in
            for try await piece in DescriptorBytes(descriptor) {
                try await body.send(piece)
                progress.advance(piece.count)
            }
        }
        progress.finish()
        if common.json { return try console.writeLine(answer.body) }
        let taken = try answer.json()
        let numbers = ["changes", "new", "documents", "lacking"].map { taken.integer(Key($0)) ?? 0 }
        try console.writeLine(
            "\(Counted.text(numbers[0], "change")), \(numbers[1]) of them new, in "
                + Counted.text(numbers[2], "document"))
        if numbers[3] > 0 {
            console.complain(
                "\(Counted.text(numbers[3], "change")) could not be taken: what they follow is not here. "
                    + "Have a bundle written without --since, and read that first")
        }
    }

    private static let magic = Array("repldbdl\u{1}".utf8)

    /// The id of the space, from the head; the file is then at its beginning again.
    private static func space(of descriptor: CInt, _ file: String) throws(CommandFailure) -> String {
        var head = [UInt8](repeating: 0, count: magic.count + 32)
        var count = 0
        while count < head.count {
            let more = head.withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress.map { $0 + count }, $0.count - count, off_t(count))
            }
            guard more > 0 else { break }
            count += more
        }
        guard count == head.count, head.starts(with: magic) else {
            throw CommandFailure(
                .badInput, "\(file) is no bundle, or one of a newer repld",
                hint: "a bundle is made by: replctl bundle write", name: "bad-bundle")
        }
        return Hex.encode(Array(head.dropFirst(magic.count)))
    }
}
