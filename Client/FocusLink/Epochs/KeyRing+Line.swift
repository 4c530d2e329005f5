package import FocusCore
import FocusSeal

// The line of epochs that a device has followed (docs/protocol.md, "Making one").
extension KeyRing {
    /// The epoch to write under; nil if no key is trusted.
    package var newest: EpochID? { order.last }

    /// Returns the trusted epochs that neither precede nor follow `line`.
    func beside(line: EpochID) -> Set<EpochID> {
        Set(keys.keys).subtracting(reached(from: line)).subtracting(following(line))
    }

    /// Returns the trusted epochs that follow `line`, including itself.
    private func following(_ line: EpochID) -> Set<EpochID> {
        var following: Set<EpochID> = [line]
        for epoch in order where body(of: epoch)?.older.contains(where: following.contains) ?? false {
            following.insert(epoch)
        }
        return following
    }

    /// Returns the newest epoch that follows `line`, the epoch that the device has followed so far; `line` if
    /// there is none. An epoch on another branch doesn't count, but an epoch that joins both branches does.
    /// Returns the newest epoch of all if `line` is nil or not trusted.
    package func line(after line: EpochID?) -> EpochID? {
        guard let line, keys[line] != nil else { return newest }
        let following = following(line)
        return order.last { following.contains($0) } ?? line
    }
}
