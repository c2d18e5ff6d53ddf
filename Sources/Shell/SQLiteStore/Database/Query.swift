// A statement by its text. The statements of each concern stand beside what runs them; each connection
// prepares those that it uses, once.

/// A statement; its values are numbered in the order that the caller hands them over.
struct Query {
    let sql: StaticString

    init(_ sql: StaticString) { self.sql = sql }

    /// The same for the same statement as long as the process lives: where its text lies in the program.
    /// Texts that begin at one address are one text, as each ends with a zero byte there.
    var id: UInt { UInt(bitPattern: sql.utf8Start) }
}

extension Query {
    static let begin = Query("BEGIN IMMEDIATE")
    static let commit = Query("COMMIT")
    static let rollback = Query("ROLLBACK")
    static let beginRead = Query("BEGIN")
    /// A transaction takes its snapshot with its first read, not with BEGIN.
    static let pin = Query("SELECT row FROM identity")
}
