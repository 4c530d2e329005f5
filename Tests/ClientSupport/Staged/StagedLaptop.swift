package import FocusCore
import FocusDevice
import FocusLink
import FocusStore
package import FocusSync
import Testing

/// Another laptop of a `StagedServer`'s group.
package struct StagedLaptop {
    /// What it writes as.
    package static let replica = ReplicaID(rawValue: 0xB)
    private let home = TemporaryHome()
    private let device: Device
    private let log: SealedLog

    /// A laptop that is in the group, and has pressed nothing.
    package init(_ server: StagedServer) throws {
        device = try Device(TestContext(home: home.path, firstReplica: StagedLaptop.replica.rawValue).machine)
        try server.admit(device)
        log = try #require(try SealedLog(device.store))
    }

    /// Presses something, and gives what the server sends of that.
    ///
    /// - Parameter instant: in milliseconds since the Unix epoch.
    package func press(_ actions: Action..., at instant: SharedInstant) throws -> Segment {
        try press(actions, at: instant)
    }

    /// As `press(_:at:)`.
    package func press(_ actions: [Action], at instant: SharedInstant) throws -> Segment {
        let before = try log.vector()[StagedLaptop.replica].seq
        _ = try device.store.author(now: instant) { authoring in
            for action in actions { try authoring.write(action) }
        }
        // What is sent is chained.
        _ = try log.vector()
        return try #require(try log.segment(of: StagedLaptop.replica, from: before + 1, bytes: 1 << 20))
    }

    /// What the server has of it then.
    package var heads: VersionVector { get throws { try log.vector() } }
}
