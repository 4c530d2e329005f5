import FocusCore
import FocusServerCore
import FocusServerStore
import FocusSync
import SQLiteKit
import TestSupport

/// The server, or one of several that share a database: its disk and clock, and `focusd` without its loops
/// and sockets.
final class ServerMachine {
    /// The host name of all servers, which invites have as their address.
    static let host = "server"

    unowned let world: World
    /// Its index among the servers, from 0.
    let index: Int
    /// The database that it shares with others; nil if its store is a file of its own.
    let database: SharedDatabase?
    /// The disk with its store.
    let disk: VirtualDisk
    let clock: SimulatedClock
    /// Its key, and the announced next key, if there is one. They stand for files beside the store.
    var key: Digest
    var nextKey: Digest?
    /// The key that the server shows: the key in its file when it last read the file.
    private(set) var shownKey: Digest
    let source: SourceID
    private var random: SeededGenerator
    /// A number that changes at each start and each end. Work that was scheduled in an earlier life is
    /// dropped.
    private(set) var life = 0
    private(set) var isUp = false
    /// The work to do when it runs again; nil if it isn't frozen.
    var postponed: [() -> Void]?
    /// The instant at which it last resumed after a freeze.
    var thawedAt = Int64.min / 2
    var running: Running?
    var links: [ConnectionID: Link] = [:]
    /// The longest duration of a commit, in microseconds.
    var commitTime: Int64 = 3_000
    /// The heads that it has acknowledged. They must be in the store after any crash.
    var promised: [GroupID: [ReplicaID: Head]] = [:]
    /// The outage that begins when its disk stops in the middle of its writes.
    var outage = MachineOutage()
    /// The number of times that its disk stopped.
    var failures = 0
    /// Whether its clock was set wrong since the last calm.
    var wasClockWrong = false {
        didSet { wasClockEverWrong = wasClockEverWrong || wasClockWrong }
    }
    /// Whether its clock was ever set wrong.
    private(set) var wasClockEverWrong = false
    /// The number of microseconds by which its clock is ahead when it counts as right.
    private let offset: Int64
    /// Whether its clock was about right when it started. If not, its judgement of the clock depends on the
    /// times that it had served before.
    private var startedWithRightClock = true
    /// Since when its clock is so wrong that the server must have noticed; nil if it isn't.
    var unsureSince: Int64?
    /// Whether it lost events that it had accepted while its clock was wrong.
    var hasLostFutureEvents = false
    /// Whether it has finished its last work after it was told to stop.
    private var hasEnded = false
    /// Saved copies of the disk, each with the key that was announced then; and the backups that the server
    /// made itself.
    var backups: [(image: DiskImage, nextKey: Digest?)] = []
    var ownBackups: [ServerBackup] = []
    /// The groups that the operator deleted and nobody has brought again.
    var deleted: Set<GroupID> = []
    /// Whether the operator ever deleted a group.
    var everDeleted = false
    /// The number of times that it was given another disk.
    private(set) var disks = 0

    static let path = CheckedStore.path

    /// The number of packed bytes of recent events that the store may keep uncompacted. Worlds are small, so
    /// some of them use a small number, to compact at all.
    private var mostRecent: Int { [0, 3_000, LogWriter.mostRecent][Int(world.plan.seed % 3)] }

    /// The server's limits. A world's few laptops do in minutes what takes people years, so the limits are
    /// out of reach unless the plan sets tight ones.
    var limits: ServerLimits {
        var limits = ServerLimits()
        let isTight = world.plan.hasTightLimits
        // Even tight limits let a world's presses through within a quarter of an hour.
        limits.connectionsPerDevice = isTight ? 4 : 1_000
        limits.enrolmentsPerMinute = 1_000_000
        limits.deviceEventsPerSecond = isTight ? 40 : 1_000_000
        limits.deviceBurst = isTight ? 100 : 1_000_000_000
        limits.groupEventsPerSecond = isTight ? 60 : 1_000_000
        limits.groupBurst = isTight ? 200 : 1_000_000_000
        guard world.plan.hasIntruder || world.plan.traitorGroup != nil else { return limits }
        // Limits that an honest group never reaches, and a group with an attacker soon does.
        limits.bytesPerGroup = 16 << 20
        limits.epochBytesPerGroup = 2 << 20
        limits.epochsPerGroup = 256
        // A host that lies about a replica's events makes laptops move their tails to new replicas.
        limits.replicasPerGroup = world.host == nil ? 512 : 1_024
        return limits
    }

