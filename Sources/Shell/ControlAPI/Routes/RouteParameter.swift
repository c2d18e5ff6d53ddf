// The parameters of requests. What the router knows of one (its name) and what the document says of it stand
// together here.

/// One parameter of a path, a query or a head.
public struct RouteParameter: Sendable, Equatable {
    public enum Location: String, Sendable {
        case path, query, header
    }

    /// As it is sent.
    public let name: String
    /// Its name among the document's components: two endpoints may mean different things by one name.
    public let component: String
    public let place: Location
    public let isRequired: Bool
    public let description: String
    /// JSON.
    public let schema: String
    /// JSON that the schema allows.
    public let example: String
    /// It is a list whose elements stand between commas; it may be repeated too.
    public let isList: Bool
    /// An empty value means the same as none: every key begins with nothing, and follows the empty key.
    public var mayBeEmpty: Bool { schema == Self.anyText }

    private init(
        _ name: String, as component: String? = nil, in place: Location = .query, isRequired: Bool = false,
        _ description: String, schema: String, example: String, isList: Bool = false
    ) {
        self.name = name
        self.component = component ?? name
        self.place = place
        self.isRequired = isRequired
        self.description = description
        self.schema = schema
        self.example = example
        self.isList = isList
    }

    public static func == (left: RouteParameter, right: RouteParameter) -> Bool {
        left.component == right.component
    }

    private static let anyText = #"{"type":"string"}"#
    private static let text = #"{"type":"string","minLength":1}"#
    private static let keySchema = ##"{"$ref":"#/components/schemas/DocumentKey"}"##
    private static let changeSchema = ##"{"$ref":"#/components/schemas/ChangeID"}"##
    private static let seconds = #"{"type":"integer","minimum":0,"maximum":86400,"default":"#
    private static let changeExample = #""5c146500ec6724dc975ce973f6348bcc:7""#
    private static let deviceExample = #""TXCWM6Y-NN35KGI-LLTSW3G-SOH3GOS-W6RTDIW-S5XCKX5-6XNXLKM-TTRUUVH""#

    private static let memberForms =
        "The name of one active member, a device id, or its first 7 letters or more."

    // MARK: Of paths

