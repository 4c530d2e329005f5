/// Names one device's part of the log: a random 64-bit number.
///
/// A device may go on under another replica (docs/protocol.md, "Parted branches"), so a replica is not a device.
package struct ReplicaID: RawRepresentable, Hashable, Comparable, Sendable {
    /// The number itself: any of 64 bits, ordered as one without a sign.
    package let rawValue: UInt64

    /// The replica of this number.
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    package static func < (left: ReplicaID, right: ReplicaID) -> Bool { left.rawValue < right.rawValue }
}
