import FocusAgent
import FocusContact
import FocusCore
import FocusDevice
import FocusLink
import FocusPage
import FocusSeal
import FocusStore
import FocusSync
import FocusText
import FocusWeb
import MemoryBrowser
import SQLiteKit
import TestSupport

/// A browser in the place of a laptop's programs: the page's database, a WebSocket and a `BrowserDevice`.
///
/// Each set of changes is stored some time after the device asks for it. A browser that is killed meanwhile
/// has stored it or not. Nothing calls the device while the laptop sleeps, as in a frozen page.
final class SimulatedBrowser {
    unowned let laptop: Laptop
    private var dice: SeededGenerator
    private var database = BrowserDatabase()
    private var device: BrowserDevice?
    /// Passes the agent's reports on. The agent doesn't keep it alive.
    private var relay: AgentRelay?
    private var link: Link?
    /// The key of the server on the last connection.
    private var serverKey: Digest?
    /// The changes that are being stored; nil if none are.
    private var unstored: (number: UInt64, records: [UInt8])?
    /// Whether there is no room for changes.
    private var isFull = false
    /// Whether storing has failed since the page was opened. From then on the device only reads.
    private var hasFailed = false
    /// The number of sets of changes until the page is killed, and the time that it stays closed; nil if no
    /// kill is planned.
    private var plannedKill: (afterStores: Int, downtime: Int64)?
    /// The requests that have no answer yet, by number.
    private var requests: [Int32: Request] = [:]
    private var requestCount: Int32 = 0
    /// The number of the last alarm. Earlier ones don't count.
    private var alarm = 0
    /// The time for which the steady clock stood still since the page was opened, in microseconds.
    private var standstill: Int64 = 0
    /// When the page was frozen, by the machine's clock; nil if it isn't.
    private var frozenAt: Int64?

    /// The longest time that storing a set of changes takes, in microseconds.
    static let longestStoring: Int64 = 500_000

    private struct Request {
        /// The number of the group operation that it asks for; nil for a press.
        let operation: Int?
        let didAnswer: (PageAnswer) -> Void
    }

    /// A browser without data.
    init(of laptop: Laptop, seed: UInt64) {
        self.laptop = laptop
        dice = SeededGenerator(seed: seed)
    }

    /// The disk with the device's log; nil if the device can't be used.
    var disk: VirtualDisk? { device?.parts?.disk }

    /// Whether everything that the device has written is stored.
    var isStored: Bool { device?.parts?.isStored ?? true }

    /// Whether all awaited changes are stored.
    var isDurable: Bool { device?.parts?.isDurable ?? true }

    /// Whether a failure to store explains that a press isn't done.
    var mayRefuse: Bool { isFull || hasFailed }

    /// The number of requests that have no answer yet.
    var requestsUnderWay: Int { requests.count }

    /// Whether this group operation has no answer yet.
    func runs(operation: Int) -> Bool { requests.values.contains { $0.operation == operation } }

    // MARK: - The page

    /// Opens the page.
    func start() {
        standstill = 0
        hasFailed = false
        let device = BrowserDevice(in: self) { [unowned self] (_, pin) throws(SealError) in
            guard let key = serverKey, pin.keys.contains(key) else { return PlainChannel(.otherServer) }
            return PlainChannel(.open(server: key))
        }
        self.device = device
        for record in database.encoded { device.stored(record) }
        let configuration = JSON.object([
            JSON.Member("origin", .string("https://\(ServerMachine.host)")),
            JSON.Member("host", .string(laptop.name)),
        ])
        let result = device.begin(Array("\(configuration)".utf8), at: time)
        laptop.world.require(result == .running, "what a browser has stored can be used") { laptop.name }
        // The device itself checks the whole database only after it has shown a state. Here nobody sees one.
        if let store = device.parts?.device.store {
            let problems = (try? store.integrityProblems()) ?? ["it can't be read"]
            laptop.world.require(problems.isEmpty, "what a browser has stored can be used") {
                "\(laptop.name): \(problems)"
            }
        }
        refresh()
        // A page shows its log when it is opened.
        laptop.changed(.log)
    }