    public static let space = RouteParameter(
        "space", in: .path, isRequired: true, "The local name or the id.", schema: text,
        example: #""household""#)
    static let id = RouteParameter(
        "id", in: .path, isRequired: true, "The invite's id.", schema: text,
        example: #""9a0774c563e443b19dde7485fed86148""#)
    static let indexName = RouteParameter(
        "name", as: "indexName", in: .path, isRequired: true, "The index's name.",
        schema: #"{"type":"string","minLength":1,"maxLength":64,"pattern":"^[A-Za-z0-9._-]+$"}"#,
        example: #""owners""#)
    static let dryRun = RouteParameter(
        "dryRun", "Only tells what would come of it.", schema: #"{"type":"boolean","default":false}"#,
        example: "true")
    public static let member = RouteParameter(
        "member", in: .path, isRequired: true, memberForms, schema: text, example: #""attic""#)
    static let key = RouteParameter(
        "key", in: .path, isRequired: true,
        "Everything after documents/, percent-decoded once, never normalised; / and %2F are the same.",
        schema: keySchema, example: #""note/1""#)

    /// That of a pattern's placeholder.
    static func inPath(_ placeholder: String) -> RouteParameter {
        switch placeholder {
        case "space": .space
        case "id": .id
        case "member": .member
        case "key…": .key
        case "name": .indexName
        default: preconditionFailure("no placeholder is named \(placeholder)")
        }
    }

    // MARK: Of queries

    static let prefix = RouteParameter(
        "prefix", "Only keys that begin with it.", schema: anyText, example: #""note/""#)
    static let after = RouteParameter(
        "after", "Only documents behind this key, in the order of the listing.", schema: anyText,
        example: #""note/1""#)
    static let listingCursor = RouteParameter(
        "cursor", as: "listingCursor", "The `next` of the page before: goes on in the same state.",
        schema: text, example: #""8c1f0a52b7d3e946.6e6f74652f31""#)
    static let reverse = RouteParameter(
        "reverse", "true: the order is turned round, documents without a value and equal ones too.",
        schema: #"{"type":"boolean","default":false}"#, example: "true")
    static let values = RouteParameter(
        "values", "Give the documents' values too, in this form.",
        schema: ##"{"$ref":"#/components/schemas/View"}"##, example: #""plain""#)
    static let filter = RouteParameter(
        "where",
        "Only documents that match: comparisons joined by `and`, each `PATH = LITERAL` (also `!=` `<` `<=` "
            + "`>` `>=`), `PATH ~ \"part\"`, `PATH has LITERAL`, `PATH exists` or `PATH missing`. PATH is "
            + "dotted (`items.0.qty`; a backslash takes a dot, a space or an operator into a key), LITERAL "
            + "is JSON. `=` compares type and value; `!=` holds where the path exists and `=` does not; `<` "
            + "`<=` `>` `>=` hold within numbers and within strings; `~` minds case; `has` looks into sets, "
            + "ordered sets and lists. A mistake is 400 `bad-where` with its `position`.",
        schema: text, example: #""done=false and qty>=3""#)
    static let order = RouteParameter(
        "order",
        "`key`, or a dotted path, `-` before it for descending. By a path: null, false, true, numbers, "
            + "strings, other values, then documents without it; keys decide among equals. Descending is "
            + "all of that from its end. A mistake is 400 `bad-order` with its `position`.",
        schema: #"{"type":"string","minLength":1,"default":"key"}"#, example: #""-qty""#)
    static let explainListing = RouteParameter(
        "explain", as: "explainListing", "true: say which index was used and how many were looked at.",
        schema: #"{"type":"boolean","default":false}"#, example: "true")
    static let limit = RouteParameter(
        "limit", "Documents of a page; at most 1000 are given.",
        schema: #"{"type":"integer","minimum":1,"default":1000}"#, example: "100")
    static let conflictDocument = RouteParameter(
        "document", as: "conflictDocument", "Only of this document.", schema: keySchema, example: #""note/1""#
    )
    static let conflictAfter = RouteParameter(
        "after", as: "conflictAfter",
        "Only of documents with keys greater than this one; or the `next` of a page.",
        schema: anyText, example: #""note/1""#)
    static let conflictLimit = RouteParameter(
        "limit", as: "conflictLimit", "Conflicts of a page; at most 1000 are given.",
        schema: #"{"type":"integer","minimum":1,"default":1000}"#, example: "100")
    public static let timeoutSeconds = RouteParameter(
        "timeoutSeconds", "How long Repl-At-Least may wait.", schema: seconds + "30}", example: "30")
    public static let waitSeconds = RouteParameter(
        "timeoutSeconds", as: "waitSeconds", "How long to wait.", schema: seconds + "60}", example: "300")
    static let view = RouteParameter(
        "view", "Which form of values.", schema: ##"{"$ref":"#/components/schemas/View"}"##,
        example: #""typed""#)
    static let since = RouteParameter(
        "since", "`begin`: the current state first; a cursor: resume exactly after it; without it, from now.",
        schema: text, example: #""begin""#)
    static let force = RouteParameter(
        "force", "true: also when something is lost by it.", schema: #"{"type":"boolean","default":false}"#,
        example: "true")
    static let forceOlder = RouteParameter(
        "force", as: "forceOlder", "true: also while members run an earlier version.",
        schema: #"{"type":"boolean","default":false}"#, example: "true")
    static let check = RouteParameter(
        "check", "true: only say what would become of it.",
        schema: #"{"type":"boolean","default":false}"#, example: "true")
    static let addresses = RouteParameter(
        "addresses", "true: with addresses of this and other devices.",
        schema: #"{"type":"boolean","default":false}"#, example: "true")
    static let bundleFor = RouteParameter(
        "for", as: "bundleFor", "Only what this member is not known to hold. " + memberForms, schema: text,
        example: #""attic""#)
    static let bundleSince = RouteParameter(
        "since", as: "bundleSince", "Only what this version does not hold.",
        schema: ##"{"$ref":"#/components/schemas/Version"}"##, example: changeExample)
    static let bundleBase = RouteParameter(
        "base", as: "bundleBase", "true: the base of the checkpoint that stands, and what follows it.",
        schema: #"{"type":"boolean","default":false}"#, example: "true")
    static let follow = RouteParameter(
        "follow", "false: end after what is held.", schema: #"{"type":"boolean","default":true}"#,
        example: "false")
    static let units = RouteParameter(
        "units",
        "What index and delete of a text's splices count: Unicode scalars, or UTF-16 units as the strings of "
            + "JavaScript, Java and C# do. No splice may cut a surrogate pair in two.",
        schema: ##"{"$ref":"#/components/schemas/TextUnits"}"##, example: #""utf16""#)
    static let afterChange = RouteParameter(
        "after", as: "afterChange", "Only changes committed after this one.", schema: changeSchema,
        example: changeExample)
    static let document = RouteParameter(
        "document", "Only changes that touched this document.", schema: keySchema, example: #""note/1""#)
    static let voidCause = RouteParameter(
        "cause", "Only changes that are void for this cause.",
        schema: ##"{"$ref":"#/components/schemas/VoidCause"}"##, example: #""removed""#)
    static let voidAuthor = RouteParameter(
        "member", as: "voidAuthor",
        "Only changes of this device, removed ones too: by device id or its first letters, or by the name of "
            + "an active member.",
        schema: text, example: deviceExample)
    static let change = RouteParameter(
        "change", isRequired: true, "The change to wait for.", schema: changeSchema, example: changeExample)
    static let explainedChange = RouteParameter(
        "change", as: "explainedChange", "The change to explain; either this or key.", schema: changeSchema,
        example: changeExample)
    static let explainedKey = RouteParameter(
        "key", as: "explainedKey", "The document to explain; either this or change.", schema: keySchema,
        example: #""note/1""#)
    static let peer = RouteParameter(
        "peer", "Only this device, by name, device id or its first letters; default: all active members.",
        schema: text, example: deviceExample)
    static let on = RouteParameter(
        "on",
        "Devices by name, device id or its first letters, repeated or with commas; default: all active "
            + "members.",
        schema: #"{"type":"array","items":{"type":"string","minLength":1},"minItems":1}"#,
        example: "[\(deviceExample)]", isList: true)

    // MARK: Of heads

    static let atLeast = RouteParameter(
        "Repl-At-Least", in: .header, "A version: wait until the node holds it.",
        schema: ##"{"$ref":"#/components/schemas/Version"}"##, example: changeExample)
    static let idempotencyKey = RouteParameter(
        "Idempotency-Key", in: .header,
        "1 to 256 bytes, kept 24 h per space and node: a repeat gets the first answer, another body 422.",
        schema: #"{"type":"string","minLength":1,"maxLength":256}"#, example: #""order-4711""#)
}
