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

/// Finds out how this device gets to a server. Throws where the device's key can't be used.
package typealias Approaching = (ServerAddress) throws -> Approach

extension SyncDriver {
    /// A connection of this device to a server; it takes note of who the device is there.
    package convenience init(
        of device: Device, _ purpose: Purpose, to server: ServerAddress, by approaching: Approaching,
        pace: KeyRotation.Pace, time: any Timekeeper, observer: any SyncObserver
    ) throws {
        let approach = try approaching(server)
        try device.record(approach.secrets.key.publicKey)
        try self.init(
            purpose, by: approach.routes, secrets: approach.secrets, pace: pace, store: device.store,
            clock: try device.clock().estimateBesideWall, time: time, observer: observer)
    }
}
