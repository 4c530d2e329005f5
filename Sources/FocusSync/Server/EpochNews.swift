package import FocusCore

/// An epoch's record, encoded once for all the connections it is sent to.
package struct EpochNews: Hashable, Sendable {
    /// The epoch that the record is of.
    package let epoch: EpochID
    /// The whole frame.
    package let frame: [UInt8]

    /// Encodes the message with this record, which takes time in proportion to its body.
    package init(_ record: EpochRecord) {
        epoch = record.epoch
        frame = Message.epoch(record).encoded()
    }
}
