// With which exit code a start that failed ends. Service managers and scripts tell by it whether trying again
// can help: units of ours name 78 (EX_CONFIG of sysexits.h) in RestartPreventExitStatus= (decision 0156).

import ControlServer
import Node
import SQLiteStore

enum ExitStatus {
    /// Another start may go better: a port that will be free, a disk that will have room.
    static let failed: Int32 = 1
    /// Another start finds the same until a person mends it: the config, the device key, a state directory
    /// that is not ours, damaged or of a newer release.
    static let needsMending: Int32 = 78

    static func of(_ error: any Error) -> Int32 {
        switch error {
        case is SettingsError, is SupervisorFault: needsMending
        case let failure as StateFailure: failure.isLasting ? needsMending : failed
        // Thrown by the node, which reads the whole store at its start.
        case StoreFailure.unusable: needsMending
        case ControlServerFailure.notASocket, ControlServerFailure.pathTooLong: needsMending
        default: failed
        }
    }
}
