// What the node says of moments and ids in the forms of others.

import Bytes
import Causality

extension Instant {
    /// The wall time as operations carry it.
    var timestamp: Timestamp { min(Timestamp(milliseconds: wall), .max) }
}

extension SpaceID {
    /// Nil unless the text is an id as the API writes it: 64 hexadecimal digits in lower case.
    init?(digits text: String) {
        guard text.utf8.count == 64, let raw = Hex.decode(text) else { return nil }
        self.init(raw: Bytes32(raw))
        if description != text { return nil }
    }
}
