import FocusAgent
import FocusCore
import FocusDevice
import FocusLink
import FocusSeal
import FocusStore
import FocusSync
import SQLiteKit
import TestSupport

/// A laptop: its disk and clocks, the programs that run on it, and how it reaches the server.
final class Laptop {
    let index: Int
    let name: String
    /// Which of the world's groups it belongs to, or belonged to last.
    var group: Int
    /// Its private key, and the hash of the public one: who it is.
    private(set) var identity: AgreementKey
    private(set) var key: Digest
    /// Whether it has shown its key to anybody.
    private var hasShownKey = false
    let disk: VirtualDisk
    let clock: SimulatedClock
    unowned let world: World
    let source: SourceID
    var random: SeededGenerator
    private let replicas: ReplicaSource
    var delays: LinkDelays
    var network = NetworkState()
    private(set) var links = LaptopLinks()
    /// The index of the server that it was last connected to.
    private var lastServer: Int?
    /// How often it was started or stopped.
    private(set) var life = 0
    private(set) var isUp = false
    private(set) var isAsleep = false
    private var asleep: [() -> Void] = []
    /// The log as commands have it open.
    private(set) var hand: Device?
    private(set) var agent: Agent?
    /// Whether the agent is about to be told of a press.
    var isPoked = false
    /// What its programs have set.
    var alarms = SetAlarms()
    /// The commands that go to the server and are under way, by number.
    var errands: [Int: OneShot] = [:]
    /// Who listens to them.
    var watches: [Int: ErrandWatch] = [:]
    private var errandCount = 0
    /// What is to become of what it recorded alone, by the numbers of the errands that let it into a group and may
    /// have done so since it was last seen to be alone.
    var joins: [Int: AloneHistory.Choice] = [:]
    /// How the last of them ended, where that was not as it should be.
    var lastErrandEnd: SyncEnd?
    /// When the last of them had done what it should.
    var syncedAt: Int64 = 0
    /// How often events were written anew since the agent was started.
    var reauthored = 0
    /// Copies of the disk that were put away, each with when and in which group.
    var backups: [(time: Int64, group: Int, image: DiskImage)] = []
    var names = NameBook()
    var damage = DamageBook()
    /// Whether it counts as shut out of its group.
    var isRevoked: Bool { world.isRevoked(key) }
    /// Whether its key was refused by everybody's knowledge: for good, whatever happens to the server.
    var isShutOut: Bool { world.revokedKeys.contains(key) }
    /// Whether it was given another key than its group's.
    var hasWrongKey = false
    /// What its program says that it speaks of the protocol; nil where that is what ours does.
    var versions: [UInt16]?
    /// Whether the server didn't let it bring its group, which is there already.
    var isBarred = false
    /// Whether something was written anew, under other names.
    var hasReauthored = false
    /// The records that somebody saw on its screen, and how many they correct before they look anew.
    var seenRecords: (records: [PhaseRecord], corrections: Int)?
    /// Whether an old copy of its disk was put back, or another's put in.
    var hasLostPresses = false
    /// What its log had when whoever follows the agent was last told to look.
    var told: [ReplicaID: UInt64] = [:]
    /// Since when its log has had something that nobody was told of, and what it had then.
    var untold: (since: Int64, lengths: [ReplicaID: UInt64])?
    /// What it had as welcomes came, by their connections; and those of which it has been seen what was noted.
    var arrivals: [UInt64: Arrival] = [:]
    var noted: Set<UInt64> = []
    /// The connection on which something is coming, and those on which it was let in.
    var receiving: UInt64?
    var joining: Set<UInt64> = []
    /// Whether it has looked, since something began to come, for sessions of its own beside another's.
    var hasLookedBeside = false
    /// What was noted to have been shown and wasn't used yet.
    var notes: [NaiveNote] = []
    /// Whether it may keep a note that isn't among these: of what was going on alone, or one on a disk that was put in.
    var hasOtherNote = false
    /// What it is to say next of what it did by itself; nil where that can't be told.
    var owed: [String]? = []
    /// The stamps of the undos that it wrote by itself on returning, as far as was seen, and that it hasn't sent yet.
    var returnUndos: Set<Stamp> = []
    var sleeps = SleepBook()
    /// When its disk was full last, by the world's clock.
    var fullAt: Int64 = -1
    /// The key with which it was about to part from its group; nil where it isn't, or has.
    var parting: Digest?
    /// Whether it is in a group, as was last seen.
    var belonging = LaptopBelonging.unknown
    /// The copies of logs on its disk, as was last seen.
    var knownCopies: Set<String> = []
    /// What happens once its disk stops.
    var fate = Fate()

