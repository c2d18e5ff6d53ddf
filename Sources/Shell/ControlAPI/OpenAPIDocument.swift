// GET /v1/openapi.json: the OpenAPI 3.1 document of the control API. It is text, not generated from types,
// because it is read by people and by other languages' generators; tests hold it to the route table and to a
// validator.

/// The document that describes this API.
public enum OpenAPIDocument {
    /// UTF-8 JSON.
    public static let json = Array(
        """
        {"openapi":"3.1.0",
        "info":{"title":"repld control API","version":"1",
        "license":{"name":"Apache-2.0","identifier":"Apache-2.0"},
        "description":"HTTP/1.1 and JSON on a Unix socket. In queries, + is a space. A path \
        answers a method that is not described with 405, and Allow names those it takes; one that is not \
        described answers 404."},
        "servers":[{"url":"http://localhost"}],
        "security":[],
        "paths":\(paths),
        "components":{"schemas":\(schemas),\(shared.dropFirst())
        }
        """.utf8)
}