    /// Ends the page at once. Changes that were being stored are stored or not.
    func end() {
        guard let device else { return }
        if !isStored { loseChanges() }
        (self.device, relay, link) = (nil, nil, nil)
        if let unstored, Bool.random(using: &dice) { database.apply(unstored.records) }
        (unstored, plannedKill, frozenAt) = (nil, nil, nil)
        requests = [:]
        // The device releases everything that it holds. Its requests aren't carried out any more.
        device.failed(.otherOwner, at: time)
    }

    /// Records that the device may lose a note of offline work that the world has seen.
    private func loseChanges() { laptop.mayHaveOtherNote = true }

    /// Freezes the page.
    func freeze() { frozenAt = laptop.clock.sinceBoot() }

    /// Shows the page again. In half of the cases, the steady clock stood still meanwhile.
    func thaw() {
        if let frozenAt, Bool.random(using: &dice) { standstill += laptop.clock.sinceBoot() - frozenAt }
        frozenAt = nil
        call { $0.resumed(at: $1) }
    }

    /// Kills the page after `count` more sets of changes, and opens it again after `downtime` microseconds.
    func kill(afterStores count: Int, for downtime: Int64) { plannedKill = (count, downtime) }

    /// Takes all room from the page's data.
    func fill() { isFull = true }

    /// Ends all failures. If a failure has made the device one that only reads, the page is closed.
    func mend() {
        isFull = false
        plannedKill = nil
        if hasFailed { laptop.stop(losingPower: false) }
    }

    /// Deletes the page's data. The page has to be closed.
    func wipe() { database = BrowserDatabase() }

    private var time: BrowserTime {
        let clock = laptop.clock
        return BrowserTime(
            wall: clock.shared, steady: SteadyInstant(microseconds: clock.sinceBoot() - standstill))
    }

    /// Calls the device, unless the page is closed or frozen.
    private func call(_ body: (BrowserDevice, BrowserTime) -> Void) {
        guard let device, laptop.isAwake else { return }
        body(device, time)
        refresh()
    }

    /// Lets the device do what is due.
    func runDue() { call { $0.woke(at: $1) } }

    /// Notices another device in the place of a former one.
    private func refresh() {
        let parts = device?.parts
        guard parts?.agent !== laptop.agent || parts?.device !== laptop.device else { return }
        laptop.use(parts?.device, parts?.agent)
        relay = parts.map { AgentRelay($0.agent, to: laptop) }
    }

    /// Sends a page's request to the device.
    ///
    /// - Parameters:
    ///   - operation: The number of the group operation that it asks for; nil for a press.
    ///   - didAnswer: Called with the answer, unless the page is closed before. It must not call the device.
    func request(
        _ path: String, _ members: [JSON.Member], operation: Int? = nil,
        didAnswer: @escaping (PageAnswer) -> Void
    ) {
        guard device != nil, laptop.isAwake else { return }
        requestCount += 1
        let id = requestCount
        requests[id] = Request(operation: operation, didAnswer: didAnswer)
        let request = JSON.object([
            JSON.Member("method", .string("POST")), JSON.Member("path", .string(path)),
            JSON.Member("body", .string("\(JSON.object(members))")),
        ])
        call { $0.request(id, Array("\(request)".utf8), at: $1) }
    }
}

// MARK: - Calls of the device

extension SimulatedBrowser: WebBrowser {
    func ask(_ request: BrowserSocket.Request) {
        guard device != nil else { return }
        switch request {
        case .connect: connect()
        case .send(let bytes): link?.send(bytes)
        case .disconnect: disconnect()
        }
    }

