package import FocusCore
package import FocusDevice
package import FocusLink
import FocusSeal
import FocusStore
package import FocusSync
import Testing

/// A group's server as a test plays it: a connection to it is a link, on which the test says what comes.
package final class StagedServer {
    /// The group that it has.
    package static let group = GroupID(high: 1, low: 2)
    /// The key of that group's first epoch.
    package static let epochKey = Array(0..<32 as Range<UInt8>)
    private let key = Digest(InlineArray(repeating: 3))
    private let time: VirtualTime
    /// The links that were begun, the last one last.
    package private(set) var links: [StagedLink] = []
    /// What it has, by what it was asked to say in its welcome.
    package var vector = VersionVector()
    /// Who is in the group besides, and when each was there.
    package var presence: [Presence] = []

    /// A server that has nothing, by this time.
    package init(_ time: VirtualTime) { self.time = time }

    /// The link that was begun last.
    package var link: StagedLink {
        get throws { try #require(links.last) }
    }

    /// A way to it.
    package var route: SyncRoute {
        { [unowned self] driver in
            let link = StagedLink(driver, key, time)
            links.append(link)
            return link
        }
    }

    /// How many ways there are to it, and which ones agents took.
    package var ways = 1
    package private(set) var tried: [Int] = []

    /// How an agent gets to it.
    package var approaching: Approaching {
        { [unowned self] _, _ in
            let own = try AgreementKey(number: SecretBytes(Array(repeating: 1, count: 32)))
            let routes = (0..<ways).map { way -> SyncRoute in
                { [unowned self] driver in
                    tried.append(way)
                    return route(driver)
                }
            }
            return Approach(try DeviceSecrets(own), routes: routes)
        }
    }

    /// Lets a laptop into the group, and has it know this server.
    package func admit(_ device: Device) throws {
        let epoch = try EpochKey(SecretBytes(StagedServer.epochKey)).epoch
        try device.store.enter(
            StagedServer.group, StoredEpoch(id: epoch, key: StagedServer.epochKey, predecessor: nil))
        try device.store.setText("server.example", for: .servers)
        try device.store.setServerPin(ServerPin(key))
    }

    /// Opens the last link, and welcomes whoever is there.
    ///
    /// - Parameter wall: what its clock shows.
    package func welcome(at wall: SharedInstant) throws {
        try greet(at: wall)
        try link.say(
            .welcome(
                Welcome(
                    group: StagedServer.group, vector: vector, latest: .zero, roster: [], epochs: [],
                    presence: presence, nextServerKey: nil)))
    }

    /// Opens the last link, and greets whoever is there.
    package func greet(at wall: SharedInstant) throws {
        let link = try link
        link.open()
        let now = SharedReading(wall)
        let served = ClockAnswer.Served(received: now, sent: now)
        link.say(
            .greeting(
                Greeting(
                    versions: [.one], chosen: .one,
                    clock: ClockAnswer(asked: time.now(), served: served), program: "a test")))
    }

    /// Stores all that the device has, and says so.
    package func acknowledge(_ device: Device) throws {
        let vector = try #require(try SealedLog(device.store)).vector()
        for replica in try device.store.ownReplicas() {
            try link.say(.ack(Ack(replica: replica, head: vector[replica], stop: nil)))
        }
        self.vector = VersionVector(self.vector.heads.merging(vector.heads) { $1 })
    }
}
