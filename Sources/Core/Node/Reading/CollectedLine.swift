// The first line of a listing of changes that does not go back to the beginning of the space.

import Bytes
import Documents
import JSON

/// `{"collected":true,"since":VERSION}`: changes before that version were forgotten.
struct CollectedLine {
    /// A version token.
    let since: String

    var bytes: [UInt8] {
        var line: [UInt8] = []
        let value = PlainValue.object([
            .init("collected", .scalar(.bool(true))), .init("since", .scalar(.string(Key(since)))),
        ])
        CanonicalJSON.append(value, to: &line)
        return line + [0x0A]
    }
}
