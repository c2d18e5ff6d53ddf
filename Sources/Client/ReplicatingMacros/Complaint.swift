// What the macros have to say to who writes a structure: what is wrong, and what to write instead.

import SwiftDiagnostics
import SwiftSyntax

enum Complaint: DiagnosticMessage {
    case noStructure
    case constant
    case severalInALine
    case takenName(String)
    case observer(String)
    case noType(String)
    case initialContainer(String, String)
    case twice(String)

    var message: String {
        switch self {
        case .noStructure:
            "@Replicating is for structures: values that are copied and merged; a class can hold one"
        case .constant:
            "a field of a replicating structure is a 'var': other devices may edit it"
        case .severalInALine:
            "write each field as a 'var' of its own"
        case .takenName(let name):
            "'\(name)' is what every replicating value has; call the field something else"
        case .observer(let name):
            "observers of '\(name)' would not hear of edits that are merged; compare versions instead"
        case .noType(let name):
            "name the type of '\(name)': ReplicatingRegister<String>, ReplicatingText, Bool …"
        case .initialContainer(let name, let type):
            "'\(name)' begins empty: every device would bring its own content of a \(type), and merging "
                + "would keep all of it; fill it once, after 'init()'"
        case .twice(let name):
            "two fields are called '\(name)' in documents"
        }
    }

    var diagnosticID: MessageID {
        let name =
            switch self {
            case .noStructure: "no-structure"
            case .constant: "constant"
            case .severalInALine: "several-in-a-line"
            case .takenName: "taken-name"
            case .observer: "observer"
            case .noType: "no-type"
            case .initialContainer: "initial-container"
            case .twice: "twice"
            }
        return MessageID(domain: "Replicating", id: name)
    }

    var severity: DiagnosticSeverity { .error }

    func diagnose(at node: some SyntaxProtocol) -> Diagnostic { Diagnostic(node: node, message: self) }
}
