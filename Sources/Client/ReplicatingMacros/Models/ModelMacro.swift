// `@Model` of a structure: an extension with the list of fields, the initialiser that reads a document, and
// the key. The structure itself stays as it was written, with its memberwise initialiser.

import SwiftDiagnostics
public import SwiftSyntax
import SwiftSyntaxBuilder
public import SwiftSyntaxMacros

public enum ModelMacro: ExtensionMacro {
    public static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard let structure = declaration.as(StructDeclSyntax.self) else {
            let complaint: ModelComplaint = declaration.is(EnumDeclSyntax.self) ? .enumeration : .noStructure
            throw DiagnosticsError(diagnostics: [complaint.diagnose(at: node)])
        }
        let properties = ModelPropertyList(of: structure)
        guard properties.diagnostics.isEmpty else {
            throw DiagnosticsError(diagnostics: properties.diagnostics)
        }
        let access = structure.modifiers.accessPrefix
        let fields = properties.fields.map { field in
            "ReplModels.ModelField(\\Self.\(field.name), \(field.arguments)),"
        }
        var assignments = properties.key.map { ["self.\($0.name) = try slot.key()"] } ?? []
        assignments += properties.fields.map { field in
            "self.\(field.name) = try slot.field(\(field.arguments))"
        }
        let list = fields.isEmpty ? "[]" : "[\n\(fields.joined(separator: "\n"))\n]"
        let members = """
            \(access)static var modelFields: [ReplModels.ModelField<Self>] {
            \(list)
            }
            \(access)init(_ slot: ReplModels.ModelSlot) throws(ReplModels.Misfit) {
            \(assignments.isEmpty ? "try slot.requireMap()" : assignments.joined(separator: "\n"))
            }
            """
        // No clause where the structure says it itself.
        let clause = protocols.isEmpty ? "" : ": ReplModels.Model"
        var extensions = [
            try ExtensionDeclSyntax("extension \(type.trimmed)\(raw: clause) {\n\(raw: members)\n}")
        ]
        if let key = properties.key {
            let clause = protocols.isEmpty ? "" : ": ReplModels.KeyedModel"
            extensions.append(
                try ExtensionDeclSyntax(
                    """
                    extension \(type.trimmed)\(raw: clause) {
                    \(raw: access)var modelKey: \(raw: key.type) { \(raw: key.name) }
                    }
                    """))
        }
        return extensions
    }
}

/// `@Key` and `@ModelName` say something to `ModelMacro` only.
public enum MarkMacro: PeerMacro {
    public static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] { [] }
}
