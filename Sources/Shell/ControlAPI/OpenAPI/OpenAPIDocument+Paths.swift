// The generated part of the OpenAPI document: paths, and the parameters and refusals that endpoints share.

import JSON

extension JSONWriter {
    /// `{"$ref":"#/components/…"}`
    private mutating func reference(_ kind: String, _ name: String) {
        object { $0.member("$ref", "#/components/\(kind)/\(name)") }
    }

    private mutating func references(to parameters: [RouteParameter]) {
        guard !parameters.isEmpty else { return }
        name("parameters")
        array(parameters) { $0.reference("parameters", $1.component) }
    }

    // MARK: Paths

    /// The object of paths. Endpoints of one pattern stand under one path.
    mutating func paths(of routes: [Route]) {
        var patterns: [String] = []
        for route in routes where !patterns.contains(route.pattern) { patterns.append(route.pattern) }
        object {
            for pattern in patterns {
                let group = routes.filter { $0.pattern == pattern }
                $0.name(pattern.replacing("{key…}", with: "{key}"))
                $0.object {
                    $0.references(to: group[0].pathParameters)
                    for route in group {
                        $0.name(route.method.lowercased())
                        $0.operation(route)
                    }
                }
            }
        }
    }

    private mutating func operation(_ route: Route) {
        object {
            $0.member("operationId", route.name.rawValue)
            $0.name("tags")
            $0.array([route.tag.rawValue]) { $0.string($1) }
            $0.member("summary", route.summary)
            $0.member("description", route.description)
            $0.references(to: route.parameters)
            if route.body.isTaken {
                $0.name("requestBody")
                $0.object {
                    $0.member("required", route.body.isRequired)
                    $0.contents(route.body.contents)
                }
            }
            $0.name("responses")
            $0.object {
                $0.name("\(route.answer.status)")
                $0.answer(route.answer, route.answer.description)
                if let other = route.answer.other {
                    $0.name("\(other.status)")
                    $0.answer(route.answer, other.description)
                }
                for refusal in route.refusals {
                    $0.name("\(refusal.rawValue)")
                    $0.reference("responses", refusal.component)
                }
            }
        }
    }

    private mutating func answer(_ answer: RouteAnswer, _ description: String) {
        object {
            $0.member("description", description)
            if answer.hasCursor {
                $0.name("headers")
                $0.object {
                    $0.name("Repl-Cursor")
                    $0.reference("headers", "Repl-Cursor")
                }
            }
            $0.contents(answer.contents)
        }
    }

    private mutating func contents(_ contents: [RouteContent]) {
        name("content")
        object {
            for content in contents {
                $0.name(content.type)
                $0.object {
                    $0.name("schema")
                    $0.reference("schemas", content.schema)
                    if let example = content.example { $0.member("example", rawJSON: example) }
                }
            }
        }
    }

    private mutating func member(_ name: String, rawJSON text: String) {
        self.name(name)
        raw(Array(text.utf8))
    }

    // MARK: Shared parts

    /// The members `parameters`, `headers` and `responses` of the components.
    mutating func sharedParts(of routes: [Route]) {
        var parameters: [RouteParameter] = []
        for parameter in routes.flatMap({ $0.pathParameters + $0.parameters })
        where !parameters.contains(parameter) {
            parameters.append(parameter)
        }
        name("parameters")
        object {
            for parameter in parameters {
                $0.name(parameter.component)
                $0.parameter(parameter)
            }
        }
        name("headers")
        object {
            $0.name("Repl-Cursor")
            $0.object {
                $0.member("description", "A cursor of the change stream, atomic with the content.")
                $0.member("schema", rawJSON: #"{"type":"string","minLength":1}"#)
                $0.member("example", Example.cursor)
            }
        }
        name("responses")
        object {
            for refusal in RouteRefusal.allCases {
                $0.name(refusal.component)
                $0.refusal(refusal)
            }
        }
    }

    private mutating func parameter(_ parameter: RouteParameter) {
        object {
            $0.member("name", parameter.name)
            $0.member("in", parameter.place.rawValue)
            if parameter.isRequired { $0.member("required", true) }
            $0.member("description", parameter.description)
            $0.member("schema", rawJSON: parameter.schema)
            if parameter.isList {
                $0.member("style", "form")
                $0.member("explode", false)
            }
            $0.member("example", rawJSON: parameter.example)
        }
    }

    private mutating func refusal(_ refusal: RouteRefusal) {
        object {
            $0.member("description", refusal.description)
            $0.name("content")
            $0.object {
                $0.name(WholeAnswer.json)
                $0.object {
                    $0.name("schema")
                    $0.reference("schemas", "Error")
                    $0.name("example")
                    $0.raw(refusal.example.json)
                }
            }
        }
    }
}
