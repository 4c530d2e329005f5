/// A random 64-bit number that names one device's part of the log.
///
/// A device can change to another replica (docs/protocol.md, "Parted branches"), so a replica is not a device.
package struct ReplicaID: RawRepresentable, Hashable, Comparable, Sendable {
    /// The number: any 64 bits, ordered as an unsigned integer.
    package let rawValue: UInt64

    /// Creates the replica with this number.
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    package static func < (left: ReplicaID, right: ReplicaID) -> Bool { left.rawValue < right.rawValue }
}

/// The name of an epoch: the first 8 bytes of its key's SHA-256. An epoch is a span of the group's life under
/// one key.
package struct EpochID: RawRepresentable, Hashable, Comparable, Sendable {
    /// The 8 bytes, big-endian.
    package let rawValue: UInt64

    /// Creates the name of an epoch. Its key need not be known.
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    package static func < (left: EpochID, right: EpochID) -> Bool { left.rawValue < right.rawValue }
}

/// The name of a group: 16 random bytes. A group is the devices that share one log.
public struct GroupID: Hashable, Comparable, Sendable {
    /// The first 8 bytes, big-endian.
    package let high: UInt64
    /// The last 8 bytes, big-endian.
    package let low: UInt64

    /// Creates the name of a group from its 16 bytes.
    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    public static func < (left: GroupID, right: GroupID) -> Bool {
        left.high == right.high ? left.low < right.low : left.high < right.high
    }
}

extension ReplicaID {
    /// The number as 16 lower-case hex digits.
    package var text: String { hexadecimal(rawValue) }

    /// Creates the replica from 16 lower-case hex digits, or nil for any other text.
    package init?(text: String) {
        guard let value = value(hexDigits: text) else { return nil }
        self.init(rawValue: value)
    }
}

extension EpochID {
    /// The name as 16 lower-case hex digits.
    package var text: String { hexadecimal(rawValue) }

    /// Creates the name of an epoch from 16 lower-case hex digits, or nil for any other text.
    package init?(text: String) {
        guard let value = value(hexDigits: text) else { return nil }
        self.init(rawValue: value)
    }
}

extension GroupID {
    /// The name as 32 lower-case hex digits.
    package var text: String { hexadecimal(high) + hexadecimal(low) }

    /// The 16 bytes, big-endian.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendBigEndian(high)
        bytes.appendBigEndian(low)
        return bytes
    }
}

extension RunID {
    /// The id as `ms.counter@replica`, for example `1763661600000.0@9f2c6a1b00d4e7aa`.
    package var text: String {
        "\(position.stamp.time.milliseconds).\(position.stamp.counter)@\(position.replica.text)"
    }

    /// Creates the id from `ms.counter@replica`, or nil for any other text.
    package init?(text: String) {
        let sides = text.split(separator: "@", omittingEmptySubsequences: false)
        guard sides.count == 2, let replica = ReplicaID(text: String(sides[1])) else { return nil }
        let parts = sides[0].split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            let milliseconds = UInt64(parts[0]), milliseconds < 1 << 48, let counter = UInt16(parts[1])
        else { return nil }
        self.init(stamp: Stamp(rawValue: milliseconds << 16 | UInt64(counter)), replica: replica)
    }
}

/// Returns the value of 16 lower-case hex digits, or nil for any other text.
private func value(hexDigits text: String) -> UInt64? {
    let isDigit = { (byte: UInt8) in
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
    guard text.utf8.count == 16, text.utf8.allSatisfy(isDigit) else { return nil }
    return UInt64(text, radix: 16)
}
