package import FocusCore

/// Which epoch of which group a record is of, and which one it follows: what its body is bound to.
package struct EpochPlace: Hashable, Sendable {
    /// The group that the epoch is of.
    package let group: GroupID
    /// The epoch whose key the record hands out.
    package let epoch: EpochID
    /// The epoch that it follows.
    package let predecessor: EpochID

    /// The place of a record. Whether its body was made for that shows as it is opened.
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
