/// Names a group: the devices that share one log. 16 random bytes.
package struct GroupID: Hashable, Comparable, Sendable {
    /// The first 8 bytes, big-endian.
    package let high: UInt64
    /// The last 8 bytes, big-endian.
    package let low: UInt64

    /// The group of these 16 bytes.
    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    package static func < (left: GroupID, right: GroupID) -> Bool {
        left.high == right.high ? left.low < right.low : left.high < right.high
    }
}
