// The section `[access]`: users, and groups behind an @, with what each may do. Names become numbers here,
// since the kernel tells numbers of who connects. A name that this machine does not know is refused: were
// it passed over, its user would have all that the socket gives, on the day that the name is known again.

import ControlServer
import Glibc
import Node

/// `[access]` as it is in effect. Two are equal when they give the same.
struct AccessSettings: Equatable, Sendable, CustomStringConvertible {
    var rules = AccessRules()

    /// For reports that leave the box: prefixes are parts of keys.
    var description: String { "\(rules.users.count) users, \(rules.groups.count) groups" }
}

enum AccessText {
    static let need = "\"read:SPACE\", \"write:SPACE\", either with /PREFIX, or a list of such"

    static func settings(_ file: ConfigFile?) throws(SettingsError) -> AccessSettings {
        var rules = AccessRules()
        for entry in file?.entries("access") ?? [] {
            var given: [AccessRule] = []
            for text in entry.texts {
                guard let rule = AccessRule(text) else {
                    throw .wrongValue(place: entry.place, value: text, need: need)
                }
                given.append(rule)
            }
            if entry.name.hasPrefix("@") {
                rules.groups[try group(String(entry.name.dropFirst()), entry), default: []] += given
            } else {
                rules.users[try user(entry.name, entry), default: []] += given
            }
        }
        return AccessSettings(rules: rules)
    }

    private static func user(_ name: String, _ entry: ConfigFile.Entry) throws(SettingsError) -> UInt32 {
        var found = passwd()
        var result: UnsafeMutablePointer<passwd>?
        var room = [CChar](repeating: 0, count: roomBytes)
        guard getpwnam_r(name, &found, &room, room.count, &result) == 0, result != nil else {
            throw .wrongValue(
                place: entry.place, value: name, need: "a user of this machine (a group is written \"@NAME\")"
            )
        }
        guard found.pw_uid != 0, found.pw_uid != geteuid() else {
            throw .wrongValue(
                place: entry.place, value: name,
                need:
                    "a user whom rules can hold: root and the daemon's own user read the state itself"
            )
        }
        return found.pw_uid
    }

    private static func group(_ name: String, _ entry: ConfigFile.Entry) throws(SettingsError) -> UInt32 {
        var found = Glibc.group()
        var result: UnsafeMutablePointer<Glibc.group>?
        var room = [CChar](repeating: 0, count: roomBytes)
        guard getgrnam_r(name, &found, &room, room.count, &result) == 0, result != nil else {
            throw .wrongValue(place: entry.place, value: entry.name, need: "a group of this machine")
        }
        // The kernel's list of a process's groups ends in zeros.
        guard found.gr_gid != 0 else {
            throw .wrongValue(place: entry.place, value: entry.name, need: "a group whose number is not 0")
        }
        return found.gr_gid
    }

    /// A group's line lists its members.
    private static let roomBytes = 1 << 20
}
