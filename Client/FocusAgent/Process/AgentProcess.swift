package import FocusCore
package import FocusDevice
package import FocusLink
import FocusNet
import FocusStore
import FocusWords
import Synchronization
import SystemKit

/// The process that is the agent: its event loop, its signals, and the local socket at which commands ask it things.
///
/// It lives on the loop's thread.
package final class AgentProcess {
    private let agent: Agent
    private let loop: EventLoop
    private let log: AgentLog
    private let place: AgentPlace
    private let trimming: LogTrimming
    private var followers: [UInt64: Connection] = [:]
    /// Those of them that can ring a terminal's bell, the latest last.
    private var ringers: [UInt64] = []
    private var teller: Teller?
    /// Whether it is to look what has happened as the loop's turn ends.
    private var isToTell = false
    private var page: (any AgentPage)?

    private init(
        _ device: Device, _ lock: AgentLock, on loop: EventLoop, log: AgentLog, page makePage: PageMaker
    ) {
        place = AgentPlace(device.home, lock, on: loop)
        trimming = LogTrimming(path: device.home.agentLog)
        self.loop = loop
        self.log = log
        agent = Agent(
            device, by: Credentials.approaching(device, on: loop), time: LoopTime(loop),
            dice: SystemRandomNumberGenerator())
        agent.observer = self
        agent.isLookedAt = { [weak self] in
            guard let self else { return false }
            return !followers.isEmpty || page?.isLookedAt == true
        }
        let agent = agent
        teller = Teller(
            device, on: loop, isCaughtUp: { agent.mayTell() }, ring: { [weak self] in self?.ring() }
        ) { event in log.write(event) }
        page = makePage(
            PageSurroundings(
                device: device, loop: loop, log: { event in log.write(event) },
                lookForSleep: { [weak agent] in agent?.lookForSleep() },
                someoneLooks: { [weak agent] in agent?.wakeUp() },
                returnMemory: { returnFreeMemory() },
                tellOthers: { [weak agent] in agent?.poked() }))
    }

    /// Makes what serves the page.
    package typealias PageMaker = @Sendable (PageSurroundings) -> any AgentPage

    /// Is the agent until it is asked to stop.
    ///
    /// - Parameters:
    ///   - open: opens the laptop's log, on the agent's thread.
    ///   - log: takes what it says of itself, and when.
    ///   - page: makes what serves the page, on the agent's thread.
    /// - Throws: `AgentFailure.running` where one runs already; what `open` throws; what else keeps it from running.
    package static func run(
        on machine: Machine, opening open: @escaping @Sendable () throws -> Device,
        log: AgentLog, page: @escaping PageMaker
    ) throws {
        let home = try Home(machine.environment)
        try home.create()
        guard let lock = try AgentPlace.lock(home) else { throw AgentFailure.running }
        let loop = try EventLoop()
        let failure = StartFailure()
        loop.run {
            do {
                let process = AgentProcess(
                    try open(), lock, on: loop, log: log, page: page)
                try process.start()
                loop.keepAlive(process)
            } catch {
                failure.set(error)
                loop.stop()
            }
        }
        withExtendedLifetime(lock) { loop.wait() }
        try failure.check()
    }

    /// Begins to listen and to connect. Throws where no socket can be made.
    private func start() throws {
        try place.listen { [weak self] in self.map(AgentVisitor.init) }
        for signal in [SIGTERM, SIGINT, SIGHUP] { try loop.onSignal(signal) { [weak self] in self?.stop() } }
        trimming.trim()
        say(.started(process: getpid()))
        teller?.refresh()
        page?.resume()
        try agent.start()
        // What is pressed later is durable sooner; nothing else depends on it.
        do { try agent.device.store.makeRoomInLog() } catch { say(.failed(error)) }
    }

    /// Without its lock another agent may have been started, and without its socket nobody reaches it.
    private func checkPlace() {
        do throws(PlaceFailure) {
            for event in try place.restore() { say(event) }
        } catch {
            say(.lostPlace(error))
            stop()
        }
    }
}

// MARK: - What commands ask

extension AgentProcess {
    /// A command changed the log, or what the device belongs to.
    func poked() { agent.poked() }

    /// Something is about to be pressed: a sleep that wasn't noticed yet comes first.
    func lookForSleep() { agent.lookForSleep() }

    /// Tells this one whenever something has changed.
    ///
    /// - Parameter isRinging: whether it can ring a terminal's bell.
    func follow(_ connection: Connection, ringing isRinging: Bool = false) {
        followers[connection.id] = connection
        if isRinging { ringers.append(connection.id) }
        agent.wakeUp()
        connection.send(Array(AgentCall.changed.utf8))
    }

