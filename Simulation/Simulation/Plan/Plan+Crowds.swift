import FocusWriter

extension Plan {
    /// The limits of a server that somebody who means harm comes near, and nobody else more than now and then: of
    /// connections always, of memory for a group or for all, and of what is written, in some worlds.
    func tighten(_ limits: inout ServerLimits) {
        func one(of count: UInt64, _ place: UInt64) -> Bool { (seed >> place) % count == 0 }
        limits.connectionsPerDevice = min(limits.connectionsPerDevice, 6)
        limits.connectionsPerGroup = 16
        limits.connections = one(of: 2, 0) ? 20 : 60
        limits.strangersPerAddress = 4
        limits.enrolmentsPerMinute = 6
        if one(of: 2, 1) { limits.buffersPerGroup = 2 << 20 } else { limits.buffers = 2 << 20 }
        guard one(of: 2, 2), !hasTightLimits else { return }
        (limits.deviceEventsPerSecond, limits.deviceBurst) = (300, 4_000)
        (limits.groupEventsPerSecond, limits.groupBurst) = (500, 6_000)
    }
}
