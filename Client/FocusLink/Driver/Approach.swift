package import FocusDevice
import FocusSeal
import FocusStore

/// How a device gets to a server: who it is there, and by which ways.
package struct Approach {
    /// The key that it shows on every way, and what it opens the group's keys with.
    package let secrets: DeviceSecrets
    /// The ways, the best first.
    package let routes: [SyncRoute]

    /// An approach by these ways.
    ///
    /// - Parameter routes: the best first. With none the server can't be reached.
    package init(_ secrets: DeviceSecrets, routes: [SyncRoute]) {
        self.secrets = secrets
        self.routes = routes
    }

    /// The same, with so many of the ways at the front tried after all others; where that is all of them, or more, it begins
    /// anew.
    package func passing(over count: Int) -> Approach {
        guard !routes.isEmpty else { return self }
        let count = count % routes.count
        return Approach(secrets, routes: Array(routes[count...] + routes[..<count]))
    }
}

/// Finds out how this device gets to a server, of which somebody waits as long as `patience`, or nobody if that is nil: no
/// limit of a route is longer. Throws if the device's key can't be used.
package typealias Approaching = (ServerAddress, _ patience: Duration?) throws -> Approach

extension SyncDriver {
    /// A connection of this device to a server; it takes note of who the device is there.
    ///
    /// - Parameter patience: how long somebody waits for it, or nil if nobody does.
    package convenience init(
        of device: Device, _ purpose: Purpose, to server: ServerAddress, by approaching: Approaching,
        within patience: Duration?, pace: KeyRotation.Pace, time: any Timekeeper, observer: any SyncObserver
    ) throws {
        let approach = try approaching(server, patience)
        try device.record(approach.secrets.key.publicKey)
        try self.init(
            purpose, by: approach.routes, secrets: approach.secrets, pace: pace, store: device.store,
            clock: try device.clock().estimateBesideWall, time: time, observer: observer)
    }
}
