package import FocusDevice
import FocusSeal
import FocusStore

/// The identity that a device uses at a server, and its routes to that server.
package struct ServerRoutes {
    /// The device's key. The device presents it on every route and opens the group's keys with it.
    package let secrets: DeviceSecrets
    /// The routes, best first.
    package let routes: [Route]

    /// Creates the routes of an identity.
    ///
    /// - Parameter routes: The routes, best first. If there are none, the server can't be reached.
    package init(_ secrets: DeviceSecrets, routes: [Route]) {
        self.secrets = secrets
        self.routes = routes
    }

    /// Returns a copy with the first `count` routes, modulo the number of routes, moved to the end. So the
    /// next attempt begins with another server.
    package func rotated(by count: Int) -> ServerRoutes {
        guard !routes.isEmpty else { return self }
        let count = count % routes.count
        return ServerRoutes(secrets, routes: Array(routes[count...] + routes[..<count]))
    }
}

/// Returns this device's identity and its routes to a server. Throws if the device's key can't be used.
/// `patience` is the time that somebody waits for the connection, or nil if nobody waits. It limits the
/// timeout of each route.
package typealias ServerRoutesProvider =
    (ServerAddress, _ patience: Duration?) throws(LocalFailure) -> ServerRoutes

extension SyncDriver {
    /// Makes a driver that connects this device to a server. Records in the device's store which key the
    /// device uses.
    ///
    /// - Parameter patience: The time that somebody waits for the connection; nil if nobody waits.
    package convenience init(
        of device: Device, _ purpose: Purpose, to server: ServerAddress, by makeRoutes: ServerRoutesProvider,
        within patience: Duration?, pace: KeyRotation.Pace, time: any Scheduler, observer: any SyncObserver
    ) throws(LocalFailure) {
        let found = try makeRoutes(server, patience)
        let clock = try LocalFailure.converting { () throws(StoreError) in
            try device.record(found.secrets)
            return try device.clock().estimateWithWall
        }
        do throws(StoreError) {
            try self.init(
                purpose, by: found.routes, secrets: found.secrets, pace: pace, store: device.store,
                clock: clock, time: time, observer: observer)
        } catch {
            throw LocalFailure(error)
        }
    }
}
