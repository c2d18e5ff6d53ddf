// Which programs the members run, as they say themselves (decision 0170). Nothing is decided by it but
// whether a first removal is asked about again: no operation is valid or void for it.

public import Causality
public import Wire

extension Roster {
    /// What a device said last; nil when it never did: an earlier program, or it was not heard of yet.
    public func software(of device: DeviceID) -> DeviceSoftware? {
        guard let index = software[device], case .deviceSoftware(let said) = operation(at: index).body else {
            return nil
        }
        return said
    }

    /// True when the device may say this now, and would say something new. A relay waits until every member
    /// that is none said something: earlier programs take a relay's word of an unknown kind for a fault, and
    /// what is made on it too.
    public func isToSay(_ said: DeviceSoftware, by device: DeviceID) -> Bool {
        guard let role = role(of: device), software(of: device) != said else { return false }
        if role > .relay { return true }
        return activeDevices().allSatisfy { self.role(of: $0) == .relay || software[$0] != nil }
    }
}
