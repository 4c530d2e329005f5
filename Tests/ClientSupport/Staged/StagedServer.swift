package import FocusCore
package import FocusDevice
package import FocusLink
import FocusSeal
import FocusStore
package import FocusSync
import Testing

/// A group's server that a test plays. Each connection to it is a `StagedLink`, on which the test sends
/// messages.
package final class StagedServer {
    /// The server's group.
    package static let group = GroupID(high: 1, low: 2)
    /// The key of the group's first epoch.
    package static let epochKey = Array(0..<32 as Range<UInt8>)
    private let key = Digest(InlineArray(repeating: 3))
    private let time: VirtualTime
    /// All links, in the order in which they were opened.
    package private(set) var links: [StagedLink] = []
    /// The version vector for the next welcome.
    package var vector = VersionVector()
    /// The presence of other members, for the next welcome.
    package var presence: [Presence] = []

    /// A server without events that uses the clock `time`.
    package init(_ time: VirtualTime) { self.time = time }

    /// The link that was opened last.
    package var link: StagedLink {
        get throws { try #require(links.last) }
    }

    /// A route to the server.
    package var route: Route {
        { [unowned self] driver in
            let link = StagedLink(driver, key, time)
            links.append(link)
            return link
        }
    }

    /// The number of routes to the server.
    package var ways = 1
    /// The indices of the routes that an agent has tried, in order.
    package private(set) var tried: [Int] = []

    /// The routes and secrets with which an agent connects.
    package var routes: ServerRoutesProvider {
        { [unowned self] (_, _) throws(LocalFailure) in
            let secrets = try LocalFailure.wrapping {
                let own = try AgreementKey(number: SecretBytes(Array(repeating: 1, count: 32)))
                return try DeviceSecrets(own, random: Platform.process.random)
            }
            let routes = (0..<ways).map { way -> Route in
                { [unowned self] driver in
                    tried.append(way)
                    return route(driver)
                }
            }
            return ServerRoutes(secrets, routes: routes)
        }
    }

    /// Puts a device into the group and makes it know this server.
    package func admit(_ device: Device) throws {
        let epoch = try EpochKey(SecretBytes(StagedServer.epochKey)).epoch
        try device.store.enter(
            StagedServer.group, StoredEpoch(id: epoch, key: StagedServer.epochKey, predecessor: nil))
        try device.store.setText("server.example", for: .servers)
        try device.store.setServerPin(ServerPin(key))
    }

    /// Opens the last link, and sends a greeting and a welcome.
    ///
    /// - Parameter wall: The time on the server's clock; nil if the server isn't sure of it.
    package func welcome(at wall: SharedInstant?) throws {
        try greet(at: wall)
        try link.sendToLaptop(
            .welcome(
                Welcome(
                    group: StagedServer.group, vector: vector, latest: .zero, roster: [], epochs: [],
                    presence: presence, nextServerKey: nil)))
    }

    /// Opens the last link and sends a greeting. `wall` is as in `welcome`.
    package func greet(at wall: SharedInstant?) throws {
        let link = try link
        link.open()
        let served = wall.map { wall in
            ClockAnswer.Served(received: SharedReading(wall), sent: SharedReading(wall))
        }
        link.sendToLaptop(
            .greeting(
                Greeting(
                    versions: [.one], chosen: .one,
                    clock: ClockAnswer(asked: time.now(), served: served), program: "a test")))
    }

    /// Acknowledges all events that the device has written.
    package func acknowledge(_ device: Device) throws {
        let vector = try #require(try SealedLog(device.store)).vector()
        for replica in try device.store.ownReplicas() {
            try link.sendToLaptop(.ack(Ack(replica: replica, head: vector[replica], stop: nil)))
        }
        self.vector = VersionVector(self.vector.heads.merging(vector.heads) { $1 })
    }
}
