// The OpenAPI document is true. Paths, parameters and statuses are generated from the route table; what is
// written by hand (schemas, examples) is held to the readers of bodies, to the node's words and to an
// independent validator.

import Bytes
import Documents
import Foundation
import JSON
import Node
import Testing

@testable import ControlAPI

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

    private func operation(_ route: Route) throws -> PlainValue? {
        let path = Key(route.pattern.replacing("{key…}", with: "{key}"))
        return try document()["paths"]?[path]?[Key(route.method.lowercased())]
    }

    @Test("each operation has a tag, a summary, a description, an example, and its route's parameters")
    func operations() throws {
        let document = try document()
        for route in Route.all {
            let operation = try #require(try operation(route))
            #expect(operation["tags"] == .array([.scalar(.string(Key(route.tag.rawValue)))]))
            for name in ["summary", "description"] as [Key] {
                #expect(text(operation[name])?.isEmpty == false, "\(route.name)")
            }
            guard case .array(let references) = operation["parameters"] ?? .array([]) else { continue }
            let names = references.compactMap { reference in
                text(reference["$ref"])?.split(separator: "/").last.flatMap {
                    text(document["components"]?["parameters"]?[Key(String($0))]?["name"])
                }
            }
            #expect(names == route.parameters.map(\.name), "\(route.name)")
            #expect((operation["requestBody"] != nil) == route.body.isTaken, "\(route.name)")
            let contents = route.body.contents + route.answer.contents
            // Bytes that are no text have none.
            let isBinary = [.backup, .support, .writeBundle, .takeBundle].contains(route.name)
            #expect(contents.allSatisfy { $0.example != nil } || isBinary, "\(route.name)")
        }
        for parameter in members(document["components"]?["parameters"]) {
            #expect(parameter.value["example"] != nil, "\(parameter.key)")
        }
    }

    @Test("each operation has the statuses that any request of its kind can get")
    func statuses() throws {
        for route in Route.all {
            let listed = Set(members(try operation(route)?["responses"]).map(\.key.string))
            // A query or head that is wrong, no credentials, a long head, a body of another type, too many
            // requests, a failed store, a stop.
            var expected: Set = ["400", "403", "413", "415", "429", "500", "503"]
            // Whatever the node answers is in a batch, which may be lost.
            if route.name != .openapi { expected.insert("507") }
            if route.pattern.contains("{space}") { expected.insert("404") }
            if route.body.isTaken { expected.insert("422") }
            if route.parameters.contains(.timeoutSeconds) { expected.formUnion(["408", "422"]) }
            #expect(
                listed.isSuperset(of: expected), "\(route.name): \(expected.subtracting(listed).sorted())")
        }
    }

    @Test("a parameter whose schema allows an empty value is one that the router takes empty")
    func emptiable() throws {
        for parameter in Route.all.flatMap(\.parameters) where parameter.place == .query {
            let schema = try JSONReader.read(Array(parameter.schema.utf8))
            let isText = text(schema["type"]) == "string"
            #expect((isText && schema["minLength"] == nil) == parameter.mayBeEmpty, "\(parameter.name)")
        }
    }

    @Test("the example of a refusal has the status that it stands under")
    func refusals() throws {
        for refusal in RouteRefusal.allCases { #expect(refusal.example.status == refusal.rawValue) }
    }

    @Test("the example of each body is one that the daemon takes")
    func bodies() throws {
        for route in Route.all {
            for content in route.body.contents {
                // Bytes that are no text.
                if case .bytes = route.body { continue }
                let body = Array(try #require(content.example).utf8)
                switch route.name {
                case .streamTransactions: _ = try TransactionReader.read(line: body)
                case .importDocuments: _ = try TypedValueReader.read(line: body)
                default:
                    let target = route.pattern.replacing("{space}", with: "household")
                    let head = RequestHead(method: route.method, target: target, headers: [], hasBody: true)
                    guard case .take(let request) = try Router.route(head, caller: .owner).endpoint else {
                        Issue.record("\(route.name) takes no body")
                        continue
                    }
                    _ = try request.request(body: body)
                }
            }
        }
    }

    @Test("each operation of a transaction is a schema of its own, found by its verb")
    func variants() throws {
        let schemas = try #require(try document()["components"]?["schemas"])
        for (schema, property) in [("Operation", "op"), ("Typed", "kind")] as [(Key, Key)] {
            let discriminator = try #require(schemas[schema]?["discriminator"])
            #expect(text(discriminator["propertyName"]) == property.string)
            for variant in members(discriminator["mapping"]) {
                let name = try #require(text(variant.value)?.split(separator: "/").last)
                let constant = schemas[Key(String(name))]?["properties"]?[property]
                let values: [PlainValue] = if case .array(let list)? = constant?["enum"] { list } else { [] }
                #expect(
                    (values + [constant?["const"] ?? .emptyObject]).contains {
                        text($0) == variant.key.string
                    })
            }
        }
        #expect(members(schemas["Operation"]?["discriminator"]?["mapping"]).count == 11)
        // A variant without a name gets a number in generated clients.
        for schema in members(schemas) {
            guard case .array(let variants)? = schema.value["oneOf"] else { continue }
            let unnamed = variants.filter { $0["$ref"] == nil && $0["type"] != .scalar(.string("string")) }
            #expect(unnamed.isEmpty, "\(schema.key)")
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
        "every example is one that its schema allows",
        .enabled(if: python("import jsonschema") == 0, "needs Python's jsonschema"))
    func examples() {
        let program = """
            import json, sys, jsonschema
            document = json.load(sys.stdin)
            components = document["components"]
            def check(schema, example):
                schema = {**schema, "components": components}
                jsonschema.Draft202012Validator(schema).validate(example)
            def walk(value):
                if isinstance(value, dict):
                    if "example" in value and "schema" in value: check(value["schema"], value["example"])
                    for member in value.values(): walk(member)
                elif isinstance(value, list):
                    for member in value: walk(member)
            walk(document)
            """
        #expect(python(program, input: OpenAPIDocument.json) == 0)
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
