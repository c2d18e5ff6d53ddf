// Which models a space holds, and under which keys. Nothing of it is stored: a schema is how one program
// reads a space, and another program, or an older version of it, may read the same space by another one.

/// The models of a space: a structure with a constant for each.
///
/// ```swift
/// struct Household: Schema {
///     let notes = Models<Note>("note/")
///     let people = Models<Person>("person/")
/// }
/// ```
public protocol Schema: Sendable {
    init()
}

/// Documents of one model: those whose keys begin with a prefix.
public struct Models<Element: KeyedModel>: Sendable {
    /// The beginning of a document's key; the model's key follows it. No prefix should begin with another.
    public let prefix: String

    public init(_ prefix: String) { self.prefix = prefix }
}
