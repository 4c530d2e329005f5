import FocusAgent
import FocusCore
import FocusDevice
import FocusLink
import FocusSeal
import FocusStore
import FocusSync
import SQLiteKit
import TestSupport

/// A laptop: its disk and clocks, its programs, and its connections to servers.
final class Laptop {
    let index: Int
    let name: String
    /// The index of the group that it belongs to, or belonged to last.
    var group: Int
    /// Its private key, and the hash of the public one, which identifies the device.
    private(set) var identity: AgreementKey
    private(set) var key: Digest
    /// Whether it has shown its key to a server.
    private var hasShownKey = false
    /// The disk of the machine, which a browser doesn't use.
    private let machineDisk: VirtualDisk
    /// The browser that takes the place of its programs; nil if it has programs.
    private(set) var browser: SimulatedBrowser?
    let clock: SimulatedClock
    private let platform: Platform
    unowned let world: World
    let source: SourceID
    var random: SeededGenerator
    private let replicas: ReplicaSource
    var delays: LinkDelays
    var network = NetworkState()
    private(set) var links = LaptopLinks()
    /// The index of the server that it was last connected to.
    private var lastServer: Int?
    /// The number of times that it was started or stopped.
    private(set) var life = 0
    private(set) var isUp = false
    private(set) var isAsleep = false
    private var waitingForWake: [() -> Void] = []
    /// The log, as commands open it.
    private(set) var device: Device?
    private(set) var agent: Agent?
    /// Whether a poke is on its way to the agent.
    var isPoked = false
    /// The alarms that its programs have set.
    var alarms = PendingAlarms()
    /// The commands that are connected to the server, by number.
    var operations: [Int: OperationRunner] = [:]
    private var operationCount = 0
    /// The choices for the solo history, by number, of operations that may have let the laptop into a group.
    var joins: [Int: SoloHistory.Choice] = [:]
    /// The reason why the last group operation's connection ended; nil if the operation succeeded.
    var lastOperationEnd: SyncEnd?
    /// The instant at which the last group operation succeeded.
    var syncedAt: Int64 = 0
    /// The number of events that were re-authored since the agent was started.
    var reauthored = 0
    /// Saved copies of the disk, each with its time and the laptop's group then.
    var backups: [(time: Int64, group: Int, image: DiskImage)] = []
    var historyCheck = LogHistoryCheck()
    var damage = DamageReportCheck()
    /// Whether the laptop's key counts as revoked, even if only the server says so.
    var isRevoked: Bool { world.isRevoked(key) }
    /// Whether a laptop or the operator revoked its key. That lasts even if the server loses it.
    var wasRevoked: Bool { world.revokedKeys.contains(key) }
    /// Whether it was given a wrong key in place of its group's.
    var hasWrongKey = false
    /// The protocol versions that its program says it speaks; nil if they are the real ones.
    var versions: [UInt16]?
    /// Whether the server refused to let it bring its group, because the group is there already.
    var isBringRefused = false
    /// Whether events were re-authored, under other names.
    var hasReauthored = false
    /// The records that somebody saw on the screen, and the number of corrections before they look again.
    var seenRecords: (records: [PhaseRecord], corrections: Int)?
    /// Whether its disk was replaced by an old copy, or by a copy of another laptop's.
    var hasLostPresses = false
    /// The last seqs of its log when the agent's followers were last told to look.
    var notifiedSeqs: [ReplicaID: UInt64] = [:]
    /// The last seqs of a log with events that the followers weren't told of, and the instant since when.
    var unnotified: (since: Int64, lastSeqs: [ReplicaID: UInt64])?
    /// The situations in which welcomes arrived, by connection.
    var arrivals: [UInt64: Arrival] = [:]
    /// The connections on which the laptop was seen to note its offline work.
    var notedLinks: Set<UInt64> = []
    /// The connection on which bytes are arriving.
    var receiving: UInt64?
    /// The connections with returns that aren't checked, because it joins a group (`recordEnrolment`).
    var joiningLinks: Set<UInt64> = []
    /// Whether the laptop has looked for side runs of its own since the present bytes arrived.
    var hasCheckedSideRuns = false
    /// The notes of offline work that no return has used yet.
    var notes: [NaiveNote] = []
    /// Whether it may have a note besides `notes`: of a session from before joining, or of another disk.
    var mayHaveOtherNote = false
    /// The reports of its own deeds that the laptop must make next; nil if they aren't known.
    var expectedReports: [String]? = []
    /// The stamps of undos that the laptop wrote by itself on returning and no server has yet.
    var returnUndos: Set<Stamp> = []
    /// The `start` with which it continued a work phase by itself, as it was known before the present bytes
    /// arrived; nil if there is none.
    var continuation: EventID?
    var sleeps = UndecidedSleeps()
    /// When its disk was last full, by the world's clock.
    var fullAt: Int64 = -1
    /// The key with which it is leaving its group; nil unless it is leaving.
    var leavingKey: Digest?
    /// Its membership at the last look.
    var membership = LaptopMembership.unknown
    /// The copies of logs on its disk at the last look.
    var knownCopies: Set<String> = []
    /// The outage that begins when its disk stops in the middle of its writes.
    var outage = MachineOutage()

