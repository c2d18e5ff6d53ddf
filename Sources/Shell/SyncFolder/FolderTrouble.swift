// What is wrong with the folder as a whole, and what a person can do. Most often it is the service's sandbox,
// whose drop-in is printed as it has to be typed.

import Glibc
import Node

/// Why files cannot be left or taken.
struct FolderTrouble: Hashable {
    let state: SyncFolderReport.State
    let problem: String
    let hint: String

    init(_ failure: FolderFailure, _ path: String, isService: Bool) {
        let folder = "the sync folder \"\(path)\""
        switch failure.code {
        case ENOENT, ENOTDIR:
            state = .missing
            problem = "\(folder) is not there"
            hint =
                "nothing is carried until it is: plug the stick in, or mount it; repld does not make it"
                + (isService && Self.isHidden(path)
                    ? ". The service does not see what is below /home, /root and /run/user: choose another "
                        + "place" : "")
        case EROFS, EACCES, EPERM:
            state = .refused
            problem = "\(folder) cannot be used: \(failure.doing): \(failure.words)"
            hint = isService ? Self.dropIn(path) : "let the user of repld list and write it"
        case ELOOP:
            state = .refused
            problem = "\(folder) is a link to elsewhere, or leads to the state directory"
            hint =
                "whoever holds the disk could turn it to any place: name the folder itself in sync-folder, "
                + "and look at who made the link"
        case ENOSPC, EDQUOT, EFBIG:
            state = .full
            problem = "\(folder) is full"
            hint = "free space there, or lower sync-folder-max; what is there already can be read"
        default:
            state = .failed
            problem = "\(folder) fails: \(failure.doing): \(failure.words)"
            hint = "it is tried again; look at the stick or the network drive"
        }
    }

    /// `ProtectHome=` of the unit.
    private static func isHidden(_ path: String) -> Bool {
        ["/home/", "/root/", "/run/user/"].contains { path.hasPrefix($0) }
    }

    /// `ProtectSystem=` of the unit makes everything read-only but what is named. The minus: a stick that is
    /// out must not keep the service from starting.
    static func dropIn(_ path: String) -> String {
        let unit = "/etc/systemd/system/repld.service.d"
        return "the service may write its own directories only. A drop-in gives it the folder: "
            + "sudo mkdir -p \(unit) && printf '[Service]\\nReadWritePaths=-\(path)\\n' | "
            + "sudo tee \(unit)/sync-folder.conf && sudo systemctl daemon-reload && "
            + "sudo systemctl restart repld; and the user repld must be able to write there"
    }
}
