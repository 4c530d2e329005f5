import FocusCore
import FocusServerCore
import FocusServerStore
import FocusSync

/// Checks that a revocation is told only to connections of its own group, and that no revoked device is
/// welcomed.
///
/// See docs/threat-model.md, "Another group on the same server".
struct RevocationCheck {
    /// The devices that were ever revoked. A group's connections may be told of these.
    private var everRevoked: [GroupID: Set<Digest>] = [:]
    /// The devices that are revoked now, as far as the network's thread knows. Revocations end with a deleted
    /// group. So if a laptop brings that group again, a device of it may come back.
    private var revoked: [GroupID: Set<Digest>] = [:]

    init(_ devices: [StoredDevice]) { for device in devices { record(device) } }

    private mutating func record(_ device: StoredDevice) {
        guard device.revoked != nil else {
            revoked[device.group]?.remove(device.key)
            return
        }
        revoked[device.group, default: []].insert(device.key)
        everRevoked[device.group, default: []].insert(device.key)
    }

    /// Records answers that the network's thread is about to process.
    mutating func record(_ answers: [WriterOutcome]) {
        for outcome in answers {
            switch outcome {
            case .device(let device): record(device)
            case .reloaded(let devices, _), .roster(let devices): for device in devices { record(device) }
            default: break
            }
        }
    }

    /// Whether the device is revoked in the group.
    func isRevoked(_ device: Digest, in group: GroupID) -> Bool { revoked[group]?.contains(device) == true }

    /// Checks a message that tells a connection of a revoked device.
    ///
    /// - Parameter group: The connection's group, or nil before its welcome.
    /// - Returns: The breach, or nil if there is none.
    func check(_ device: Digest, toldTo group: GroupID?) -> String? {
        guard let group else { return "before its welcome" }
        return everRevoked[group]?.contains(device) == true
            ? nil : "of \(device), which its group hasn't shut out"
    }
}
