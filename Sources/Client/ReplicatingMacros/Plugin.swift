// What the compiler loads.

import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main struct ReplicatingPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        ReplicatingMacro.self, ReplicatingFieldMacro.self, ReplicatingNameMacro.self, ModelMacro.self,
        MarkMacro.self,
    ]
}
