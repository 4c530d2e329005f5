import FocusCore
import FocusSync
import FocusWriter

/// How much memory may be held for connections, a group's and all, and which of them goes where it is too much
/// (docs/operations.md, "All settings"; docs/protocol.md, "Errors").
struct MemoryCheck {
    let limits: ServerLimits

    /// What was said to others since their lines were last looked at.
    private static let slack = 128 << 10

    /// What too much is held for; nil where that is nobody. To be asked where all lines were just looked at.
    func excess(_ all: [SeenConnection]) -> String? {
        let total = all.reduce(0) { $0 + $1.leastHeld }
        if total > limits.buffers + MemoryCheck.slack { return "\(total) bytes" }
        // No group has more than all together.
        guard total > limits.buffersPerGroup + MemoryCheck.slack else { return nil }
        for its in Dictionary(grouping: all.filter { $0.group != nil }, by: \.group).values {
            let bytes = its.reduce(0) { $0 + $1.leastHeld }
            if bytes > limits.buffersPerGroup + MemoryCheck.slack { return "\(bytes) bytes for one group" }
        }
        return nil
    }

    /// Why a connection needn't have been ended for what is held; nil where it had to.
    func grievance(of leaving: SeenConnection, _ all: [SeenConnection]) -> String? {
        let mates = all.filter { $0.group == leaving.group || $0.group == nil || leaving.group == nil }
        let group = mates.reduce(0) { $0 + $1.mostHeld }
        let total = all.reduce(0) { $0 + $1.mostHeld }
        guard group > limits.buffersPerGroup || total > limits.buffers else {
            return "\(group) bytes at most are held for its group, \(total) for all"
        }
        let most =
            all.filter { $0.group == leaving.group && leaving.group != nil }.map(\.leastHeld).max() ?? 0
        return most <= leaving.mostHeld
            ? nil : "\(leaving.mostHeld) bytes at most are held for it, and \(most) for another"
    }
}
