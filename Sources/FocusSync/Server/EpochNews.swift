package import FocusCore

/// An epoch's record, encoded once for all the connections it is sent to.
package struct EpochNews: Hashable, Sendable {
    package let epoch: EpochID
    /// The whole frame.
    package let frame: [UInt8]

    package init(_ record: EpochRecord) {
        epoch = record.epoch
        frame = Message.epoch(record).encoded()
    }
}
