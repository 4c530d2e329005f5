package import FocusCore

/// Which epoch of which group a record is of, and which one it follows: what its body is bound to.
package struct EpochPlace: Hashable, Sendable {
    package let group: GroupID
    package let epoch: EpochID
    package let predecessor: EpochID

    package init(group: GroupID, epoch: EpochID, predecessor: EpochID) {
        self.group = group
        self.epoch = epoch
        self.predecessor = predecessor
    }

    /// Group, epoch and predecessor: 32 bytes.
    var bytes: [UInt8] {
        var bytes = group.bytes
        bytes.appendBigEndian(epoch.rawValue)
        bytes.appendBigEndian(predecessor.rawValue)
        return bytes
    }
}