    /// The parts that run while the server is up.
    struct Running {
        let switchboard: Switchboard
        let threads: ServerThreads
        /// The checks of the messages that the server receives and sends.
        let watch: ServerWatch
        /// The thread that hears of other servers; nil if there are none.
        let news: ServerNews?
    }

    /// - Parameters:
    ///   - index: The server's index among those sharing the database.
    ///   - offset: The number of microseconds by which its clock is ahead when it counts as right.
    init(
        _ world: World, key: Digest, clock: SimulatedClock, seed: UInt64, index: Int = 0, offset: Int64 = 0,
        on database: SharedDatabase? = nil
    ) {
        self.world = world
        self.index = index
        self.offset = offset
        self.database = database
        self.key = key
        shownKey = key
        self.clock = clock
        source = world.source()
        disk = database?.disk ?? VirtualDisk(canLosePower: world.plan.losesPowerOfServer)
        random = SeededGenerator(seed: seed)
    }

    func trace(_ what: @autoclosure () -> String) {
        world.trace(database == nil ? "server" : "server\(index)", what())
    }

    /// Starts the server.
    ///
    /// - Parameter acceptingClock: Whether its operator first confirms that the clock is right.
    func start(acceptingClock: Bool = false) {
        guard !isUp else { return }
        if database == nil { disk.start() }
        do {
            // The server joins before it reads the store, so that other servers' later writes reach it as
            // news.
            let line = try database?.join(self)
            let others = try line.map { try NewsReader($0, now: self.clock.steady) }
            let store = try openStore(.readWriteCreate, as: line?.server)
            if acceptingClock { try store.write { try $0.acceptClock(now: self.clock.shared) } }
            let simulated = self.clock
            let (greatestServed, orders, devices) = try store.read {
                (try $0.greatestServed(), try $0.orders(), try $0.devices())
            }
            let serverClock = ServerClock(
                greatestServed: greatestServed, wall: { SharedReading(microseconds: simulated.wall()) },
                steady: { simulated.steady })
            let writer = try LogWriter(
                store, clock: serverClock, limits: limits, log: .silent, mostRecent: mostRecent)
            let reader = LogReader(try openStore(.readOnly), log: .silent)
            life += 1
            isUp = true
            hasEnded = false
            let watch = ServerWatch(self, devices, as: line?.server)
            let threads = ServerThreads(self, writer, reader)
            let news = line.flatMap { line in
                others.map { ServerNews(self, line, $0, threads, serverClock) }
            }
            let switchboard = Switchboard(
                threads, as: line?.server, groups: writer.groups, devices: devices, orders: orders,
                pin: ServerPin(key, next: orders.nextKey), clock: serverClock, limits: limits, log: .silent,
                whenTurnsWait: { [unowned self, unowned threads] in
                    after(threads.turnDelay) { self.running?.switchboard.takeTurns() }
                },
                whenStopped: { [unowned self, unowned threads] in
                    threads.checkDrained()
                    hasEnded = true
                }
            )
            running = Running(switchboard: switchboard, threads: threads, watch: watch, news: news)
            shownKey = key
            // The server measures its clock against what it has served, right or wrong.
            let hasServedAhead = greatestServed > self.clock.shared + .seconds(60)
            startedWithRightClock = abs(self.clock.error) < .seconds(60) && !hasServedAhead
            unsureSince = nil
            // The clock is read at once, as in a server that reports its status. So nobody can step it before
            // the first reading.
            _ = serverClock.time()
            trace("starts")
            checkPromises(writer)
            // The server promises the events that it found in the store.
            promised = writer.groups.mapValues(\.vector.heads)
            for (group, heads) in promised {
                for (replica, head) in heads { database?.promise(head, of: replica, in: group) }
            }
            // Other servers may have brought deleted groups again while this one was down.
            if database != nil { deleted = [] }
            if let news {
                switchboard.begin()
                news.begin()
            }
            every(database == nil ? .seconds(5) : .seconds(1)) { $0.refresh() }
            every(.seconds(1)) { switchboard in
                switchboard.tick()
                watch.checkRevoked()
                threads.checkAnswered()
            }
            every(.seconds(30)) { $0.storeSightings() }
        } catch {
            trace("can't start: \(error)")
            if database == nil { disk.stopPrograms() }
            world.schedule(at: world.now + .seconds(5), by: source) { [self] in start() }
        }
    }

