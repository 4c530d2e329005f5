package import FocusCore
import FocusStore

/// How a device gets to a server: who it is there, and by which ways.
package struct Approach {
    /// The hash of the device's public key, which it shows on every way.
    package let deviceKey: Digest
    /// The ways, the best first.
    package let routes: [SyncRoute]

    package init(deviceKey: Digest, routes: [SyncRoute]) {
        self.deviceKey = deviceKey
        self.routes = routes
    }
}

/// Finds out how this device gets to a server. Throws where the device's key can't be used.
package typealias Approaching = (ServerAddress) throws -> Approach

extension SyncDriver {
    /// A connection of this device to a server; it takes note of who the device is there.
    convenience init(
        of device: Device, _ purpose: Purpose, to server: ServerAddress, by approaching: Approaching,
        time: any Timekeeper, observer: any SyncObserver
    ) throws {
        let approach = try approaching(server)
        try device.note(key: approach.deviceKey)
        try self.init(
            purpose, by: approach.routes, store: device.store, clock: try device.clock().estimate, time: time,
            observer: observer)
    }
}
