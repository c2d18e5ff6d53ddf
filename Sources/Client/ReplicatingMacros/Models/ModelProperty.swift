// What a stored property says about the field that it is, and what is wrong with it.

import SwiftDiagnostics
import SwiftSyntax

/// A stored property of a model.
struct ModelProperty {
    /// With backticks where it needs them.
    let name: String
    let type: String
    /// In documents.
    let storedName: String
    /// Names that it had there.
    let formerNames: [String]
    /// What is shown where a document has none, as source.
    let initial: String?
    let isKey: Bool

    /// Throws what is wrong with it.
    init(_ variable: VariableDeclSyntax) throws(ModelFault) {
        guard variable.bindings.count == 1, let binding = variable.bindings.first,
            let pattern = binding.pattern.as(IdentifierPatternSyntax.self)
        else { throw ModelFault(.severalInALine, at: variable) }
        let word = pattern.identifier.text.trimmingBackticks
        name = pattern.identifier.trimmedDescription
        if variable.modifiers.contains(where: { $0.name.tokenKind == .keyword(.lazy) }) {
            throw ModelFault(.lazy(word), at: pattern)
        }
        if variable.bindingSpecifier.tokenKind == .keyword(.let), let initializer = binding.initializer {
            throw ModelFault(.constant(word), at: initializer)
        }
        guard !Self.taken.contains(word) else { throw ModelFault(.takenName(word), at: pattern) }
        guard let type = binding.typeAnnotation?.type else { throw ModelFault(.noType(word), at: pattern) }
        self.type = type.trimmedDescription
        isKey = variable.attribute(named: "Key") != nil
        let given = variable.attribute(named: "ModelName")
        if isKey {
            if let given { throw ModelFault(.namedKey(word), at: given) }
            guard !type.isOptional else { throw ModelFault(.optionalKey(word), at: type) }
        }
        storedName =
            try given.map { (attribute) throws(ModelFault) in
                guard let name = attribute.literal, !name.isEmpty else {
                    throw ModelFault(.emptyName(word), at: attribute)
                }
                return name
            } ?? word
        formerNames =
            try given.map { (attribute) throws(ModelFault) in
                guard let names = attribute.formerNames, !names.contains("") else {
                    throw ModelFault(.emptyName(word), at: attribute)
                }
                return names
            } ?? []
        if !formerNames.isEmpty, let container = type.containerName, let given {
            throw ModelFault(.formerContainer(word, container), at: given)
        }
        let value = binding.initializer?.value
        if let value, let container = type.containerName, !value.isEmptyValue {
            throw ModelFault(.initialContainer(word, container), at: value)
        }
        initial = value.flatMap { $0.is(NilLiteralExprSyntax.self) ? nil : $0.trimmedDescription }
    }

    /// Behind the key path, or of `field`.
    var arguments: String {
        let former = formerNames.map { "\"\($0)\"" }.joined(separator: ", ")
        return "\"\(storedName)\"" + (former.isEmpty ? "" : ", formerly: [\(former)]")
            + (initial.map { ", initial: \($0)" } ?? "")
    }

    /// Requirements of the protocol that a property would be taken for.
    private static let taken: Set<String> = ["modelFields", "modelKey", "skeleton"]
}

/// What is wrong, and where.
struct ModelFault: Error {
    let diagnostic: Diagnostic

    init(_ complaint: ModelComplaint, at node: some SyntaxProtocol) {
        diagnostic = complaint.diagnose(at: node)
    }
}

/// The properties of a structure, and all that is wrong with them.
struct ModelPropertyList {
    private(set) var fields: [ModelProperty] = []
    private(set) var key: ModelProperty?
    private(set) var diagnostics: [Diagnostic] = []

    init(of structure: StructDeclSyntax) {
        var stored: Set<String> = []
        for member in structure.memberBlock.members {
            guard let variable = member.decl.as(VariableDeclSyntax.self), Field.isStored(variable) else {
                continue
            }
            do throws(ModelFault) {
                let property = try ModelProperty(variable)
                if !property.isKey {
                    for name in [property.storedName] + property.formerNames {
                        guard stored.insert(name).inserted else {
                            throw ModelFault(.twice(name), at: variable)
                        }
                    }
                    fields.append(property)
                } else if let key {
                    throw ModelFault(.secondKey(property.name, key.name), at: variable)
                } else {
                    key = property
                }
            } catch {
                diagnostics.append(error.diagnostic)
            }
        }
    }
}

extension VariableDeclSyntax {
    fileprivate func attribute(named name: String) -> AttributeSyntax? {
        for case .attribute(let attribute) in attributes {
            let given = attribute.attributeName.trimmedDescription
            if given == name || given.hasSuffix("." + name) { return attribute }
        }
        return nil
    }
}

extension AttributeSyntax {
    private var list: [LabeledExprSyntax] {
        arguments?.as(LabeledExprListSyntax.self).map(Array.init) ?? []
    }

    /// The first argument, where it is a string without interpolation.
    fileprivate var literal: String? { list.first?.expression.literal }

    /// The other arguments; nil where one is no such string.
    fileprivate var formerNames: [String]? {
        let names = list.dropFirst().map(\.expression.literal)
        return names.contains(nil) ? nil : names.compactMap { $0 }
    }
}

extension TypeSyntax {
    fileprivate var isOptional: Bool {
        self.is(OptionalTypeSyntax.self) || self.as(IdentifierTypeSyntax.self)?.name.text == "Optional"
    }

    /// What a container is called, whose content is edited in parts; nil for other types.
    fileprivate var containerName: String? {
        if self.is(ArrayTypeSyntax.self) { return "list" }
        if self.is(DictionaryTypeSyntax.self) { return "map" }
        let name = self.as(IdentifierTypeSyntax.self)?.name.text ?? self.as(MemberTypeSyntax.self)?.name.text
        switch name {
        case "ReplicatedText": return "text"
        case "ReplicatedCounter": return "counter"
        case "Set": return "set"
        case "Array": return "list"
        case "Dictionary": return "map"
        default: return nil
        }
    }
}

extension ExprSyntax {
    fileprivate var literal: String? {
        guard let segments = self.as(StringLiteralExprSyntax.self)?.segments, segments.count == 1 else {
            return nil
        }
        return segments.first?.as(StringSegmentSyntax.self)?.content.text
    }

    /// `[]`, `[:]`, `""`, `0`, `.init()` and `Type()`.
    fileprivate var isEmptyValue: Bool {
        if let call = self.as(FunctionCallExprSyntax.self) {
            return call.arguments.isEmpty && call.trailingClosure == nil
        }
        return ["[]", "[:]", "\"\"", "0"].contains(trimmedDescription)
    }
}
