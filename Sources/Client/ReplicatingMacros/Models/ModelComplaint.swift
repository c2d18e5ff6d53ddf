// What `@Model` has to say to who writes a structure: what is wrong, and what to write instead.

import SwiftDiagnostics
import SwiftSyntax

enum ModelComplaint: DiagnosticMessage {
    case noStructure
    case enumeration
    case constant(String)
    case severalInALine
    case takenName(String)
    case noType(String)
    case initialContainer(String, String)
    case twice(String)
    case emptyName(String)
    case formerContainer(String, String)
    case secondKey(String, String)
    case optionalKey(String)
    case namedKey(String)
    case lazy(String)

    var message: String {
        switch self {
        case .noStructure:
            "@Model is for structures: a model is the copy of a document that was read"
        case .enumeration:
            "@Model is for structures; an enumeration with a raw value only needs ': ModelScalar'"
        case .constant(let name):
            "'\(name)' always has this value, so it is no field; make it 'static', or a 'var' with a type"
        case .severalInALine:
            "write each field as a 'var' of its own"
        case .takenName(let name):
            "'\(name)' is what every model has; call the property something else, and keep the name in "
                + "documents by @ModelName(\"\(name)\")"
        case .noType(let name):
            "name the type of '\(name)', as in 'var \(name): Bool = false'"
        case .initialContainer(let name, let type):
            "'\(name)' begins empty: a document without this \(type) shows an empty one; fill it where the "
                + "document is added"
        case .twice(let name):
            "two fields are called '\(name)' in documents"
        case .emptyName(let name):
            "the name of '\(name)' in documents is a string of at least one character"
        case .formerContainer(let name, let container):
            "'\(name)' is edited in parts, and parts written under the old name would be lost; keep the "
                + "\(container) under its name by @ModelName"
        case .secondKey(let name, let first):
            "'\(first)' is the key already; a document has one, so '\(name)' is a field without @Key"
        case .optionalKey(let name):
            "every document has a key, so '\(name)' cannot be nil; remove the '?'"
        case .namedKey(let name):
            "'\(name)' is the document's key and no field, so it has no name in documents"
        case .lazy(let name):
            "'\(name)' is computed when it is asked for, so it is no field; write 'var \(name): … { … }'"
        }
    }

    var diagnosticID: MessageID {
        let name =
            switch self {
            case .noStructure: "no-structure"
            case .enumeration: "enumeration"
            case .constant: "constant"
            case .severalInALine: "several-in-a-line"
            case .takenName: "taken-name"
            case .noType: "no-type"
            case .initialContainer: "initial-container"
            case .twice: "twice"
            case .emptyName: "empty-name"
            case .formerContainer: "former-container"
            case .secondKey: "second-key"
            case .optionalKey: "optional-key"
            case .namedKey: "named-key"
            case .lazy: "lazy"
            }
        return MessageID(domain: "ReplModeling", id: name)
    }

    var severity: DiagnosticSeverity { .error }

    func diagnose(at node: some SyntaxProtocol) -> Diagnostic { Diagnostic(node: node, message: self) }
}
