// What a stored property says about the field that it becomes, and what is wrong with it.

import SwiftDiagnostics
import SwiftSyntax

/// A property that can be a field.
struct Field {
    let name: String
    /// In documents.
    let storedName: String
    /// What it shows before it was written, as source; nil where it begins empty.
    let initial: String?

    /// Nil for anything else, and for what `complaints` has something to say of.
    init?(_ variable: VariableDeclSyntax) {
        guard Self.isStored(variable), Self.complaints(of: variable).isEmpty,
            let binding = variable.bindings.first,
            let pattern = binding.pattern.as(IdentifierPatternSyntax.self)
        else { return nil }
        name = pattern.identifier.trimmedDescription
        storedName = Self.givenName(variable) ?? name.trimmingBackticks
        initial = Self.isEmptyContainer(binding) ? nil : binding.initializer?.value.trimmedDescription
    }

    /// False for what is computed or of the type.
    static func isStored(_ variable: VariableDeclSyntax) -> Bool {
        let isStatic = variable.modifiers.contains {
            $0.name.tokenKind == .keyword(.static) || $0.name.tokenKind == .keyword(.class)
        }
        guard !isStatic else { return false }
        return variable.bindings.allSatisfy { binding in
            switch binding.accessorBlock?.accessors {
            case nil: true
            case .getter: false
            case .accessors(let list): list.allSatisfy { $0.isObserver }
            }
        }
    }

    static func complaints(of variable: VariableDeclSyntax) -> [Diagnostic] {
        guard isStored(variable) else { return [] }
        if variable.bindingSpecifier.tokenKind == .keyword(.let) {
            return [Complaint.constant.diagnose(at: variable.bindingSpecifier)]
        }
        guard variable.bindings.count == 1, let binding = variable.bindings.first else {
            return [Complaint.severalInALine.diagnose(at: variable)]
        }
        guard let pattern = binding.pattern.as(IdentifierPatternSyntax.self) else {
            return [Complaint.severalInALine.diagnose(at: variable)]
        }
        var complaints: [Diagnostic] = []
        let name = pattern.identifier.text
        if taken.contains(name) { complaints.append(Complaint.takenName(name).diagnose(at: pattern)) }
        if binding.accessorBlock != nil { complaints.append(Complaint.observer(name).diagnose(at: binding)) }
        guard let type = binding.typeAnnotation?.type else {
            return complaints + [Complaint.noType(name).diagnose(at: pattern)]
        }
        if let container = containerName(type), let value = binding.initializer, !isEmpty(value.value) {
            complaints.append(Complaint.initialContainer(name, container).diagnose(at: value))
        }
        return complaints
    }

    // MARK: Initial values

    private static let taken: Set<String> = ["part", "kind", "version", "shown", "bytes"]

    private static let containers: Set<String> = [
        "ReplicatingText", "ReplicatingCounter", "ReplicatingSet", "ReplicatingRemoveWinsSet",
        "ReplicatingArray", "ReplicatingOrderedSet", "ReplicatingDictionary",
    ]

    /// The name of a type whose values are content, which two devices would each begin with.
    private static func containerName(_ type: TypeSyntax) -> String? {
        let name =
            type.as(IdentifierTypeSyntax.self)?.name.text ?? type.as(MemberTypeSyntax.self)?.name.text ?? ""
        return containers.contains(name) ? name : nil
    }

    private static func isEmptyContainer(_ binding: PatternBindingSyntax) -> Bool {
        guard let value = binding.initializer?.value else { return true }
        if let type = binding.typeAnnotation?.type, containerName(type) != nil { return true }
        return value.as(FunctionCallExprSyntax.self).map { isEmpty(ExprSyntax($0)) } ?? false
    }

    /// `[]`, `[:]`, `""`, `0`, `.init()` and `Type()`.
    private static func isEmpty(_ value: ExprSyntax) -> Bool {
        if let call = value.as(FunctionCallExprSyntax.self) {
            return call.arguments.isEmpty && call.trailingClosure == nil
        }
        return ["[]", "[:]", "\"\"", "0"].contains(value.trimmedDescription)
    }

    private static func givenName(_ variable: VariableDeclSyntax) -> String? {
        for case .attribute(let attribute) in variable.attributes
        where attribute.attributeName.trimmedDescription.hasSuffix("ReplicatingName") {
            let arguments = attribute.arguments?.as(LabeledExprListSyntax.self)
            return arguments?.first?.expression.as(StringLiteralExprSyntax.self)?.segments.trimmedDescription
        }
        return nil
    }
}

/// The fields of a structure, and all that is wrong with them.
struct FieldList {
    private(set) var names: [String] = []
    private(set) var diagnostics: [Diagnostic] = []

    init(of structure: StructDeclSyntax) {
        var stored: Set<String> = []
        for member in structure.memberBlock.members {
            guard let variable = member.decl.as(VariableDeclSyntax.self) else { continue }
            diagnostics += Field.complaints(of: variable)
            guard let field = Field(variable) else { continue }
            if !stored.insert(field.storedName).inserted {
                diagnostics.append(Complaint.twice(field.storedName).diagnose(at: variable))
            }
            names.append(field.name)
        }
    }
}

extension AccessorDeclSyntax {
    fileprivate var isObserver: Bool {
        accessorSpecifier.tokenKind == .keyword(.willSet) || accessorSpecifier.tokenKind == .keyword(.didSet)
    }
}

extension String {
    var trimmingBackticks: String {
        first == "`" && last == "`" && count > 2 ? String(dropFirst().dropLast()) : self
    }
}
