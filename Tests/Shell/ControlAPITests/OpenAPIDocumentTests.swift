// The OpenAPI document is true: it has exactly the routes of the table, their parameters, and only references
// that lead somewhere.

import Bytes
import ControlAPI
import Documents
import Foundation
import Node
import Testing

/// Runs a Python program with the document on its standard input; its exit code.
private func python(_ program: String, input: [UInt8] = []) -> Int32 {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "-c", program]
    process.standardInput = pipe
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return -1 }
    pipe.fileHandleForWriting.write(Data(input))
    pipe.fileHandleForWriting.closeFile()
    process.waitUntilExit()
    return process.terminationStatus
}

@Suite struct OpenAPIDocumentTests {
    private func document() throws -> PlainValue { try JSONReader.read(OpenAPIDocument.json) }

    private func members(_ value: PlainValue?) -> [PlainValue.Member] {
        guard case .object(let members)? = value else { return [] }
        return members
    }

    private func text(_ value: PlainValue?) -> String? {
        guard case .scalar(.string(let text))? = value else { return nil }
        return text.string
    }

    @Test("it has every route of the table, and no other")
    func routes() throws {
        var described: Set<String> = []
        for path in members(try document()["paths"]) {
            for method in members(path.value) where method.key != "parameters" {
                described.insert(
                    "\(method.key.string.uppercased()) \(path.key) \(text(method.value["operationId"]) ?? "")"
                )
            }
        }
        let table = Route.all.map {
            "\($0.method) \($0.pattern.replacing("{key…}", with: "{key}")) \($0.name.rawValue)"
        }
        #expect(described == Set(table))
    }

    @Test("each operation names the query parameters that its route knows")
    func parameters() throws {
        let document = try document()
        for route in Route.all {
            let path = Key(route.pattern.replacing("{key…}", with: "{key}"))
            let operation = document["paths"]?[path]?[Key(route.method.lowercased())]
            guard case .array(let references) = operation?["parameters"] ?? .array([]) else { continue }
            let names: [String] = references.compactMap { reference in
                let name = text(reference["$ref"])?.split(separator: "/").last.map { Key(String($0)) }
                let parameter = name.flatMap { document["components"]?["parameters"]?[$0] }
                return text(parameter?["in"]) == "query" ? text(parameter?["name"]) : nil
            }
            #expect(Set(names) == Set(route.parameters), "\(route.name)")
            #expect((operation?["requestBody"] != nil) == (route.body != .none), "\(route.name)")
        }
    }

    @Test("each operation has the statuses that any request of its kind can get")
    func statuses() throws {
        let document = try document()
        for route in Route.all {
            let path = Key(route.pattern.replacing("{key…}", with: "{key}"))
            let responses = document["paths"]?[path]?[Key(route.method.lowercased())]?["responses"]
            let listed = Set(members(responses).map(\.key.string))
            // A query or head that is wrong, no credentials, a long head, a body of another type, too many
            // requests, a failed store, a stop.
            var expected: Set = ["400", "403", "413", "415", "429", "500", "503"]
            // Whatever the node answers is in a batch, which may be lost.
            if route.name != .openapi { expected.insert("507") }
            if route.pattern.contains("{space}") { expected.insert("404") }
            if route.body != .none { expected.insert("422") }
            if route.parameters.contains("timeoutSeconds") { expected.formUnion(["408", "422"]) }
            #expect(
                listed.isSuperset(of: expected), "\(route.name): \(expected.subtracting(listed).sorted())")
        }
    }

    @Test("every shared refusal is one that an operation gives")
    func shared() throws {
        let text = String(decoding: OpenAPIDocument.json, as: UTF8.self)
        let responses = members(try document()["components"]?["responses"])
        #expect(responses.count > 10)
        for response in responses {
            #expect(text.contains("#/components/responses/\(response.key)\""), "\(response.key)")
        }
    }

    @Test("the reasons of an explanation are those that the node gives")
    func reasons() throws {
        guard case .array(let codes)? = try document()["components"]?["schemas"]?["Whereabouts"]?["enum"]
        else {
            Issue.record("no reasons")
            return
        }
        #expect(codes.compactMap(text) == WhereaboutsReason.allCases.map(\.rawValue))
    }

    @Test("every reference leads somewhere")
    func references() throws {
        let document = try document()
        var (dangling, count) = ([String](), 0)
        func walk(_ value: PlainValue) {
            switch value {
            case .scalar: return
            case .array(let elements): elements.forEach(walk)
            case .object(let list):
                for member in list {
                    if member.key == "$ref", let target = text(member.value) {
                        count += 1
                        var place: PlainValue? = document
                        for step in target.split(separator: "/").dropFirst() {
                            place = place?[Key(String(step))]
                        }
                        if place == nil { dangling.append(target) }
                    }
                    walk(member.value)
                }
            }
        }
        walk(document)
        #expect(dangling.isEmpty)
        #expect(count > 100)
    }

    @Test(
        "an independent validator takes it as OpenAPI 3.1",
        .enabled(if: python("import openapi_spec_validator") == 0, "needs Python's openapi-spec-validator"))
    func validates() {
        let program = """
            import json, sys, openapi_spec_validator
            openapi_spec_validator.OpenAPIV31SpecValidator(json.load(sys.stdin)).validate()
            """
        #expect(python(program, input: OpenAPIDocument.json) == 0)
    }
}
