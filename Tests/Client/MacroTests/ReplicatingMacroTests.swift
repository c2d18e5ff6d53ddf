// `@Replicating`: what it writes, and what it says where it cannot.

import Testing

@Suite struct ReplicatingMacroTests {
    @Test("fields become accessors of one stored part")
    func structure() throws {
        let expanded = try Expanded(
            """
            @Replicating
            struct Note {
                var title: ReplicatingRegister<String> = "untitled"
                @ReplicatingName("text") var body: ReplicatingText
            }
            """)
        #expect(expanded.complaints.isEmpty)
        let text = expanded.text
        #expect(text.contains("part[field: \"title\", initial: \"untitled\"]"))
        #expect(text.contains("part[field: \"text\"]"))
        #expect(text.contains("var part: ReplicatingPart"))
        #expect(text.contains("left.title == right.title && left.body == right.body"))
        #expect(text.contains("extension Note: Replicating {"))
    }

    @Test(
        "a complaint names the property and says what to write",
        arguments: [
            (
                "@Replicating class Note {}",
                "@Replicating is for structures: values that are copied and merged; a class can hold one"
            ),
            (
                "@Replicating struct Note { let title: ReplicatingText }",
                "a field of a replicating structure is a 'var': other devices may edit it"
            ),
            ("@Replicating struct Note { var a: Int, b: Int }", "write each field as a 'var' of its own"),
            (
                "@Replicating struct Note { var part: Int }",
                "'part' is what every replicating value has; call the field something else"
            ),
            (
                "@Replicating struct Note { var title = 1 }",
                "name the type of 'title': ReplicatingRegister<String>, ReplicatingText, Bool …"
            ),
            (
                "@Replicating struct Note { var title: ReplicatingText = \"a\" }",
                "'title' begins empty: every device would bring its own content of a ReplicatingText, and "
                    + "merging would keep all of it; fill it once, after 'init()'"
            ),
            (
                "@Replicating struct Note { var a: Int; @ReplicatingName(\"a\") var b: Int }",
                "two fields are called 'a' in documents"
            ),
        ])
    func complaint(source: String, expected: String) throws {
        let said = try Expanded(source).complaints.map { $0.split(separator: " ", maxSplits: 1)[1] }
        #expect(said.contains { $0 == expected }, "\(said)")
    }
}
