// Takes out of reports what must not leave a box with them: document keys and what is in documents,
// tokens, and, unless they are asked for, addresses. Reports are written by us, so we know where such
// things stand: members of certain names, quoted parts of messages, and words that have the form of an
// address or a token. What is taken out leaves a mark, so that nobody takes its place for empty.

import Bytes

/// What is taken out of texts and JSON values.
public struct Redaction: Sendable {
    /// Hosts, in lower case, that are addresses although nothing but this list tells. A name without a
    /// dot may be a device's too: it is an address only with a port.
    private let hosts: Set<String>
    private let keepsAddresses: Bool

    static let removed = "[removed]"
    static let address = "[address]"
    static let token = "[token]"

    /// Members whose strings are of documents, or secret.
    private static let documentNames: Set<String> = [
        "key", "document", "documents", "prefix", "path", "where", "token", "value", "patches", "shown",
        "others",
    ]
    /// Members whose strings are addresses.
    private static let addressNames: Set<String> = ["address", "addresses", "listening"]
    /// What no object of ours has.
    private static let depthMax = 64

    /// `addresses`: "host:port" that are known; other texts may name their hosts alone.
    public init(keepsAddresses: Bool, addresses: some Sequence<String> = []) {
        self.keepsAddresses = keepsAddresses
        hosts = Set(
            addresses.map { Self.host(of: $0).lowercased() }.filter { $0.contains { $0 == "." || $0 == ":" } }
        )
    }

    // MARK: JSON

    /// Numbers, truth values and the names of members stay.
    public func value(_ value: PlainValue) -> PlainValue { self.value(value, named: "", depth: 0) }

    private func value(_ value: PlainValue, named name: String, depth: Int) -> PlainValue {
        guard depth < Self.depthMax else { return .scalar(.string(Key(Self.removed))) }
        switch value {
        case .scalar(.string(let text)):
            if Self.documentNames.contains(name) { return .scalar(.string(Key(Self.removed))) }
            if !keepsAddresses, Self.addressNames.contains(name) {
                return .scalar(.string(Key(Self.address)))
            }
            return .scalar(.string(Key(self.text(text.string))))
        case .scalar: return value
        case .array(let elements):
            return .array(elements.map { self.value($0, named: name, depth: depth + 1) })
        case .object(let members):
            return .object(
                members.map {
                    PlainValue.Member($0.key, self.value($0.value, named: $0.key.string, depth: depth + 1))
                })
        }
    }

    /// Strings of members that hold addresses, for `init(addresses:)`.
    public static func addresses(in value: PlainValue) -> [String] {
        switch value {
        case .scalar: return []
        case .array(let elements): return elements.flatMap(addresses)
        case .object(let members):
            return members.flatMap { member -> [String] in
                guard addressNames.contains(member.key.string) else { return addresses(in: member.value) }
                return strings(in: member.value)
            }
        }
    }

    private static func strings(in value: PlainValue) -> [String] {
        switch value {
        case .scalar(.string(let text)): [text.string]
        case .scalar: []
        case .array(let elements): elements.flatMap(strings)
        case .object(let members): members.flatMap { strings(in: $0.value) }
        }
    }

    // MARK: Text

    /// Lines stay lines. Quoted parts go, as a key or a name may stand there, unless they are wanted.
    public func text(_ text: String, keepsQuoted: Bool = false) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { keepsQuoted ? words($0) : line($0) }.joined(separator: "\n")
    }

    private func line(_ line: Substring) -> String {
        let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
        var result = ""
        for (place, part) in parts.enumerated() {
            if place > 0 { result += "\"" }
            // A quote that nobody closes hides the rest of the line.
            result += place % 2 == 1 && !part.isEmpty ? Self.removed : words(part)
        }
        return result
    }

    private func words(_ text: Substring) -> String {
        var result = ""
        var rest = text.utf8[...]
        while let first = rest.first {
            let isWord = Self.isWordByte(first)
            let end = rest.firstIndex { Self.isWordByte($0) != isWord } ?? rest.endIndex
            let piece = String(text[rest.startIndex..<end])
            result += isWord ? word(piece) : piece
            rest = rest[end...]
        }
        return result
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x80...:
            true
        default: [".", ":", "-", "_", "[", "]", "%"].contains { UInt8(ascii: $0) == byte }
        }
    }

    private func word(_ word: String) -> String {
        // What ends a sentence, or a list that begins in another word, is no part of an address.
        let isOpen = word.hasPrefix("[")
        let core = word.prefix(
            word.utf8.count
                - word.utf8.reversed().prefix { $0 == 0x2E || $0 == 0x3A || ($0 == 0x5D && !isOpen) }.count)
        let tail = word[core.endIndex...]
        if core.lowercased().hasPrefix("repl1-") { return Self.token + tail }
        guard !keepsAddresses else { return word }
        let inside = String(core.drop { $0 == "[" }.prefix { $0 != "]" })
        guard isAddress(String(core)) || (isOpen && isAddress(inside)) else { return word }
        return Self.address + tail
    }

    private func isAddress(_ word: String) -> Bool {
        let host = Self.host(of: word)
        if hosts.contains(host.lowercased()) || Self.isIP4(host) || Self.isIP6OrMAC(host) { return true }
        // A name with a port. A change is written like that too, behind 32 hexadecimal digits; a place
        // in a file behind the file's name.
        guard host != word, host.utf8.contains(where: { $0 > 0x39 }), !host.hasSuffix(".toml"),
            !(host.utf8.count == 32 && host.utf8.allSatisfy(Self.isHexadecimal))
        else { return false }
        let port = word.dropFirst(host.utf8.count + (word.hasPrefix("[") ? 3 : 1))
        return 2...5 ~= port.utf8.count && port.utf8.allSatisfy { 0x30...0x39 ~= $0 }
    }

    /// Of "host:port", "[host]:port" and "host".
    private static func host(of address: String) -> String {
        if address.hasPrefix("["), let end = address.firstIndex(of: "]") {
            return String(address[address.index(after: address.startIndex)..<end])
        }
        let parts = address.split(separator: ":", omittingEmptySubsequences: false)
        return parts.count == 2 ? String(parts[0]) : address
    }

    private static func isIP4(_ text: String) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil && $0.utf8.count <= 3 }
    }

    private static func isIP6OrMAC(_ text: String) -> Bool {
        let address = text.prefix { $0 != "%" }
        let parts = address.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count >= 3, parts.allSatisfy({ $0.utf8.allSatisfy { isHexadecimal($0) || $0 == 0x2E } })
        else {
            return false
        }
        return address.contains("::") || parts.count == 8
            || (parts.count == 6 && parts.allSatisfy { $0.utf8.count == 2 })
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        0x30...0x39 ~= byte || 0x41...0x46 ~= byte || 0x61...0x66 ~= byte
    }
}