    /// Steps the clock by `error` microseconds, or sets it right if `error` is nil.
    func setClock(by error: Int64?) {
        if let error {
            clock.step(by: error)
        } else {
            clock.mend()
            clock.step(by: offset)
        }
        wasClockWrong = wasClockWrong || error != nil
        // The server tolerates a jump of 120 seconds (`ClockGuard.tolerance`), and its clock may have been
        // wrong by up to 60 when it started. The rest is a margin.
        let isUnsure = startedWithRightClock && abs(clock.error) > .seconds(125 + 60)
        unsureSince = isUnsure ? unsureSince ?? world.now : nil
    }

    /// Tells the server to stop, and starts it again `downtime` microseconds after it has ended.
    func stopGracefully(for downtime: Int64) {
        guard isUp else { return }
        guard postponed == nil else {
            // A supervisor kills a frozen server after its timeout.
            stop(losingPower: false)
            return world.schedule(at: world.now + downtime, by: source) { [self] in start() }
        }
        trace("is told to stop")
        running?.watch.isStopping = true
        running?.switchboard.stop()
        endWhenDone(for: downtime, by: world.now + ServerMachine.stopTimeout)
    }

    /// The longest time that stopping may take.
    private static let stopTimeout: Int64 = .seconds(20)

    /// Ends the server once its last work is finished, and starts it again `downtime` microseconds later.
    ///
    /// - Parameter deadline: The instant by which the work must be finished.
    private func endWhenDone(for downtime: Int64, by deadline: Int64) {
        after(10_000) { [self] in
            guard disk.hasPower else { return }
            guard hasEnded else {
                world.require(world.now < deadline, "a server that is told to stop ends") { "" }
                return endWhenDone(for: downtime, by: deadline)
            }
            running?.news?.end()
            stop(losingPower: false)
            world.schedule(at: world.now + downtime, by: source) { [self] in start() }
        }
    }

    /// Ends the server at once.
    func stop(losingPower: Bool) {
        guard isUp else { return }
        trace(losingPower ? "loses power" : "is killed")
        if losingPower { losePower() } else if database == nil { disk.stopPrograms() }
        life += 1
        isUp = false
        running?.news?.kill()
        running = nil
        postponed = nil
        let links = links.sorted { $0.key < $1.key }.map(\.value)
        self.links = [:]
        for link in links { link.serverStopped(silently: losingPower) }
        for hostile in world.hostile { hostile.serverStopped() }
    }

    /// Cuts the power of its disk: unsynced data may be lost.
    func losePower() { disk.losePower(using: &random) }

    /// Puts another disk in, an old copy or an empty one. The promises of the former disk no longer hold.
    func replaceDisk(with image: DiskImage) {
        disk.replace(with: image)
        disk.stopPrograms()
        promised = [:]
        deleted = []
        nextKey = nil
        disks += 1
        hasLostFutureEvents = hasLostFutureEvents || wasClockEverWrong
    }

    private func every(_ period: Int64, _ body: @escaping (Switchboard) -> Void) {
        let life = life
        world.schedule(at: world.now + period, by: source) { [weak self] in
            guard let self else { return }
            whenRunning(in: life) { [self] in
                guard let switchboard = running?.switchboard else { return }
                body(switchboard)
                world.restartIfStopped(self)
                every(period, body)
            }
        }
    }

    func after(_ delay: Int64, _ body: @escaping () -> Void) {
        let life = life
        world.schedule(at: world.now + delay, by: source) { [weak self] in
            guard let self else { return }
            whenRunning(in: life) { [self] in
                body()
                world.restartIfStopped(self)
            }
        }
    }

    func random(_ range: ClosedRange<Int64>) -> Int64 { Int64.random(in: range, using: &random) }

    /// Has the network's thread process a batch's outcome.
    func process(_ commit: CommitOutcome) {
        running?.watch.record(commit)
        running?.switchboard.handle(commit)
    }

    /// Has the network's thread process the reader's answers.
    func process(_ answers: [ReaderAnswer]) {
        guard disk.hasPower else { return }
        for case .orders(let orders) in answers {
            shownKey = key
            running?.switchboard.change(to: ServerPin(key, next: orders.nextKey))
        }
        guard let running else { return }
        running.watch.handleReaderAnswers { running.switchboard.handle(answers) }
    }
}
