// The tar of `GET /v1/support`: which reports of the node are in it, and how they and what the daemon
// knows beside them become one archive. Everything passes through one `Redaction`; whoever adds a file
// cannot go round it.

import Bytes
import Causality
import JSON
public import Node

/// One file of it, before anything is taken out.
public struct SupportFile: Sendable {
    public enum Form: Sendable {
        case json
        /// Lines in which quoted parts may be keys or names.
        case log
        /// Lines in which quotes mean nothing.
        case plain
    }

    /// Below the archive's folder.
    public let name: String
    /// A line of README.txt.
    public let about: String
    public let form: Form
    public let content: [UInt8]

    public init(_ name: String, _ about: String, _ form: Form, _ content: [UInt8]) {
        (self.name, self.about, self.form, self.content) = (name, about, form, content)
    }
}

/// What the node is asked for a report.
public struct SupportQuestion: Sendable {
    let name: String
    let about: String
    let route: Route
    public let request: NodeRequest

    private init(_ name: String, _ about: String, _ route: Route.Name, _ request: NodeRequest) {
        (self.name, self.about, self.request) = (name, about, request)
        self.route = Route[route]
    }

    /// About the node. The first tells the addresses, the second the spaces.
    public static let ofNode = [
        SupportQuestion("peers.json", "other boxes: links, what came of addresses", .peers, .peers),
        SupportQuestion("spaces.json", "the spaces, by number below", .listSpaces, .spaces),
        SupportQuestion("status.json", "this box: sync, alarms, clock, disk, discovery", .status, .status),
        SupportQuestion("metrics.txt", "counters, as for Prometheus", .metrics, .metrics),
    ]

    /// Spaces that are told of one by one.
    public static let spacesMax = 64

    /// About a space.
    public static func of(_ space: SpaceReport, number: Int) -> [SupportQuestion] {
        let reference = SpaceReference(space.id.description)
        func one(_ name: String, _ about: String, _ route: Route.Name, _ request: NodeRequest) -> Self {
            Self("space-\(number)/\(name).json", about, route, request)
        }
        return [
            one("members", "who belongs, and how far each is behind", .listMembers, .members(reference)),
            one("keys", "key epochs: numbers and ids, no key", .listKeys, .keyEpochs(reference)),
            one(
                "checkpoints", "what stands, and what is waited for", .listCheckpoints,
                .checkpoints(reference)),
            one("forks", "logs that were written in two ways", .listForks, .forks(reference)),
            one("quarantine", "changes that were skipped", .listQuarantine, .skipped(reference)),
            one("indexes", "declared indexes, without what they look at", .listIndexes, .indexes(reference)),
        ]
    }

    /// Nil for an answer that is not whole.
    public func file(_ answer: NodeAnswer) -> SupportFile? {
        guard let whole = WholeAnswer(answer, to: route) else { return nil }
        return SupportFile(name, about, name.hasSuffix(".json") ? .json : .plain, whole.body)
    }
}

/// Makes the archive.
public enum SupportReport {
    static let folder = "repld-support/"

    /// `seconds`: now, since 1970.
    public static func tar(_ files: [SupportFile], keepsAddresses: Bool, seconds: UInt64) -> [UInt8] {
        let redaction = Redaction(keepsAddresses: keepsAddresses, addresses: files.flatMap(addresses))
        let contents = files.map { redacted($0, redaction) }
        var tar = TarWriter()
        let page = readme(files, contents.map(\.count), keepsAddresses: keepsAddresses)
        tar.append(folder + "README.txt", Array(page.utf8), seconds: seconds)
        for (file, content) in zip(files, contents) {
            tar.append(folder + file.name, content, seconds: seconds)
        }
        return tar.bytes + TarWriter.end
    }

    private static func readme(_ files: [SupportFile], _ sizes: [Int], keepsAddresses: Bool) -> String {
        var text = """
            What somebody who helps with repld wants to know of a box. Look through it before it goes.

            Not in it: documents and their keys, the device's key, keys of spaces, invite tokens, what
            programs were answered\(keepsAddresses ? "" : ", addresses of this and other boxes").
            In it, as names: those of boxes, spaces, users, files and network interfaces; ids of
            devices, spaces and changes; counts, sizes and times. What was taken out is marked [removed],
            [address] or [token].


            """
        text += "unit.txt and journal.txt, if they are here, were added by replctl support, from systemd.\n\n"
        for (file, size) in zip(files, sizes) { text += "\(file.name)  \(size) bytes  \(file.about)\n" }
        return text
    }

    private static func read(_ file: SupportFile) -> PlainValue? {
        guard file.form == .json else { return nil }
        do throws(JSONFault) {
            return try JSONReader.read(file.content, roundsNumbers: true)
        } catch {
            return nil
        }
    }

    private static func addresses(_ file: SupportFile) -> [String] {
        read(file).map { Redaction.addresses(in: $0) } ?? []
    }

    private static func redacted(_ file: SupportFile, _ redaction: Redaction) -> [UInt8] {
        switch file.form {
        case .json:
            // What is no JSON is not ours, and nothing of it is known.
            guard let value = read(file) else { return Array("unreadable\n".utf8) }
            var json = JSONWriter()
            json.plain(redaction.value(value))
            return json.bytes + [0x0A]
        case .log, .plain:
            let text = String(decoding: file.content, as: UTF8.self)
            return Array(redaction.text(text, keepsQuoted: file.form == .plain).utf8)
        }
    }
}