    /// The folders of the log and the settings.
    static let home = Home(folder: "/focus")

    init(
        _ world: World, index: Int, group: Int, identity: AgreementKey, clock: SimulatedClock,
        delays: LinkDelays, seed: UInt64
    ) throws {
        self.world = world
        self.index = index
        self.group = group
        self.identity = identity
        key = try identity.publicKey.hash()
        world.identities[key] = identity
        self.clock = clock
        self.delays = delays
        let isBrowser = world.plan.browsers.contains(index)
        name = isBrowser ? "browser\(index)" : "laptop\(index)"
        platform = .simulated(clock.machineClocks, name: name, seed: ~seed)
        machineDisk = VirtualDisk(canLosePower: world.plan.losesPower(ofLaptop: index))
        source = world.source()
        random = SeededGenerator(seed: seed)
        replicas = ReplicaSource(seed: random.next())
        if isBrowser { browser = SimulatedBrowser(of: self, seed: seed ^ 0xB205) }
    }

    /// The disk with its log.
    var disk: VirtualDisk { browser?.disk ?? machineDisk }

    /// Whether its programs run.
    var isAwake: Bool { isUp && !isAsleep }

    /// The reason why its last connection ended; nil if nothing was wrong.
    var lastEnd: SyncEnd? { isAgentUnwanted ? lastOperationEnd : agent?.connection.lastEnd }

    /// Whether the server knows the laptop, as far as the laptop can tell.
    var isConnected: Bool {
        isAgentUnwanted
            ? !isOutside && lastOperationEnd == nil && syncedAt > 0 : agent?.connection.isConnected == true
    }

    /// Starts the machine and its agent.
    func start() {
        guard !isUp else { return }
        do {
            disk.start()
            isUp = true
            life += 1
            if let browser { browser.start() } else { device = try openLog() }
            try loadKey()
            forget()
            trace("starts")
            updateMembership()
            startIfNone()
        } catch {
            // On a full disk nothing can be opened.
            trace("can't start: \(error)")
            halt()
            after(.seconds(5), evenIfDown: true) { [self] in start() }
        }
    }

    /// Starts the agent, unless one runs.
    func startAgent() {
        guard agent == nil else { return }
        do {
            let agent = try makeAgent()
            self.agent = agent
            reauthored = 0
            try agent.start()
        } catch {
            trace("the agent can't start: \(error)")
            agent = nil
        }
    }

    /// Forgets the agent, which has ended.
    func agentEnded() {
        trace("the agent has ended")
        agent = nil
    }

    func nextOperation() -> Int {
        operationCount += 1
        return operationCount
    }

    /// Opens the log, as each process does.
    func openLog() throws -> Device {
        let store = try DeviceStore(path: Laptop.home.database, on: .virtual(disk)) { [unowned self] in
            let replica = replicas.next()
            world.ledger.record(replica, of: group)
            return replica
        }
        // Logs are short in a simulated world.
        store.replaySlice = 256
        return Device(Laptop.home, store, platform)
    }

    /// Ends all programs at once.
    ///
    /// - Parameter losingPower: Whether unsynced data may be lost and connections end silently.
    func stop(losingPower: Bool) {
        guard isUp else { return }
        trace(losingPower ? "loses power" : "is killed")
        if losingPower || !disk.hasPower {
            // An unfinished write may or may not be on the disk.
            if !sleeps.isEmpty || sleeps.fellAsleep != nil { sleeps.markUnknown("stopped in the middle") }
        } else if !sleeps.unnoticed.isEmpty {
            sleeps.markUnknown("stopped on waking")
        }
        sleeps.fellAsleep = nil
        if losingPower {
            disk.losePower(using: &random)
            clock.restart()
        } else {
            disk.stopPrograms()
        }
        halt(silently: losingPower)
    }

    private func halt(silently: Bool = true) {
        disk.stopPrograms()
        life += 1
        isUp = false
        if isAsleep { clock.resume() }
        isAsleep = false
        waitingForWake = []
        processNotices()
        for link in links.inOrder { link.laptopStopped(silently: silently) }
        if !network.passesFromLaptop { links.keepEstablished() }
        endPrograms()
    }

