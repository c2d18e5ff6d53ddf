// `@Model` and what belongs to it, for whoever lets the compiler write the members of a model. They are
// written in `ReplicatingMacros`, which only the compiler loads.

@_exported public import ReplModels

/// Makes a structure a model of documents.
///
/// ```swift
/// @Model
/// struct Note {
///     @Key var id: String
///     var title: String
///     var body: ReplicatedText
///     var tags: Set<String>
///     var done: Bool = false
///     @ModelName("due-date") var due: ModelDate?
/// }
/// ```
///
/// Every stored property is a field. Where a document has none, its initial value is shown, an optional is
/// nil and a container is empty; any other field must be there. A structure without `@Key` is a part of
/// others: a field, or an element of a list.
@attached(
    extension, conformances: Model, KeyedModel,
    names: named(modelFields), named(modelKey), named(init(_:)))
public macro Model() = #externalMacro(module: "ReplicatingMacros", type: "ModelMacro")

/// The property that is the document's key, and no field of it.
@attached(peer)
public macro Key() = #externalMacro(module: "ReplicatingMacros", type: "MarkMacro")

/// The name of a field in documents, where it is not that of the property: a property that is renamed reads
/// what was written before.
///
/// `formerly`: names that the field had in documents, newest first. Where a document has none of the new name
/// it is read under the first of them that is there; written is the new one. For scalars and optional ones.
@attached(peer)
public macro ModelName(_ name: StaticString, formerly: StaticString...) =
    #externalMacro(module: "ReplicatingMacros", type: "MarkMacro")