    private func connect() {
        disconnect()
        // The device shows the key that is stored.
        let pair = device?.parts?.encodedKey.flatMap { DeviceKeyPair(encoded: $0) }
        if let pair { laptop.use(pair.key) }
        guard let address = Address(ServerMachine.host),
            let server = laptop.world.servers.randomElement(using: &dice)
        else { return }
        link = laptop.connect(to: server, at: address, nil, for: self)
    }

    private func disconnect() {
        let former = link
        link = nil
        former?.close()
    }

    func store(_ records: [UInt8], number: UInt64) {
        guard device != nil else { return }
        unstored = (number, records)
        let longest = Int.random(in: 0..<20, using: &dice) == 0 ? SimulatedBrowser.longestStoring : 20_000
        laptop.after(.random(in: 200...longest, using: &dice)) { [self] in finishStoring(number) }
        guard let planned = plannedKill else { return }
        plannedKill?.afterStores -= 1
        guard planned.afterStores <= 1 else { return }
        laptop.after(0) { [laptop] in
            laptop.stop(losingPower: false)
            laptop.after(planned.downtime, evenIfDown: true) { laptop.start() }
        }
    }

    private func finishStoring(_ number: UInt64) {
        guard let changes = unstored, changes.number == number else { return }
        unstored = nil
        guard !isFull else {
            laptop.trace("has no room")
            hasFailed = true
            loseChanges()
            call { $0.failed(.full, at: $1) }
            return laptop.changed(.log)
        }
        database.apply(changes.records)
        call { $0.stored(upTo: number, at: $1) }
        laptop.updateMembership()
    }

    func answer(_ id: Int32, _ answer: PageAnswer) {
        guard device != nil else { return }
        requests.removeValue(forKey: id)?.didAnswer(answer)
    }

    func show(_ state: String, on page: Int32) {}

    func reportUnusable() {
        laptop.world.require(false, "what a browser has stored can be used") { laptop.name }
    }

    func wake(after delay: Duration?) {
        alarm += 1
        guard device != nil, let delay else { return }
        let number = alarm
        laptop.after(max(1_000, delay.inMicroseconds)) { [self] in if number == alarm { runDue() } }
    }

    var zone: Zone { .utc }

    func random(_ count: Int) -> [UInt8] { dice.bytes(count) }

    func log(_ line: String) {}
}

// MARK: - Events of the WebSocket

extension SimulatedBrowser: LinkClient {
    // Only the driver in the device knows these.
    var reachedWelcome: Bool { false }
    var hasSettled: Bool { false }

    func opened(_ transport: any SyncTransport, byServer key: Digest) {
        guard transport === link else { return }
        serverKey = key
        call { $0.opened(at: $1) }
    }

    func received(_ bytes: [UInt8], on transport: any SyncTransport) {
        guard transport === link else { return }
        call { $0.received(bytes, at: $1) }
    }

    func drained() {}

    func closed(_ transport: any SyncTransport, _ transportEnd: TransportEnd) {
        guard transport === link else { return }
        link = nil
        call { $0.closed(at: $1) }
    }
}

/// Passes the reports of an agent in a browser on to its own observer and to the world.
private final class AgentRelay: AgentObserver {
    private weak var own: (any AgentObserver)?
    private unowned let laptop: Laptop

    /// Observes the agent in the place of its own observer.
    init(_ agent: Agent, to laptop: Laptop) {
        own = agent.observer
        self.laptop = laptop
        agent.observer = self
    }

    func log(_ event: AgentEvent) {
        own?.log(event)
        laptop.log(event)
    }

    func noticed(_ notice: SyncNotice) {
        own?.noticed(notice)
        laptop.noticed(notice)
    }

    func changed(_ what: AgentChange) {
        own?.changed(what)
        laptop.changed(what)
    }

    func wrote(_ written: [Event], on occasion: SelfWriteOccasion, at now: SharedInstant) {
        own?.wrote(written, on: occasion, at: now)
        laptop.wrote(written, on: occasion, at: now)
    }

    func ended() {
        own?.ended()
        laptop.ended()
    }
}
