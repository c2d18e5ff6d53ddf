// `@Replicating` of a structure: the one stored property that holds everything, the initialisers and the
// comparison. Fields become accessors by `ReplicatingFieldMacro`, which this one puts before each.

import SwiftDiagnostics
public import SwiftSyntax
import SwiftSyntaxBuilder
public import SwiftSyntaxMacros

public enum ReplicatingMacro: MemberMacro {
    public static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let structure = declaration.as(StructDeclSyntax.self) else {
            throw DiagnosticsError(diagnostics: [Complaint.noStructure.diagnose(at: node)])
        }
        let fields = FieldList(of: structure)
        for diagnostic in fields.diagnostics { context.diagnose(diagnostic) }
        let access = structure.modifiers.accessPrefix
        let names = fields.names.map { "left.\($0) == right.\($0)" }
        var members: [DeclSyntax] = [
            "\(raw: access)var part: ReplicatingPart",
            "\(raw: access)init(part: ReplicatingPart) { self.part = part }",
            "\(raw: access)static var kind: ReplicatingKind { .structure }",
            """
            \(raw: access)static func == (left: Self, right: Self) -> Bool {
                \(raw: names.isEmpty ? "true" : names.joined(separator: " && "))
            }
            """,
        ]
        if !structure.memberBlock.members.contains(where: { $0.isEmptyInitializer }) {
            members.append("\(raw: access)init() { part = ReplicatingPart(hasFields: true) }")
        }
        return members
    }
}

extension ReplicatingMacro: MemberAttributeMacro {
    public static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingAttributesFor member: some DeclSyntaxProtocol, in context: some MacroExpansionContext
    ) throws -> [AttributeSyntax] {
        guard declaration.is(StructDeclSyntax.self), let variable = member.as(VariableDeclSyntax.self),
            Field.isStored(variable), Field.complaints(of: variable).isEmpty
        else { return [] }
        return ["@ReplicatingField"]
    }
}

extension ReplicatingMacro: ExtensionMacro {
    public static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard declaration.is(StructDeclSyntax.self), !protocols.isEmpty else { return [] }
        return [try ExtensionDeclSyntax("extension \(type.trimmed): Replicating {}")]
    }
}

public enum ReplicatingFieldMacro: AccessorMacro {
    public static func expansion(
        of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        guard let variable = declaration.as(VariableDeclSyntax.self), let field = Field(variable) else {
            return []
        }
        let place = "part[field: \"\(field.storedName)\"\(field.initial.map { ", initial: \($0)" } ?? "")]"
        return [
            "get { \(raw: place) }",
            "set { \(raw: place) = newValue }",
            "_modify { yield &\(raw: place) }",
        ]
    }
}

/// Says something to `ReplicatingFieldMacro` only.
public enum ReplicatingNameMacro: PeerMacro {
    public static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] { [] }
}

extension DeclModifierListSyntax {
    /// The access of the structure, for its members; a private one's are as visible as itself.
    var accessPrefix: String {
        for modifier in self {
            switch modifier.name.tokenKind {
            case .keyword(.public): return "public "
            case .keyword(.package): return "package "
            case .keyword(.private), .keyword(.fileprivate): return "fileprivate "
            default: continue
            }
        }
        return ""
    }
}

extension MemberBlockItemSyntax {
    fileprivate var isEmptyInitializer: Bool {
        decl.as(InitializerDeclSyntax.self)?.signature.parameterClause.parameters.isEmpty == true
    }
}
