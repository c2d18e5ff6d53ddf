// The settings about the sync folder. Whether it is there is not asked: a stick comes and goes.

enum FolderText {
    static let folder =
        "a path from the root, as \"/media/stick/repld\", of a folder outside the state directory"
    static let fileMax = "a number of bytes or a string as \"64MiB\" (KiB, MiB, GiB), from 8 MiB to 1 GiB"

    private static let pathBytesMax = 4_000
    /// The largest record has 4 MiB.
    private static let fileBytes: ClosedRange<UInt64> = 8 << 20...1 << 30
    static let fileBytesStandard = 64 << 20

    /// The setting `sync-folder`; "" without one.
    static func folder(_ file: ConfigFile?, state: String) throws(SettingsError) -> String {
        guard let text = file?.string("sync-folder") else { return "" }
        let path = Settings.withoutSlash(text)
        let isPlain = path.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
        // What stands in the state directory is the store's alone, and backed up with it.
        guard path.hasPrefix("/"), path != "/", path.utf8.count <= pathBytesMax, isPlain,
            path != state, !path.hasPrefix(state + "/")
        else { throw .wrongValue(place: file?.place(of: "sync-folder") ?? "", value: text, need: folder) }
        return path
    }

    /// The setting `sync-folder-max`.
    static func fileBytesMax(_ file: ConfigFile?) throws(SettingsError) -> Int {
        let key = "sync-folder-max"
        let (number, text) = (file?.integer(key).map { UInt64($0) }, file?.string(key))
        if number == nil, text == nil { return fileBytesStandard }
        if let bytes = number ?? text.flatMap({ SizeText.bytes($0) }), fileBytes.contains(bytes) {
            return Int(bytes)
        }
        throw .wrongValue(
            place: file?.place(of: key) ?? "", value: text ?? number.map { "\($0)" } ?? "", need: fileMax)
    }
}
