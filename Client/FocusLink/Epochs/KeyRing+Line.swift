package import FocusCore
import FocusSeal

// The line of epochs that a device has followed (docs/protocol.md, "Making one").
extension KeyRing {
    /// The epoch to write under; nil if no key is trusted.
    package var newest: EpochID? { order.last }

    /// The trusted epochs that neither come before this one nor follow it.
    func beside(line: EpochID) -> Set<EpochID> {
        Set(keys.keys).subtracting(reached(from: line)).subtracting(following(line))
    }

    /// The trusted epochs that follow this one, itself included.
    private func following(_ line: EpochID) -> Set<EpochID> {
        var following: Set<EpochID> = [line]
        for epoch in order where body(of: epoch)?.older.contains(where: following.contains) ?? false {
            following.insert(epoch)
        }
        return following
    }

    /// The newest epoch of the line that a device has followed so far, which it goes on to follow: what comes beside that
    /// is followed once one follows both.
    package func line(after line: EpochID?) -> EpochID? {
        guard let line, keys[line] != nil else { return newest }
        let following = following(line)
        return order.last { following.contains($0) } ?? line
    }
}
