// GET /v1/openapi.json: the OpenAPI 3.1 document of the control API. Paths, parameters and statuses are
// generated from the route table, so they cannot differ from what is routed (decision 0123). The schemas are
// written by hand, because readers and writers of bodies are code; tests hold them to examples and to a
// validator.

import JSON

/// The document that describes this API.
public enum OpenAPIDocument {
    /// UTF-8 JSON.
    public static let json = document()

    private static func document() -> [UInt8] {
        var json = JSONWriter()
        json.object {
            $0.member("openapi", "3.1.0")
            $0.name("info")
            $0.object {
                $0.member("title", "repld control API")
                $0.member("version", "1")
                $0.name("license")
                $0.object {
                    $0.member("name", "Apache-2.0")
                    $0.member("identifier", "Apache-2.0")
                }
                $0.member("description", description)
            }
            $0.name("servers")
            $0.array(["http://localhost"]) { json, address in json.object { $0.member("url", address) } }
            $0.name("security")
            $0.array([String]()) { $0.string($1) }
            $0.name("tags")
            $0.array(RouteTag.allCases) { json, tag in
                json.object {
                    $0.member("name", tag.rawValue)
                    $0.member("description", tag.description)
                }
            }
            $0.name("paths")
            $0.paths(of: Route.all)
            $0.name("components")
            $0.object {
                $0.name("schemas")
                $0.raw(Array("{\(allSchemas.joined(separator: ","))}".utf8))
                $0.sharedParts(of: Route.all)
            }
        }
        return json.bytes
    }

    private static let description =
        "HTTP/1.1 and JSON on a Unix socket. In queries, + is a space, and a parameter that is given has a "
        + "value (prefix and after may be empty). A path answers a method that is not described with 405, "
        + "and Allow names those it takes; one that is not described answers 404."

    /// Members of the object of schemas, a text for each part of the API.
    private static let allSchemas = [
        sharedSchemas, nodeSchemas, peerSchemas, spaceSchemas, valueSchemas, operationSchemas, writingSchemas,
        conflictSchemas, changeSchemas, explainSchemas, indexSchemas, voidSchemas, checkpointSchemas,
    ]
}
