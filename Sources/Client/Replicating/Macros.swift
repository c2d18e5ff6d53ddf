// The macros by which structures replicate. They are written in `ReplicatingMacros`, which only the compiler
// loads.

/// Makes a structure of replicating fields replicating itself.
///
/// ```swift
/// @Replicating
/// struct Note {
///     var title: ReplicatingRegister<String> = "untitled"
///     var body: ReplicatingText
///     var tags: ReplicatingSet<String>
///     var isDone: Bool = false
/// }
/// ```
///
/// Every stored `var` becomes a field: a replicating value, another such structure, or a scalar, which is a
/// register without its conflicts. A value after `=` shows until somebody has written the field; it is no
/// write. Two devices that make a `Note()` apart make the same empty note.
@attached(member, names: named(part), named(init), named(kind), named(==))
@attached(memberAttribute)
@attached(extension, conformances: Replicating)
public macro Replicating() = #externalMacro(module: "ReplicatingMacros", type: "ReplicatingMacro")

/// A field of a replicating structure; `@Replicating` puts it there.
@attached(accessor, names: named(get), named(set), named(_modify))
public macro ReplicatingField() = #externalMacro(module: "ReplicatingMacros", type: "ReplicatingFieldMacro")

/// The name of a field in documents, where it is not that of the property: a property that is renamed keeps
/// what others have written.
@attached(peer)
public macro ReplicatingName(_ name: StaticString) =
    #externalMacro(module: "ReplicatingMacros", type: "ReplicatingNameMacro")
