// What every verb that writes one document takes: the conditions under which it is written, a key that
// makes a retry safe, and whether changing nothing is a failure.

import ArgumentParser
import JSON
import ReplClient

struct WriteOptions: ParsableArguments {
    @Option(
        name: .customLong("if"),
        help: ArgumentHelp("Write only if PATH shows VALUE; may be repeated.", valueName: "path=value"))
    var equals: [String] = []

    @Option(
        help: ArgumentHelp("Write only if something stands at PATH ('' is the document).", valueName: "path"))
    var ifExists: [String] = []

    @Option(
        help: ArgumentHelp("Write only if nothing stands at PATH ('' is the document).", valueName: "path"))
    var ifAbsent: [String] = []

    @Option(
        help: ArgumentHelp(
            "Write only if the document has not changed since it was read.", valueName: "version"))
    var ifVersion: String?

    @Option(
        help: ArgumentHelp("Sent again with the same key within 24 hours, it is done once.", valueName: "key")
    )
    var idempotencyKey: String?

    @Flag(help: "Exit with 1 when nothing changed.")
    var mustExist = false

    /// The conditions as the API takes them, about one document.
    func conditions(on document: String, _ console: Console) throws -> [[UInt8]] {
        var conditions: [[UInt8]] = []
        for text in equals {
            let (path, value) = try DottedPath.assignment(text)
            let expected = try ValueText.read(value, console)
            conditions.append(
                Self.condition(document, path) {
                    $0.name("equals")
                    $0.plain(expected)
                })
        }
        for text in ifExists {
            conditions.append(Self.condition(document, try DottedPath(text)) { $0.member("exists", true) })
        }
        for text in ifAbsent {
            conditions.append(Self.condition(document, try DottedPath(text)) { $0.member("exists", false) })
        }
        if let ifVersion {
            conditions.append(Self.condition(document, nil) { $0.member("version", ifVersion) })
        }
        return conditions
    }

    private static func condition(
        _ document: String, _ path: DottedPath?, _ test: (inout JSONWriter) -> Void
    ) -> [UInt8] {
        var json = JSONWriter()
        json.object {
            $0.member("document", document)
            if let path {
                $0.name("path")
                path.write(to: &$0)
            }
            test(&$0)
        }
        return json.bytes
    }
}

/// A verb that writes one document in one transaction.
protocol WritingVerb: Verb {
    var options: WriteOptions { get }
}

extension WritingVerb {
    /// Writes the operations of one document under the conditions that were asked for. On a terminal or in a
    /// pipe it prints the change, which `wait` takes.
    /// `units`: of splices; nil is Unicode scalars.
    func write(
        _ space: String, _ document: String, _ operations: [OperationText], units: String? = nil
    ) async throws {
        let conditions = try options.conditions(on: document, console)
        let body = OperationText.transaction(operations, conditions: conditions)
        let isChanged = try await transact(
            space, body: body, units: units, idempotencyKey: options.idempotencyKey)
        if !isChanged, options.mustExist { throw NothingChanged() }
    }
}

/// `--must-exist`, and it did not: already said on standard error.
struct NothingChanged: Error {}
