// Finds the device that a program means. A person reads names and types the first letters of an ID from a
// table; nothing that was not meant may be taken for it, so whatever could mean two devices is refused with
// both. A whole device ID always means itself: no member can take it by calling itself so.

import Causality
import Identity

/// The members among which one is meant.
struct MemberDirectory {
    struct Entry: Sendable {
        let member: NamedDevice
        /// Names are those of active members; letters of an ID find others too.
        let isActive: Bool

        init(_ member: NamedDevice, isActive: Bool) {
            self.member = member
            self.isActive = isActive
        }
    }

    /// How many candidates or members an error lists.
    static let listedMax = 16

    private let entries: [Entry]

    /// `entries`: each device once.
    init(_ entries: [Entry]) { self.entries = entries }

    /// The one device that is meant.
    func find(_ reference: MemberReference) throws(NodeError) -> NamedDevice {
        if let whole = Self.device(reference) {
            guard let entry = entries.first(where: { $0.member.device == whole }) else {
                throw absent(reference)
            }
            return entry.member
        }
        let prefix = Self.prefix(reference)
        let meant = entries.filter { entry in
            entry.isActive && !reference.text.isEmpty && entry.member.name == reference.text
                || prefix.map(entry.member.device.letters.hasPrefix) ?? false
        }.map(\.member)
        switch meant.count {
        case 0: throw absent(reference)
        case 1: return meant[0]
        default:
            throw .ambiguousMember(
                reference.text, candidates: Array(Self.sorted(meant).prefix(Self.listedMax)))
        }
    }

    /// Nil for what is no whole device ID.
    static func device(_ reference: MemberReference) -> DeviceID? {
        do throws(DeviceIDFault) {
            return try DeviceID(text: reference.text)
        } catch {
            return nil
        }
    }

    /// The letters that the ID begins with; nil for what is no beginning of one, or too short.
    private static func prefix(_ reference: MemberReference) -> String? {
        do throws(DeviceIDFault) {
            let letters = try DeviceID.letters(typed: reference.text)
            guard DeviceID.shortLetters..<DeviceID.textLetters ~= letters.count else { return nil }
            return String(decoding: letters, as: UTF8.self).uppercased()
        } catch {
            return nil
        }
    }

    private func absent(_ reference: MemberReference) -> NodeError {
        let active = Self.sorted(entries.filter(\.isActive).map(\.member))
        let former = entries.filter {
            !$0.isActive && !reference.text.isEmpty && $0.member.name == reference.text
        }
        return .noSuchMember(
            reference.text, known: Array(active.prefix(Self.listedMax)),
            more: max(0, active.count - Self.listedMax),
            former: Array(Self.sorted(former.map(\.member)).prefix(Self.listedMax)))
    }

    private static func sorted(_ members: [NamedDevice]) -> [NamedDevice] {
        members.sorted { ($0.name, $0.device) < ($1.name, $1.device) }
    }
}
