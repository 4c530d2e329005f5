import FocusCore
import FocusServerStore
import FocusServing
import FocusSync
import FocusWriter

/// Checks that a revocation is told only to connections of its own group, and all revocations of a batch at
/// once. Also checks that no revoked device is welcomed.
///
/// See docs/threat-model.md, "Another group on the same server".
struct RevocationCheck {
    private var revoked: [GroupID: Set<Digest>] = [:]
    /// The devices that are revoked as far as the network's thread knows. If a deleted group is brought
    /// again, by any of its devices, a device that comes back is removed here.
    private var shutOut: [GroupID: Set<Digest>] = [:]
    /// The number of times that each group has to be told in the current call, and the number of direct
    /// answers to each connection in it.
    private var rounds: [GroupID: Int] = [:]
    private var answers: [ConnectionID: Int] = [:]
    /// The revoked devices in the answers to each connection so far. Another server may have revoked them.
    private var granted: [ConnectionID: Set<Digest>] = [:]
    /// The number of times that each connection was told in the current call.
    private var told: [ConnectionID: Int] = [:]

    init(_ devices: [StoredDevice]) { for device in devices { take(device) } }

    @discardableResult
    private mutating func take(_ device: StoredDevice) -> Bool {
        guard device.revoked != nil else {
            shutOut[device.group]?.remove(device.key)
            return false
        }
        shutOut[device.group, default: []].insert(device.key)
        return revoked[device.group, default: []].insert(device.key).inserted
    }

    /// Begins a call in which the network's thread receives these results.
    mutating func begin(_ outcomes: [WriterOutcome]) {
        (rounds, answers, told) = ([:], [:], [:])
        var round: Set<GroupID> = []
        for outcome in outcomes {
            if case .device(let device) = outcome {
                if take(device) { round.insert(device.group) }
                continue
            }
            for group in round { rounds[group, default: 0] += 1 }
            round = []
            switch outcome {
            case .reloaded(let devices, _), .roster(let devices):
                for device in devices where take(device) { round.insert(device.group) }
            case .answered(.wasRevoked(let device), let connection):
                answers[connection, default: 0] += 1
                granted[connection, default: []].insert(device)
            default: break
            }
        }
        for group in round { rounds[group, default: 0] += 1 }
    }

    /// Checks a welcome to a group.
    ///
    /// - Returns: The breach, or nil if there is none.
    func welcomes(_ seen: SeenConnection, to group: GroupID) -> String? {
        shutOut[group]?.contains(seen.key) == true ? seen.line.peerDescription : nil
    }

    /// Checks a message, or several in one piece, that tells a connection of revoked devices.
    ///
    /// - Returns: The breach, or nil if there is none.
    mutating func tells(_ seen: SeenConnection, _ devices: [Digest], ofBatch: Bool) -> String? {
        guard let group = seen.group else { return "before its welcome" }
        let stranger = devices.first {
            revoked[group]?.contains($0) != true && granted[seen.id]?.contains($0) != true
        }
        if let stranger {
            return "of \(stranger), which its group hasn't shut out"
        }
        guard ofBatch else { return nil }
        told[seen.id, default: 0] += 1
        // One more message may tell of revocations that couldn't be sent before.
        let most = (rounds[group] ?? 0) + (answers[seen.id] ?? 0) + 1
        return told[seen.id] ?? 0 <= most ? nil : "one by one, of what came at once"
    }
}
