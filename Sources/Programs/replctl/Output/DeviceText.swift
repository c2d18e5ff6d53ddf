// Devices as people see them: a name, and the first letters of the ID, which any verb takes.

import Bytes
import JSON

enum DeviceText {
    static let shortLetters = 7

    /// The first letters; all with `isWide`.
    static func id(_ text: String?, isWide: Bool) -> String {
        guard let text, !text.isEmpty else { return "-" }
        return isWide ? text : String(text.prefix(shortLetters))
    }

    /// Of `{"device","name"}`: "attic", or the letters of one without a name.
    static func name(_ device: PlainValue?, isWide: Bool) -> String {
        guard let device else { return "-" }
        let name = device.string("name") ?? ""
        let id = id(device.string("device"), isWide: isWide)
        if isWide { return name.isEmpty ? id : "\(name) \(id)" }
        return name.isEmpty ? id : name
    }
}