    /// Releases its programs after the world has ended.
    func releaseReferences() {
        for link in links.inOrder + links.removeHeldUp() { link.releaseReferences() }
        endPrograms()
        waitingForWake = []
    }

    /// Releases the programs, because programs, connections and alarms hold each other.
    private func endPrograms() {
        browser?.end()
        for link in links.end() { link.releaseReferences() }
        alarms.cancel()
        agent = nil
        arrivals = [:]
        notedLinks = []
        expectedReports = []
        isPoked = false
        operations = [:]
        device = nil
    }

    /// Reads the laptop's key from the log, which stands for the identity file. The key changes if another
    /// disk is put in.
    private func loadKey() throws {
        guard let kept = try device?.store.deviceKey(), let identity = world.identities[kept] else {
            return
        }
        self.identity = identity
        key = try identity.publicKey.hash()
        hasShownKey = true
    }

    /// Uses the log and the agent of the device in its browser; nil if that can't be used.
    func use(_ device: Device?, _ agent: Agent?) { (self.device, self.agent) = (device, agent) }

    /// Records the key of the device in its browser, which the device shows on its next connection.
    func use(_ identity: AgreementKey) {
        guard let hash = try? identity.publicKey.hash(), hash != key else { return }
        (self.identity, key) = (identity, hash)
        world.identities[hash] = identity
    }

    /// Ensures that there is a key to show. Makes a new key if the former one was discarded after a server
    /// had seen it.
    func ensureKey() throws {
        try loadKey()
        if hasShownKey, try device?.store.deviceKey() == nil {
            identity = try world.identity()
            key = try identity.publicKey.hash()
            world.identities[key] = identity
            trace("has another key")
        }
        hasShownKey = true
    }

    /// Puts another disk in.
    func replaceDisk(with image: DiskImage) {
        disk.replace(with: image)
        forgetDisk()
    }

    /// Forgets what was known of its former disk.
    func forgetDisk() {
        forget()
        notes = []
        mayHaveOtherNote = true
        returnUndos = []
        sleeps.markUnknown("another disk")
        membership = .unknown
    }

    /// Reboots the machine, which restarts its clocks.
    func reboot() {
        stop(losingPower: false)
        clock.restart()
        start()
    }

    func suspend() {
        guard isAwake else { return }
        isAsleep = true
        clock.suspend()
        if let browser { browser.freeze() } else { recordSuspension() }
        trace("sleeps")
    }

    func wake() {
        guard isUp, isAsleep else { return }
        isAsleep = false
        clock.resume()
        trace("wakes")
        if let browser { browser.thaw() } else { recordWaking() }
        let waiting = waitingForWake
        waitingForWake = []
        for body in waiting { body() }
        for link in links.inOrder { link.pump() }
    }

    /// Runs the body at once, or when the machine wakes. A stop of the machine drops the body.
    func whenAwake(_ body: @escaping () -> Void) {
        if isAsleep { waitingForWake.append(body) } else { body() }
    }

    /// Runs the body after `delay` microseconds, or on waking after that; never if the machine stops before.
    func after(_ delay: Int64, evenIfDown: Bool = false, _ body: @escaping () -> Void) {
        let life = life
        world.schedule(at: world.now + max(0, delay), by: source) { [weak self] in
            guard let self, self.life == life, isUp || evenIfDown else { return }
            whenAwake(body)
            world.restartIfStopped(self)
        }
    }

    func trace(_ what: @autoclosure () -> String) { world.trace(name, what()) }

    func connected(_ link: Link) {
        links.connected(link)
        if let last = lastServer, last != link.server.index {
            world.database?.reach("a laptop went to another server")
        }
        lastServer = link.server.index
    }

    func disconnected(_ link: Link) { links.disconnected(link, isHeldUp: !network.passesFromLaptop) }

    /// Returns routes to these addresses. If there are several servers, an address has routes to all in
    /// random order, as a name with several addresses has.
    func routes(to address: ServerAddress) -> [Route] {
        address.parsed.flatMap { parsed in
            world.servers.shuffled(using: &random).map { server -> Route in
                { [unowned self] driver in connect(to: server, at: parsed, address.pin, for: driver) }
            }
        }
    }

    /// Begins to connect to a server at this address. `pin` has the keys that are accepted; nil for any.
    func connect(
        to server: ServerMachine, at address: Address, _ pin: ServerPin?, for client: any LinkClient
    ) -> Link {
        let seed = world.seed(index, links.next())
        let link = Link(self, server, at: address, pin, for: client, in: world, seed: seed)
        links.add(link)
        return link
    }

    /// Resumes held-up connections after the network has changed.
    func networkChanged() {
        for link in links.removeHeldUp() { link.pump() }
        for link in links.inOrder { link.pump() }
    }
}
