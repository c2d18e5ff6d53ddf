// `@Model`: what it writes, and what it says where it cannot.

import Testing

@Suite struct ModelMacroTests {
    @Test("a document is a list of fields, an initialiser that reads them, and the key")
    func document() throws {
        let expanded = try Expanded(
            """
            @Model
            public struct Note {
                @Key public var id: String
                public var title: String
                public var done: Bool = false
                @ModelName("due-date") public var due: ModelDate? = nil
                public var tags: Set<String> = []
                public static let all = 1
                public var short: String { title }
            }
            """)
        #expect(expanded.complaints.isEmpty)
        #expect(
            expanded.text == """
                extension Note: ReplModels.Model {
                    public static var modelFields: [ReplModels.ModelField<Self>] {
                        [
                            ReplModels.ModelField(\\Self.title, "title"),
                            ReplModels.ModelField(\\Self.done, "done", initial: false),
                            ReplModels.ModelField(\\Self.due, "due-date"),
                            ReplModels.ModelField(\\Self.tags, "tags", initial: []),
                        ]
                    }
                    public init(_ slot: ReplModels.ModelSlot) throws(ReplModels.Misfit) {
                        self.id = try slot.key()
                        self.title = try slot.field("title")
                        self.done = try slot.field("done", initial: false)
                        self.due = try slot.field("due-date")
                        self.tags = try slot.field("tags", initial: [])
                    }
                }

                extension Note: ReplModels.KeyedModel {
                    public var modelKey: String {
                        id
                    }
                }
                """)
    }

    @Test("a part has no key, and names in backticks lose them in documents only")
    func part() throws {
        let expanded = try Expanded("@Model struct Item { let `in`: Int }")
        #expect(expanded.complaints.isEmpty)
        #expect(expanded.text.contains("extension Item: ReplModels.Model {"))
        #expect(expanded.text.contains("ReplModels.ModelField(\\Self.`in`, \"in\")"))
        #expect(expanded.text.contains("self.`in` = try slot.field(\"in\")"))
        #expect(!expanded.text.contains("modelKey"))
    }

    @Test("names that a field had follow the one that it has")
    func former() throws {
        let expanded = try Expanded(
            #"@Model struct A { @ModelName("c", formerly: "b", "a") var d: Int = 3 }"#)
        #expect(expanded.complaints.isEmpty)
        #expect(
            expanded.text.contains(#"ReplModels.ModelField(\Self.d, "c", formerly: ["b", "a"], initial: 3)"#))
        #expect(expanded.text.contains(#"self.d = try slot.field("c", formerly: ["b", "a"], initial: 3)"#))
    }

    @Test("a structure without fields still wants a map")
    func empty() throws {
        let text = try Expanded("@Model struct Mark {}").text
        #expect(text.contains("try slot.requireMap()"))
    }

    @Test(
        "a complaint names the property, stands at it, and says what to write",
        arguments: [
            (
                "@Model class Note {}",
                "1:1 @Model is for structures: a model is the copy of a document that was read"
            ),
            (
                "@Model enum Size { case small }",
                "1:1 @Model is for structures; an enumeration with a raw value only needs ': ModelScalar'"
            ),
            (
                "@Model struct Note { let size: Int = 3 }",
                "1:36 'size' always has this value, so it is no field; make it 'static', or a 'var' with a type"
            ),
            ("@Model struct Note { var a: Int, b: Int }", "1:22 write each field as a 'var' of its own"),
            (
                "@Model struct Note { var skeleton: Int }",
                "1:26 'skeleton' is what every model has; call the property something else, and keep the name in "
                    + "documents by @ModelName(\"skeleton\")"
            ),
            (
                "@Model struct Note { var done = false }",
                "1:26 name the type of 'done', as in 'var done: Bool = false'"
            ),
            (
                "@Model struct Note { var tags: Set<String> = [\"a\"] }",
                "1:46 'tags' begins empty: a document without this set shows an empty one; fill it where the "
                    + "document is added"
            ),
            (
                "@Model struct Note { var a: Int; @ModelName(\"a\") var b: Int }",
                "1:34 two fields are called 'a' in documents"
            ),
            (
                "@Model struct Note { var a: Int; @ModelName(\"b\", formerly: \"a\") var c: Int }",
                "1:34 two fields are called 'a' in documents"
            ),
            (
                "@Model struct Note { @ModelName(\"b\", formerly: \"a\") var c: Set<Int> }",
                "1:22 'c' is edited in parts, and parts written under the old name would be lost; keep the set "
                    + "under its name by @ModelName"
            ),
            (
                "@Model struct Note { @ModelName(\"\") var b: Int }",
                "1:22 the name of 'b' in documents is a string of at least one character"
            ),
            (
                "@Model struct Note { @Key var a: Int; @Key var b: Int }",
                "1:39 'a' is the key already; a document has one, so 'b' is a field without @Key"
            ),
            (
                "@Model struct Note { @Key var a: Int? }",
                "1:34 every document has a key, so 'a' cannot be nil; remove the '?'"
            ),
            (
                "@Model struct Note { @Key @ModelName(\"x\") var a: Int }",
                "1:27 'a' is the document's key and no field, so it has no name in documents"
            ),
            (
                "@Model struct Note { lazy var a: Int = 3 }",
                "1:31 'a' is computed when it is asked for, so it is no field; write 'var a: … { … }'"
            ),
        ])
    func complaint(source: String, expected: String) throws {
        #expect(try Expanded(source).complaints == [expected])
    }

    @Test("all that is wrong is said at once, and nothing is written then")
    func several() throws {
        let expanded = try Expanded("@Model struct Note { var a = 1; let b: Int = 2; var c: Int }")
        #expect(expanded.complaints.count == 2)
        #expect(!expanded.text.contains("extension"))
    }
}
