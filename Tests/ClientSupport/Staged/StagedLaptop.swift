package import FocusCore
import FocusDevice
import FocusLink
import FocusStore
package import FocusSync
import Testing

/// Another laptop of a `StagedServer`'s group.
package struct StagedLaptop {
    /// The replica under which the laptop writes.
    package static let replica = ReplicaID(rawValue: 0xB)
    private let home = TemporaryHome()
    private let device: Device
    private let log: SealedLog

    /// A laptop that is in the group and has written no event.
    package init(_ server: StagedServer) throws {
        device = try Device(TestContext(home: home.path, firstReplica: StagedLaptop.replica.rawValue).machine)
        try server.admit(device)
        log = try #require(try SealedLog(device.store))
    }

    /// Writes `actions` and returns the segment with them, as the server would send it.
    ///
    /// - Parameter instant: The time of the press, in milliseconds since the Unix epoch.
    package func press(_ actions: Action..., at instant: SharedInstant) throws -> Segment {
        try press(actions, at: instant)
    }

    /// Writes `actions` and returns the segment with them, as `press(_:at:)` does.
    package func press(_ actions: [Action], at instant: SharedInstant) throws -> Segment {
        let before = try log.vector()[StagedLaptop.replica].seq
        _ = try device.store.author(now: instant) { authoring in
            for action in actions { try authoring.write(action) }
        }
        // Computes the new events' chains, which a segment needs.
        _ = try log.vector()
        return try #require(try log.segment(of: StagedLaptop.replica, from: before + 1, bytes: 1 << 20))
    }

    /// The heads that the server has after it received the laptop's events.
    package var heads: VersionVector { get throws { try log.vector() } }
}
