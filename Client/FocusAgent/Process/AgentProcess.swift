import DBusKit
package import FocusContact
package import FocusCore
package import FocusDevice
import FocusFront
package import FocusLink
import FocusNet
import FocusStore
import FocusTray
import Synchronization
import SystemKit

/// The agent's process: its event loop, its signals, and the local socket for commands.
///
/// It lives on the loop's thread.
package final class AgentProcess {
    private let agent: Agent
    private let loop: EventLoop
    private let log: AgentLog
    private let endpoint: AgentEndpoint
    private let trimming: LogTrimmer
    private let server: SharedServerKeeper
    private var followers: [UInt64: Connection] = [:]
    /// The followers that can ring a terminal's bell, the latest last.
    private var ringers: [UInt64] = []
    /// The desktop's bus.
    private let bus: BusConnection
    private var reporter: HappeningReporter?
    /// Whether the end of the loop's turn will look for happenings.
    private var willReportHappenings = false
    private var page: (any AgentPage)?
    private var tray: TrayIcon?
    private var activity: DesktopActivity?

    private init(
        _ device: Device, _ lock: AgentLock, on loop: EventLoop, _ environment: Environment, log: AgentLog,
        page makePage: PageMaker
    ) {
        endpoint = AgentEndpoint(device.home, lock, on: loop)
        trimming = LogTrimmer(path: device.home.agentLog)
        server = SharedServerKeeper(
            ServerSharing(device.home, environment), time: LoopTime(loop), dice: SystemRandomNumberGenerator()
        ) { event in log.write(event) }
        self.loop = loop
        self.log = log
        bus = BusConnection(BusAddress.session(environment), on: loop)
        agent = Agent(
            device, by: Credentials.routes(of: device, on: loop), time: LoopTime(loop),
            dice: SystemRandomNumberGenerator(), movedServer: MovedServer(SharedServer(device.home)))
        agent.observer = self
        agent.hasViews = { [weak self] in
            guard let self else { return false }
            return !followers.isEmpty || page?.hasViewers == true
        }
        let agent = agent
        reporter = HappeningReporter(
            device, on: loop, bus, environment, isCaughtUp: { agent.mayReportHappenings() },
            presser: HappeningReporter.Presser(
                recordSuspension: { [weak agent] in agent?.recordSuspension() },
                announceChanges: { [weak agent] in agent?.poked() }),
            ring: { [weak self] in self?.ring() }
        ) { event in log.write(event) }
        page = makePage(
            PageContext(
                device: device, loop: loop, log: { event in log.write(event) },
                recordSuspension: { [weak agent] in agent?.recordSuspension() },
                pageOpened: { [weak agent] in agent?.wakeUp() },
                returnMemory: { returnFreeMemory() },
                announceChanges: { [weak agent] in agent?.poked() },
                makesSound: { [weak self] in self?.reporter?.makesSound ?? false }))
        tray = TrayIcon(
            TrayContext(
                device: device, time: LoopTime(loop), bus: bus, log: { event in log.write(event) },
                recordSuspension: { [weak agent] in agent?.recordSuspension() },
                announceChanges: { [weak agent] in agent?.poked() },
                openPage: { [weak self] in self?.openPage() },
                notify: { [weak self] in self?.reporter?.notify($0) }))
        activity = DesktopActivity(
            session: bus, system: BusConnection(BusAddress.system(environment), on: loop),
            time: LoopTime(loop), clocks: device.clocks, sessionID: environment["XDG_SESSION_ID"],
            untilNeeded: { isAway in try? device.untilAbsenceMatters(isAway: isAway) }
        ) { [weak agent] in agent?.record($0) }
    }

    /// Opens the page in the browser, by `focus web`. That also prints the link with its key, which must not
    /// get into the agent's log.
    private func openPage() {
        do throws(NetError) {
            _ = try ChildProcess([ProgramPath.present, "web"], discarding: .output, on: loop) {
                [weak self] end in
                if end != .exited(0) { self?.reporter?.notify(.noBrowser) }
            }
        } catch {
            log(.failed(error))
        }
    }

    /// Makes the part that serves the page.
    package typealias PageMaker = @Sendable (PageContext) -> any AgentPage

    /// Runs the agent until it is asked to stop.
    ///
    /// - Parameters:
    ///   - open: Opens the laptop's log, on the agent's thread.
    ///   - log: The agent's log.
    ///   - page: Makes the part that serves the page, on the agent's thread.
    /// - Throws: `AgentFailure.running` if an agent already runs, an error of `open`, or another reason why
    ///   it can't run.
    package static func run(
        on machine: Machine, opening open: @escaping @Sendable () throws -> Device,
        log: AgentLog, page: @escaping PageMaker
    ) throws {
        let home = try Home(machine.environment)
        try home.create()
        guard let lock = try AgentEndpoint.lock(home) else { throw AgentFailure.running }
        let loop = try EventLoop()
        let failure = StartFailure()
        loop.run {
            do {
                let process = AgentProcess(
                    try open(), lock, on: loop, machine.environment, log: log, page: page)
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

    /// Begins to listen and to connect. Throws if no socket can be made.
    private func start() throws {
        try endpoint.listen { [weak self] in self.map(AgentConnectionHandler.init) }
        for signal in [SIGTERM, SIGINT, SIGHUP] { try loop.onSignal(signal) { [weak self] in self?.stop() } }
        trimming.trim()
        log(.started(process: getpid()))
        reporter?.refresh()
        page?.resume()
        tray?.refresh()
        server.check()
        try agent.start()
        // This makes later presses durable sooner. Nothing else depends on it.
        do { try agent.device.store.preallocateLog() } catch { log(.failed(error)) }
    }

    /// Restores the lock and the socket if they were removed, or ends the agent. Without the lock another
    /// agent may run, and without the socket no command reaches this agent.
    private func restoreEndpoint() {
        do throws(AgentEndpointFailure) {
            for event in try endpoint.restore() { log(event) }
        } catch {
            log(.cannotServe(error))
            stop()
        }
    }
}

// MARK: - Requests of commands

extension AgentProcess {
    /// Handles a command's report that the log or the membership changed.
    func poked() { agent.poked() }

    /// Stores a suspension that nobody has noticed yet, before something is pressed.
    func recordSuspension() { agent.recordSuspension() }

    /// Sends this connection a message at each change.
    ///
    /// - Parameter isRinging: Whether its other side can ring a terminal's bell.
    func follow(_ connection: Connection, ringing isRinging: Bool = false) {
        followers[connection.id] = connection
        if isRinging { ringers.append(connection.id) }
        agent.wakeUp()
        connection.send(Array(AgentCall.changed.utf8))
    }

    /// Removes a follower that has disconnected.
    func left(_ connection: Connection) {
        followers[connection.id] = nil
        ringers.removeAll { $0 == connection.id }
    }

    /// Rings the bell of the terminal that connected last, if there is one.
    private func ring() {
        if let latest = ringers.last { followers[latest]?.send(Array(AgentCall.bell.utf8)) }
    }

    /// The agent's status.
    var status: AgentStatus {
        AgentStatus(
            process: getpid(), version: Lockstep.version, link: agent.recorder.link,
            problem: agent.connection.lastEnd?.assurance, notices: agent.notices.sentences,
            socket: endpoint.socket, origins: activity?.origins.map(\.rawValue) ?? [])
    }

    /// A link to the page, or the reason why there is none.
    var web: PageLink { page?.link() ?? .problem(AgentMessages.ending) }

    /// The address of a new calendar feed, or the reason why there is none.
    func calendarAddress(renewing isRenewing: Bool) -> PageLink {
        page?.calendarAddress(renewing: isRenewing) ?? .problem(AgentMessages.ending)
    }

    /// Signs out all browsers, and ends the calendar feed. Returns false if that couldn't be stored, or the
    /// agent is ending.
    func forgetBrowsers() -> Bool {
        do {
            try page?.forgetBrowsers()
            return page != nil
        } catch {
            log(.failed(error))
            return false
        }
    }

    /// Ends in good order.
    func stop() {
        guard !agent.isStopping else { return }
        activity?.close()
        activity = nil
        page?.close()
        page = nil
        reporter?.stop()
        tray?.hide()
        tray = nil
        endpoint.close()
        for follower in followers.values { follower.close() }
        agent.stop()
    }
}

extension AgentProcess: AgentObserver {
    /// Writes to the agent's log.
    package func log(_ event: AgentEvent) { log.write(.agent(event)) }

    private func log(_ event: AgentLogEvent) { log.write(event) }

    /// Writes the notice to the log, and shows it as a notification if it is important enough.
    package func noticed(_ notice: SyncNotice) {
        log(.noticed(notice))
        if notice.isAboutConflict { reporter?.reportConflict(notice.sentence) }
        if let notification = Notification(about: notice) { reporter?.notify(notification) }
    }

    /// Shows the obstacle as a notification.
    package func cutOff(by obstacle: ServerObstacle) { reporter?.notify(Notification(about: obstacle)) }

    /// Shows the question as a notification, or removes the notification.
    package func asked(_ question: AbsenceQuestion?) { reporter?.ask(question) }

    /// Writes to the log how many events the agent wrote on returning.
    package func wrote(_ written: [Event], on occasion: SelfWriteOccasion, at now: SharedInstant) {
        guard !written.isEmpty, occasion == .returning else { return }
        log(.caughtUp(written: written.count))
    }

    /// Tells the page, the tray and the followers. Skips a follower with too many unread bytes. After a change
    /// of the log, the turn's end also looks for happenings. These come after all messages, because a happening
    /// may start programs.
    package func changed(_ what: AgentChange) {
        if what == .log {
            reportHappeningsSoon()
            tray?.refresh()
            activity?.refresh()
        }
        page?.refresh()
        for follower in followers.values where !follower.isFull {
            follower.send(Array(AgentCall.changed.utf8))
        }
    }

    private func reportHappeningsSoon() {
        guard !willReportHappenings else { return }
        willReportHappenings = true
        loop.afterTurn { [weak self] in
            self?.willReportHappenings = false
            self?.reporter?.refresh()
        }
    }

    /// Checks the lock, the socket, the length of the logs, and the server on this laptop.
    package func didPoll() {
        trimming.trim()
        server.check()
        restoreEndpoint()
    }

    /// Stops the loop, which ends the process.
    package func ended() { loop.stop() }
}

/// Carries a startup error from the loop's thread to the thread that waits for it.
final class StartFailure: Sendable {
    private let error = Mutex<(any Error)?>(nil)

    func set(_ error: any Error) { self.error.withLock { $0 = error } }

    /// Throws the error, if there is one.
    func check() throws {
        if let error = error.withLock({ $0 }) { throw error }
    }
}

/// The surroundings of the command that started the agent. The agent gives them up because it runs for days.
package enum AgentSurroundings {
    /// Variables that name folders. A relative path is relative to the command's working directory.
    private static let folders = ["FOCUS_HOME", "HOME"]

    /// Gives up the command's surroundings in this process: open descriptors except standard input, output
    /// and error, the working directory, the time zone, and the connection by SSH. To be called before there is
    /// another thread or an open file.
    package static func daemonize() {
        // A file that is opened later must not get one of these three numbers.
        for number: Int32 in 0...2 where fcntl(number, F_GETFD) < 0 { _ = open("/dev/null", O_RDWR) }
        OpenDescriptors.close(from: 3)
        for name in ["TZ", "SSH_CONNECTION"] { unsetenv(name) }
        if makeFoldersAbsolute() { _ = chdir("/") }
    }

    /// Makes the paths absolute. Returns false if the working directory has no path any more.
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
