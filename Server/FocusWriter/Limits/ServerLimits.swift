import FocusServerStore
package import FocusSync

/// What the server takes at most. Whoever goes beyond is told so, and nobody else notices.
package struct ServerLimits: Hashable, Sendable {
    /// What holds for each connection.
    package var session = SessionLimits()

    /// Connections of devices that are known.
    package var connections = 10_000
    /// Connections from one address whose device isn't known, or not yet.
    package var strangersPerAddress = 64
    /// Connections of one device.
    package var connectionsPerDevice = 16
    /// Connections of one group's devices, beyond the first one of each.
    package var connectionsPerGroup = 256
    /// What is held in memory for a group's connections, and for all connections, in bytes: messages that aren't whole,
    /// what isn't stored yet, and what laptops don't take.
    package var buffersPerGroup = 32 << 20
    /// The same for all connections together, in bytes.
    package var buffers = 512 << 20
    /// How often in a minute devices may ask to be let in with an invite, from one address.
    package var enrolmentsPerMinute = 30

    /// Events that a device may write a second, and at once after a rest.
    package var deviceEventsPerSecond = 500
    /// Events that a device may write at once after a rest, as when it brings a log of years.
    package var deviceBurst = 200_000
    /// The same for a group.
    package var groupEventsPerSecond = 1_000
    /// Events that the devices of a group may write at once after a rest.
    package var groupBurst = 500_000

    /// Groups on this server.
    package var groups = 1_000
    /// Devices of a group, less the revoked.
    package var devicesPerGroup = 100
    /// Epoch records of a group.
    package var epochsPerGroup = 1_000
    /// What their bodies take, in bytes.
    package var epochBytesPerGroup = 64 << 20
    /// Replicas of a group: what its devices write as, each one or a few.
    package var replicasPerGroup = 4_096
    /// Events of a group.
    package var eventsPerGroup = 5_000_000
    /// What the rows of a group's sealed events and its epoch records take on the disk (`StoredSize`), in bytes. What is
    /// taken at once is taken whole, so a group may go beyond by less than two frames.
    package var bytesPerGroup = 1 << 30

    /// The defaults (docs/operations.md).
    package init() {}
}

extension ServerLimits {
    /// How fast a device may write events.
    var deviceRate: TokenBucket.Measure {
        TokenBucket.Measure(rate: deviceEventsPerSecond, burst: deviceBurst)
    }

    var replicas: SharedLimit { SharedLimit(limit: replicasPerGroup, share: 32) }

    var epochs: SharedLimit { SharedLimit(limit: epochsPerGroup, share: 8) }

    /// How much work (`Work`) a device may ask for beside uploads: as much as events, and what a few dozen requests make
    /// at least.
    var requestRate: TokenBucket.Measure {
        TokenBucket.Measure(rate: max(deviceEventsPerSecond, 50), burst: max(deviceBurst, 1_000))
    }

    /// How often devices from one address may ask to be let in. The tokens are 60ths of one.
    package var enrolmentRate: TokenBucket.Measure {
        TokenBucket.Measure(rate: enrolmentsPerMinute, burst: enrolmentsPerMinute * 60)
    }

    /// What holds for a group with this quota.
    func with(_ quota: GroupQuota) -> ServerLimits {
        var limits = self
        limits.eventsPerGroup = quota.events ?? eventsPerGroup
        limits.bytesPerGroup = quota.bytes ?? bytesPerGroup
        limits.devicesPerGroup = quota.devices ?? devicesPerGroup
        return limits
    }

    /// How many connections there may be in all whose device isn't known, or not yet.
    package var strangers: Int { max(16, connections / 10) }

    /// How fast a group may.
    var groupRate: TokenBucket.Measure {
        TokenBucket.Measure(rate: groupEventsPerSecond, burst: groupBurst)
    }
}

/// How many of something a group may have, none of whose devices is to take all of it: the last quarter is for devices
/// that have brought little of it since there was no more than that left.
struct SharedLimit: Hashable, Sendable {
    /// So many there may be.
    let limit: Int
    /// So many a device may bring of the last quarter.
    let share: Int

    /// Whether there is no more than the last quarter left.
    func isScarce(beside count: Int) -> Bool { count >= limit - limit / 4 }

    /// Whether there may be another one beside so many.
    ///
    /// - Parameter brought: how many of the last quarter the device has brought; asked only where that matters.
    func hasRoom(beside count: Int, brought: () throws -> Int) rethrows -> Bool {
        guard isScarce(beside: count) else { return true }
        return try count < limit && brought() < share
    }
}

extension GroupIndex {
    /// What there is more of than the limits let a group have, for people; nil where nothing is. What is taken at once is
    /// taken whole, so that bytes may go beyond by two frames.
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
