// What comes back whole. The bytes are kept as they came, so that whoever passes them on passes on the
// numbers as the daemon wrote them.

import Bytes
public import JSON

/// An answer that is all there, with a status below 400.
public struct ClientAnswer: Sendable {
    public let status: Int
    public let headers: [(name: String, value: String)]
    public let body: [UInt8]

    /// The body as JSON. A number that no 64 bits hold, of a daemon that passes on what a peer says, is the
    /// nearest that there is.
    public func json() throws(ClientError) -> PlainValue { try Self.json(body) }

    /// A line of a streamed answer as JSON.
    public static func json(_ bytes: [UInt8]) throws(ClientError) -> PlainValue {
        do throws(JSONFault) {
            return try JSONReader.read(bytes, depthMax: depthMax, roundsNumbers: true)
        } catch {
            throw .malformed(error.message)
        }
    }

    /// Typed views nest twice as deep as documents, and conflicts in them deeper.
    static let depthMax = 512
}
