import FocusCore
import FocusSeal
import FocusStore
import FocusSync
import Testing

@testable import FocusDevice
@testable import FocusLink

/// A group's server as a test plays it: a connection to it is a link, on which the test says what comes.
final class StagedServer {
    static let group = GroupID(high: 1, low: 2)
    static let epochKey = Array(0..<32 as Range<UInt8>)
    private let key = Digest(InlineArray(repeating: 3))
    private let time: VirtualTime
    /// The links that were begun, the last one last.
    private(set) var links: [StagedLink] = []
    /// What it has, by what it was asked to say in its welcome.
    var vector = VersionVector()
    /// Who is in the group besides, and when each was there.
    var presence: [Presence] = []

    init(_ time: VirtualTime) { self.time = time }

    /// The link that was begun last.
    var link: StagedLink {
        get throws { try #require(links.last) }
    }

    /// A way to it.
    var route: SyncRoute {
        { [unowned self] driver in
            let link = StagedLink(driver, key, time)
            links.append(link)
            return link
        }
    }

    /// How an agent gets to it.
    var approaching: Approaching {
        { [unowned self] _ in
            let own = try AgreementKey(number: SecretBytes(Array(repeating: 1, count: 32)))
            return Approach(try DeviceSecrets(own), routes: [route])
        }
    }

    /// Lets a laptop into the group, and has it know this server.
    func admit(_ device: Device) throws {
        let epoch = try EpochKey(SecretBytes(StagedServer.epochKey)).epoch
        try device.store.enter(
            StagedServer.group, StoredEpoch(id: epoch, key: StagedServer.epochKey, predecessor: nil))
        try device.store.setText("server.example", for: .servers)
        try device.store.setServerPin(ServerPin(key))
    }

    /// Opens the last link, and welcomes whoever is there.
    ///
    /// - Parameter wall: what its clock shows, in milliseconds since the Unix epoch.
    func welcome(at wall: Int64) throws {
        let link = try link
        link.open()
        let now = SharedInstant(milliseconds: wall)
        let served = ClockAnswer.Served(received: now, sent: now)
        link.say(
            .greeting(
                Greeting(
                    versions: [.one], chosen: .one,
                    clock: ClockAnswer(asked: time.now(), served: served), program: "a test")))
        link.say(
            .welcome(
                Welcome(
                    group: StagedServer.group, vector: vector, latest: .zero, roster: [], epochs: [],
                    presence: presence, nextServerKey: nil)))
    }

    /// Stores all that the device has, and says so.
    func acknowledge(_ device: Device) throws {
        let vector = try #require(try SealedLog(device.store)).vector()
        for replica in try device.store.ownReplicas() {
            try link.say(.ack(Ack(replica: replica, head: vector[replica], stop: nil)))
        }
        self.vector = VersionVector(self.vector.heads.merging(vector.heads) { $1 })
    }
}

/// One connection to a `StagedServer`, of which a test plays the other end.
final class StagedLink: SyncTransport {
    private weak var driver: SyncDriver?
    private let key: Digest
    private let time: VirtualTime
    /// When it was begun.
    let begun: SteadyInstant
    /// What came from the laptop.
    private(set) var said: [Message] = []
    private(set) var isOver = false
    /// Whether the laptop has ended it.
    private(set) var isGivenUp = false
    /// Whether the server doesn't take it that it is given up.
    var isDeaf = false
    private var decoder = FrameDecoder()
    var unsentBytes = 0

    init(_ driver: SyncDriver, _ key: Digest, _ time: VirtualTime) {
        self.driver = driver
        self.key = key
        self.time = time
        begun = time.now()
    }

    func send(_ bytes: [UInt8]) {
        decoder.append(bytes[...])
        while let frame = try? decoder.next(), let message = try? Message(frame) { said.append(message) }
    }

    func close() { giveUp(.closed) }
    func abort() { giveUp(.broken("given up")) }

    /// The laptop is told of the end later, as by a real connection.
    private func giveUp(_ end: TransportEnd) {
        guard !isGivenUp else { return }
        isGivenUp = true
        if isDeaf { return }
        _ = time.schedule(after: .zero) { [self] in over(end) }
    }

    /// It is there, and the server has shown its key.
    func open() { driver?.opened(byServer: key) }

    func say(_ messages: Message...) { come(messages.flatMap { $0.encoded() }) }

    /// These bytes come from the server.
    func come(_ bytes: [UInt8]) { if !isOver { driver?.received(bytes) } }

    /// It is over.
    func over(_ end: TransportEnd) {
        guard !isOver else { return }
        isOver = true
        driver?.closed(end)
    }
}

/// Another laptop of a `StagedServer`'s group.
struct StagedLaptop {
    static let replica = ReplicaID(rawValue: 0xB)
    private let home = TemporaryHome()
    private let device: Device
    private let log: SealedLog

    init(_ server: StagedServer) throws {
        device = try Device(TestContext(home: home.path, firstReplica: StagedLaptop.replica.rawValue).machine)
        try server.admit(device)
        log = try #require(try SealedLog(device.store))
    }

    /// Presses something, and gives what the server sends of that.
    ///
    /// - Parameter instant: in milliseconds since the Unix epoch.
    func press(_ actions: Action..., at instant: Int64) throws -> Segment { try press(actions, at: instant) }

    /// As `press(_:at:)`.
    func press(_ actions: [Action], at instant: Int64) throws -> Segment {
        let before = try log.vector()[StagedLaptop.replica].seq
        _ = try device.store.author(now: instant) { authoring in
            for action in actions { try authoring.write(action) }
        }
        // What is sent is chained.
        _ = try log.vector()
        return try #require(try log.segment(of: StagedLaptop.replica, from: before + 1, bytes: 1 << 20))
    }

    /// What the server has of it then.
    var heads: VersionVector { get throws { try log.vector() } }
}
