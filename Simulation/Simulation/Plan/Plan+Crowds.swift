import FocusWriter

extension Plan {
    /// Tightens the server's limits so that a malicious device reaches them, but others rarely do. It always
    /// tightens the limits of connections, and the memory limit of one group or of all. In some worlds it
    /// also tightens the rates of writing.
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
