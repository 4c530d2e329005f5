import FocusCore
import FocusSync
import FocusWriter

/// Checks the memory held for connections, per group and in total, and which connection is ended if it is too
/// much (docs/operations.md, "All settings"; docs/protocol.md, "Errors").
struct MemoryCheck {
    let limits: ServerLimits

    /// The bytes that may have been sent to other connections since their memory was last measured.
    private static let slack = 128 << 10

    /// Returns the excess of memory, or nil if there is none. To be called right after all connections were
    /// measured.
    func excess(_ all: [SeenConnection]) -> String? {
        let total = all.reduce(0) { $0 + $1.leastHeld }
        if total > limits.buffers + MemoryCheck.slack { return "\(total) bytes" }
        // If the total is below the limit of one group, so is each group.
        guard total > limits.buffersPerGroup + MemoryCheck.slack else { return nil }
        for its in Dictionary(grouping: all.filter { $0.group != nil }, by: \.group).values {
            let bytes = its.reduce(0) { $0 + $1.leastHeld }
            if bytes > limits.buffersPerGroup + MemoryCheck.slack { return "\(bytes) bytes for one group" }
        }
        return nil
    }

    /// Returns the reason why a connection shouldn't have been ended for its memory, or nil if it should.
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
