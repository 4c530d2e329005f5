import FocusCore
import FocusServerStore
import FocusServing
import FocusSync
import FocusWriter

/// Who is told of a revocation: the connections of the group that shut the device out, each of all of a batch at once
/// (docs/threat-model.md, "Another group on the same server"); and that who was shut out isn't welcomed any more.
struct RevocationCheck {
    private var revoked: [GroupID: Set<Digest>] = [:]
    /// Who is shut out as far as the thread was told: a group that was deleted may be brought again, by whomever.
    private var shutOut: [GroupID: Set<Digest>] = [:]
    /// How many times groups have to be told in the call that is under way, and how many single answers a connection gets
    /// in it.
    private var rounds: [GroupID: Int] = [:]
    private var answers: [ConnectionID: Int] = [:]
    /// Who was answered, in it or before, that these are shut out, which another server may have done.
    private var granted: [ConnectionID: Set<Digest>] = [:]
    /// How often connections were told in it.
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

    /// A call begins in which the network's thread hears this.
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

    /// A connection is welcomed to a group.
    ///
    /// - Returns: what is wrong with that; nil where nothing is.
    func welcomes(_ seen: SeenConnection, to group: GroupID) -> String? {
        shutOut[group]?.contains(seen.key) == true ? seen.line.peerDescription : nil
    }

    /// A connection is told, in one piece, of devices that were revoked.
    ///
    /// - Returns: what is wrong with that; nil where nothing is.
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
        // What couldn't be said before may come as well.
        let most = (rounds[group] ?? 0) + (answers[seen.id] ?? 0) + 1
        return told[seen.id] ?? 0 <= most ? nil : "one by one, of what came at once"
    }
}