    func left(_ connection: Connection) {
        followers[connection.id] = nil
        ringers.removeAll { $0 == connection.id }
    }

    /// Has a bell rung in one terminal, where there is any.
    private func ring() {
        if let latest = ringers.last { followers[latest]?.send(Array(AgentCall.bell.utf8)) }
    }

    /// How things stand.
    var status: AgentStatus {
        AgentStatus(
            process: getpid(), version: Lockstep.version, link: agent.link,
            problem: agent.lastEnd?.assurance, notices: agent.notices.sentences,
            socket: place.socket)
    }

    /// A link to the page.
    var web: PageLink { page?.link() ?? .problem(AgentText.ending) }

    /// Lets no browser in any more that was let in before; false where that couldn't be written down.
    func forgetBrowsers() -> Bool {
        do {
            try page?.forgetBrowsers()
            return page != nil
        } catch {
            say(.failed(error))
            return false
        }
    }

    /// Ends in good order.
    func stop() {
        guard !agent.isStopping else { return }
        page?.close()
        page = nil
        place.close()
        for follower in followers.values { follower.close() }
        agent.stop()
    }
}

extension AgentProcess: AgentObserver {
    /// Tells the agent's log of it.
    package func say(_ event: AgentLogEvent) { log.write(event) }

    /// Notes it in the log, and shows it as a notification where it is worth one.
    package func noticed(_ notice: SyncNotice) {
        say(.noticed(notice))
        if notice.isAboutConflict { teller?.conflict(notice.sentence) }
        if let notification = Notification(about: notice) { teller?.notify(notification) }
    }

    /// Shows it as a notification.
    package func cutOff(by obstacle: ServerObstacle) { teller?.notify(Notification(about: obstacle)) }

    /// Notes in the log what returning led to.
    package func wrote(_ written: [Event], on occasion: OwnWriting, at now: SharedInstant) {
        guard !written.isEmpty, occasion == .returning else { return }
        say(.caughtUp(written: written.count))
    }

    /// Has the page and those who follow look, and after a change of the log whoever tells of happenings: once they, and the
    /// server, have been sent what there is for them, as it may start programs. A follower who has too much unread isn't told
    /// again until that is less.
    package func changed(_ what: AgentChange) {
        if what == .log { tellSoon() }
        page?.refresh()
        for follower in followers.values where !follower.isFull {
            follower.send(Array(AgentCall.changed.utf8))
        }
    }

    private func tellSoon() {
        guard !isToTell else { return }
        isToTell = true
        loop.afterTurn { [weak self] in
            self?.isToTell = false
            self?.teller?.refresh()
        }
    }

    /// Looks whether its lock and its socket are there still, and how long its log is.
    package func lookedAround() {
        trimming.trim()
        checkPlace()
    }

    /// Stops the loop, which ends the process.
    package func ended() { loop.stop() }
}

/// Where a loop's thread leaves why it couldn't start, for the thread that waits for it.
final class StartFailure: Sendable {
    private let error = Mutex<(any Error)?>(nil)

    func set(_ error: any Error) { self.error.withLock { $0 = error } }

    /// Throws what was left.
    func check() throws {
        if let error = error.withLock({ $0 }) { throw error }
    }
}

/// What the agent doesn't keep of the command that started it, as it goes on for days.
package enum AgentSurroundings {
    /// What names folders; a path that isn't absolute holds where the command was.
    private static let folders = ["FOCUS_HOME", "HOME"]

    /// Lets go of them, in this process: descriptors but for standard input, output and error, the working directory,
    /// and the time zone. To be called before there is another thread or an open file.
    package static func leave() {
        // A file that is opened later must not be taken for one of these three.
        for number: Int32 in 0...2 where fcntl(number, F_GETFD) < 0 { _ = open("/dev/null", O_RDWR) }
        OpenDescriptors.close(from: 3)
        unsetenv("TZ")
        if makeFoldersAbsolute() { _ = chdir("/") }
    }

    /// False where the working directory has no path any more.
    private static func makeFoldersAbsolute() -> Bool {
        for name in folders {
            guard let value = Environment.process[name], !value.hasPrefix("/") else { continue }
            guard let present = getcwd(nil, 0) else { return false }
            defer { free(present) }
            setenv(name, "\(SystemText.string(present))/\(value)", 1)
        }
        return true
    }
}
