// An established link: records in both directions, and the three frame types that belong to the link itself.

import Bytes

/// Ciphers and buffers of an established link.
struct LinkSession: Sendable {
    /// What one record led to.
    enum Event {
        case frame(LinkFrame)
        case pong(LinkFrame)
        case closed(CloseCode, reason: String)
    }

    let link: EstablishedLink
    private var sealer: RecordSealer
    private var opener: RecordOpener
    private var assembler = FrameAssembler()

    init(_ link: EstablishedLink, sending: NoiseCipherState, receiving: NoiseCipherState) {
        self.link = link
        sealer = RecordSealer(sending)
        opener = RecordOpener(receiving)
    }

    /// Body bytes held of an incomplete frame.
    var heldBytes: Int { assembler.heldBytes }

    /// Appends the frame's records to `buffer`.
    mutating func seal(_ frame: LinkFrame, into buffer: inout [UInt8]) {
        sealer.seal(frame, into: &buffer)
    }

    mutating func append(_ bytes: consuming [UInt8]) { opener.append(bytes) }

    /// What the next complete frame asks for; nil when none is complete.
    mutating func next() throws(LinkFault) -> Event? {
        while let record = try opener.next() {
            let header = record.header
            if header.type <= LinkFrame.close && header.channel != 0 {
                throw .wrongChannel(type: header.type, channel: header.channel)
            }
            guard let frame = try assembler.add(header, opener.buffer, record.body) else { continue }
            switch frame.type {
            case LinkFrame.ping: return .pong(LinkFrame(type: LinkFrame.pong, body: frame.body))
            case LinkFrame.close:
                let (code, reason) = try Self.closing(frame.body)
                return .closed(code, reason: reason)
            default: return .frame(frame)
            }
        }
        return nil
    }

    /// A CLOSE frame: u16 code ‖ UTF-8 reason, cut to its limit between characters.
    static func closeFrame(_ code: CloseCode, reason: String) -> LinkFrame {
        var writer = ByteWriter()
        writer.u16(code.rawValue)
        var room = SecureLinkLimits.closeReasonBytesMax
        for scalar in reason.unicodeScalars {
            let utf8 = Array(String(scalar).utf8)
            if utf8.count > room { break }
            room -= utf8.count
            writer.raw(utf8)
        }
        return LinkFrame(type: LinkFrame.close, body: writer.bytes)
    }

    private static func closing(_ body: [UInt8]) throws(LinkFault) -> (CloseCode, String) {
        guard body.count >= 2, body.count <= 2 + SecureLinkLimits.closeReasonBytesMax,
            let reason = String(validating: body[2...], as: UTF8.self)
        else { throw .closeMalformed }
        return (CloseCode(rawValue: UInt16(body[0]) << 8 | UInt16(body[1])), ShownText.line(reason))
    }
}
