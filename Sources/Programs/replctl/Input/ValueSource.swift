// VALUE from somewhere else: @FILE is what a file holds, @- what comes on standard input, as one string just
// as it stands, and @@ is a literal @. Nothing of it is read as JSON: a file with `true` in it is the string.

import Bytes
import Glibc
import JSON

enum ValueSource {
    /// More than any transaction takes (16 MiB): a larger file is refused before it is in memory.
    static let bytesMax = 16 << 20

    /// What a VALUE with an @ before it stands for; nil: it has none and is a value itself.
    static func read(_ text: String, _ console: Console) throws -> PlainValue? {
        guard text.utf8.first == UInt8(ascii: "@") else { return nil }
        let name = String(text.dropFirst())
        if name.utf8.first == UInt8(ascii: "@") { return .scalar(.string(Key(name))) }
        guard !name.isEmpty else {
            throw CommandFailure(
                .badInput, "@ names no file",
                hint: "@FILE is a file's text, @- standard input, @@ the character itself")
        }
        let bytes = name == "-" ? try standardInput(console) : try file(name)
        guard let string = String(validating: bytes, as: UTF8.self) else {
            throw CommandFailure(
                .badInput, "\(source(name)) is not UTF-8, and a string must be",
                hint: "encode bytes as text first, for example with base64")
        }
        return .scalar(.string(Key(string)))
    }

    private static func source(_ name: String) -> String { name == "-" ? "standard input" : name }

    private static func standardInput(_ console: Console) throws -> [UInt8] {
        guard console.takeInput() else {
            throw CommandFailure(
                .badInput, "@- stands here twice, and standard input can be read once",
                hint: "put one of the values into a file and write @FILE")
        }
        return try read(console.input, "standard input")
    }

    private static func file(_ path: String) throws -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        return try read(descriptor, path)
    }

    private static func read(_ descriptor: Int32, _ name: String) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = Glibc.read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure(name) }
            guard count > 0 else { return bytes }
            bytes += piece[..<count]
            guard bytes.count <= bytesMax else {
                throw CommandFailure(
                    .badInput, "\(name) has more than \(bytesMax >> 20) MiB",
                    hint: "no transaction takes so much; build a long text by several splices")
            }
        }
    }

    private static func failure(_ name: String) -> CommandFailure {
        CommandFailure(.badInput, "cannot read \(name): \(String(cString: strerror(errno)))")
    }
}
