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

    /// Returns the newest epoch on the line that the device has followed up to `line`. Nothing beside that
    /// line is followed until an epoch follows both. Without a trusted `line`, returns the newest epoch.
    package func line(after line: EpochID?) -> EpochID? {
        guard let line, keys[line] != nil else { return newest }
        let following = following(line)
        return order.last { following.contains($0) } ?? line
    }
}
