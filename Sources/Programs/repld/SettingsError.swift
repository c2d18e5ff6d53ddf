// Why the settings cannot be used. Each names the place, file and line or flag, and what would be right.

enum SettingsError: Error, Equatable, CustomStringConvertible {
    case unreadable(file: String, reason: String)
    case syntax(file: String, line: Int, column: Int, reason: String)
    case unknownKey(place: String, key: String, nearest: String?)
    case wrongType(place: String, key: String, need: String)
    case wrongValue(place: String, value: String, need: String)
    case noStateDirectory

    var description: String {
        switch self {
        case .unreadable(let file, let reason): "the config file \(file) cannot be read: \(reason)"
        case .syntax(let file, let line, let column, let reason): "\(file):\(line):\(column): \(reason)"
        case .unknownKey(let place, let key, let nearest):
            "\(place): there is no setting '\(key)'"
                + (nearest.map { "; did you mean '\($0)'?" } ?? "")
        case .wrongType(let place, let key, let need): "\(place): '\(key)' must be \(need)"
        case .wrongValue(let place, let value, let need): "\(place): '\(value)' is not \(need)"
        case .noStateDirectory:
            "there is no place for the state directory: neither XDG_STATE_HOME nor HOME is set; use --state"
        }
    }
}