    /// Where the log is.
    static let home = Home(folder: "/focus")
    /// What the names of copies of what was recorded alone begin with.
    static let aloneCopies = "\(home.data)/alone-"

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
        name = "laptop\(index)"
        disk = VirtualDisk(canLosePower: world.plan.losesPower(ofLaptop: index))
        source = world.source()
        random = SeededGenerator(seed: seed)
        replicas = ReplicaSource(seed: random.next())
    }

    /// Whether its programs run.
    var isAwake: Bool { isUp && !isAsleep }

    /// How its last connection ended, where that was not as it should be.
    var lastEnd: SyncEnd? { isUnwanted ? lastErrandEnd : agent?.lastEnd }

    /// Whether the server knows it, as far as it can tell.
    var isConnected: Bool {
        isUnwanted ? !isOutside && lastErrandEnd == nil && syncedAt > 0 : agent?.isConnected == true
    }

    /// Starts the machine, and its agent.
    func start() {
        guard !isUp else { return }
        do {
            disk.start()
            isUp = true
            life += 1
            hand = try openLog()
            try noticeKey()
            // What wasn't durable may be gone.
            forget()
            trace("starts")
            noticeBelonging()
            startIfNone()
        } catch {
            // Without room on the disk nothing can be opened.
            trace("can't start: \(error)")
            halt()
            after(.seconds(5), evenIfDown: true) { [self] in start() }
        }
    }

    /// Starts the agent, where none runs.
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

    /// The agent has done what it does last.
    func agentEnded() {
        trace("the agent has ended")
        agent = nil
    }

    func nextErrand() -> Int {
        errandCount += 1
        return errandCount
    }

    /// The log, as another process opens it.
    func openLog() throws -> Device {
        let store = try DeviceStore(path: Laptop.home.database, on: .virtual(disk)) { [unowned self] in
            let replica = replicas.next()
            world.ledger.note(replica, of: group)
            return replica
        }
        // Logs are short here.
        store.replaySlice = 256
        let name = name
        return Device(Laptop.home, store, clocks: clock.machineClocks, hostName: { name })
    }

    /// Ends all programs at once.
    ///
    /// - Parameter losingPower: whether what wasn't synced may be lost, and nobody is told of it.
    func stop(losingPower: Bool) {
        guard isUp else { return }
        trace(losingPower ? "loses power" : "is killed")
        if losingPower || !disk.hasPower {
            // What it was about to write may be there or not.
            if !sleeps.isEmpty || sleeps.fellAsleep != nil { sleeps.lose("stopped in the middle") }
        } else if !sleeps.unlooked.isEmpty {
            sleeps.lose("stopped on waking")
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
        asleep = []
        hearErrands()
        for link in links.inOrder { link.laptopStopped(silently: silently) }
        if !network.up { links.holdUp() }
        endPrograms()
    }

    /// Lets go of its programs: the world has ended.
    func cutLoose() {
        for link in links.inOrder + links.takeHeldUp() { link.cutLoose() }
        endPrograms()
        asleep = []
    }

    /// The programs are gone. They, their connections and their alarms hold each other.
    private func endPrograms() {
        for link in links.end() { link.cutLoose() }
        alarms.cancel()
        agent = nil
        arrivals = [:]
        noted = []
        owed = []
        isPoked = false
        errands = [:]
        watches = [:]
        hand = nil
    }

    /// Has the key that its log says, as the file beside that does: another one where a disk was put in.
    private func noticeKey() throws {
        guard let kept = try hand?.store.deviceKey(), let identity = world.identities[kept] else {
            return
        }
        self.identity = identity
        key = try identity.publicKey.hash()
        hasShownKey = true
    }

    /// Has a key to show: a new one where it has put the one that it showed away.
    func takeKey() throws {
        try noticeKey()
        if hasShownKey, try hand?.store.deviceKey() == nil {
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
        forget()
        notes = []
        hasOtherNote = true
        returnUndos = []
        sleeps.lose("another disk")
        belonging = .unknown
    }

    /// Starts the clocks anew, as a reboot does.
    func reboot() {
        stop(losingPower: false)
        clock.restart()
        start()
    }

    func suspend() {
        guard isAwake else { return }
        isAsleep = true
        clock.suspend()
        noteFallingAsleep()
        trace("sleeps")
    }

    func wake() {
        guard isUp, isAsleep else { return }
        isAsleep = false
        clock.resume()
        trace("wakes")
        noteWaking()
        let waiting = asleep
        asleep = []
        for body in waiting { body() }
        for link in links.inOrder { link.pump() }
    }

    /// Has something done as soon as the machine is awake, in this life of it: at once, unless it sleeps.
    func whenAwake(_ body: @escaping () -> Void) {
        if isAsleep { asleep.append(body) } else { body() }
    }

    /// Has something done once so many microseconds have passed, in this life of the machine, and awake.
    func after(_ delay: Int64, evenIfDown: Bool = false, _ body: @escaping () -> Void) {
        let life = life
        world.schedule(at: world.now + max(0, delay), by: source) { [weak self] in
            guard let self, self.life == life, isUp || evenIfDown else { return }
            whenAwake(body)
            world.look(at: self)
        }
    }

    /// Whether it has been told that this key is shut out of its group.
    func knowsRevoked(_ key: Digest) throws -> Bool {
        guard let store = hand?.store else { return false }
        return try store.state().rulings[key]?.isRevoked
            ?? store.devices().contains { $0.key == key && $0.isRevoked }
    }

    /// Whether nobody of its group knows whose it is.
    var isSleeper: Bool { world.plan.sleepers.contains(index) }

    /// Whether the laptop of this key waits here to be accepted.
    func hasWaiting(_ key: Digest) -> Bool {
        (try? hand?.store.groupKeys()[key] == .late) ?? false
    }

    func trace(_ what: @autoclosure () -> String) { world.trace(name, what()) }

    func connected(_ link: Link) {
        links.connected(link)
        if let last = lastServer, last != link.server.index {
            world.database?.reach("a laptop went to another server")
        }
        lastServer = link.server.index
    }

    func disconnected(_ link: Link) { links.disconnected(link, isHeldUp: !network.up) }

    /// The ways to the server that holds one of these keys; to several as the dice say, as a name has several addresses.
    func routes(to pin: ServerPin) -> [SyncRoute] {
        guard world.servers.count > 1 else { return [route(to: world.servers[0], pin)] }
        return world.servers.shuffled(using: &random).map { route(to: $0, pin) }
    }

    private func route(to server: ServerMachine, _ pin: ServerPin) -> SyncRoute {
        { [unowned self] driver in
            let seed = world.seed(index, links.next())
            let link = Link(self, server, pin, for: driver, in: world, seed: seed)
            links.add(link)
            return link
        }
    }

    /// The network changed: what waited can go on.
    func networkChanged() {
        for link in links.takeHeldUp() { link.pump() }
        for link in links.inOrder { link.pump() }
    }
}

/// The laptop's dice for replicas. They are no part of its disk: a restored or cloned one rolls on.
private final class ReplicaSource {
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    func next() -> ReplicaID { ReplicaID(rawValue: random.next()) }
}
