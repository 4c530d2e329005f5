import FocusServerStore
package import FocusSync

/// The limits of the server, each a greatest number, size or rate. A client that exceeds one gets a refusal.
/// Other clients aren't affected.
package struct ServerLimits: Hashable, Sendable {
    /// The limits on each connection.
    package var session = SessionLimits()

    /// Connections of known devices.
    package var connections = 10_000
    /// Connections of strangers from one address.
    package var strangersPerAddress = 64
    /// Connections of one device.
    package var connectionsPerDevice = 16
    /// Connections of one group's devices. Each device keeps at least one, even if the group has more devices
    /// than this.
    package var connectionsPerGroup = 256
    /// Memory held for a group's connections, in bytes: incomplete messages, data that isn't stored yet, and
    /// data that laptops don't receive.
    package var buffersPerGroup = 32 << 20
    /// Memory held for all connections together, in bytes.
    package var buffers = 512 << 20
    /// Requests to enrol with an invite, per minute and address.
    package var enrolmentsPerMinute = 30

    /// Events that a device may write per second.
    package var deviceEventsPerSecond = 500
    /// Events that a device may write at once after a rest, for example when it uploads a log of several
    /// years.
    package var deviceBurst = 200_000
    /// Events that the devices of a group may write per second, together.
    package var groupEventsPerSecond = 1_000
    /// Events that the devices of a group may write at once after a rest.
    package var groupBurst = 500_000

    /// Groups on this server.
    package var groups = 1_000
    /// Devices of a group, without the revoked ones.
    package var devicesPerGroup = 100
    /// Epoch records of a group.
    package var epochsPerGroup = 1_000
    /// The bodies of a group's epoch records, in bytes.
    package var epochBytesPerGroup = 64 << 20
    /// Replicas of a group. Each device writes under one or a few.
    package var replicasPerGroup = 1_024
    /// Events of a group.
    package var eventsPerGroup = 5_000_000
    /// Disk space for the rows of a group's sealed events and epoch records (`StoredSize`), in bytes. An
    /// upload that has begun is stored completely, so a group may exceed this by less than two frames.
    package var bytesPerGroup = 1 << 30

    /// Creates the default limits (docs/operations.md).
    package init() {}
}

extension ServerLimits {
    /// The rate at which a device may write events.
    var deviceRate: TokenBucket.Measure {
        TokenBucket.Measure(rate: deviceEventsPerSecond, burst: deviceBurst)
    }

    /// The limit on a group's replicas.
    var replicas: SharedLimit { SharedLimit(limit: replicasPerGroup, share: 32) }

    /// The limit on a group's epoch records.
    var epochs: SharedLimit { SharedLimit(limit: epochsPerGroup, share: 8) }

    /// The rate at which a device may ask for work (`Work`) besides uploads: the same as for events, but at
    /// least enough for a few dozen requests.
    var requestRate: TokenBucket.Measure {
        TokenBucket.Measure(rate: max(deviceEventsPerSecond, 50), burst: max(deviceBurst, 1_000))
    }

    /// The rate at which devices from one address may ask to enrol. A request costs 60 tokens, so that a rate
    /// per minute is a whole number of tokens per second.
    package var enrolmentRate: TokenBucket.Measure {
        TokenBucket.Measure(rate: enrolmentsPerMinute, burst: enrolmentsPerMinute * 60)
    }

    /// Returns the limits for a group with this quota.
    func with(_ quota: GroupQuota) -> ServerLimits {
        var limits = self
        limits.eventsPerGroup = quota.events ?? eventsPerGroup
        limits.bytesPerGroup = quota.bytes ?? bytesPerGroup
        limits.devicesPerGroup = quota.devices ?? devicesPerGroup
        return limits
    }

    /// Whether a group with this quota has no room for further epoch records.
    func areFull(epochs count: Int, _ size: GroupSize, _ quota: GroupQuota) -> Bool {
        count >= epochsPerGroup || size.epochBytes >= epochBytesPerGroup
            || size.bytes >= with(quota).bytesPerGroup
    }

    /// Connections of strangers from all addresses.
    package var strangers: Int { max(16, connections / 10) }

    /// The rate at which the devices of a group may write events.
    var groupRate: TokenBucket.Measure {
        TokenBucket.Measure(rate: groupEventsPerSecond, burst: groupBurst)
    }
}

/// A limit on the number of things in a group, such that one device can't use it up. Each device may use only
/// a small share of the last quarter.
struct SharedLimit: Hashable, Sendable {
    /// The greatest number of things.
    let limit: Int
    /// The number of things that each device may add to the last quarter.
    let share: Int

    /// Whether `count` things leave at most a quarter of the limit free.
    func isScarce(beside count: Int) -> Bool { count >= limit - limit / 4 }

    /// Whether there is room for another thing beside `count` things.
    ///
    /// - Parameter brought: Returns the number of things that the device has added to the last quarter.
    ///   Called only if at most the last quarter is left.
    func hasRoom(beside count: Int, brought: () throws -> Int) rethrows -> Bool {
        guard isScarce(beside: count) else { return true }
        return try count < limit && brought() < share
    }
}

extension GroupIndex {
    /// Returns a description, for people, of the first limit that the group exceeds; nil if it exceeds none.
    /// An upload is stored completely, so the bytes may exceed their limit by two frames.
    package func excess(over limits: ServerLimits) -> String? {
        let limits = limits.with(quota)
        let bounds: [(what: String, count: Int, limit: Int)] = [
            ("events", size.events, limits.eventsPerGroup),
            ("bytes", size.bytes, limits.bytesPerGroup + 2 * Limits.frame),
            ("bytes of epochs", size.epochBytes, limits.epochBytesPerGroup),
            ("epochs", epochs.count, limits.epochsPerGroup),
            ("replicas", heads.count, limits.replicasPerGroup),
        ]
        return bounds.first { $0.count > $0.limit }.map { "\($0.count) \($0.what), over \($0.limit)" }
    }
}
