package import FocusCore
package import FocusDevice
package import FocusLink
import FocusStore
import FocusSync

/// The background part of a device. It holds the one live connection to the group's server, merges the events
/// that arrive, and sends the events that are pressed here.
///
/// It belongs to one thread. Unlike a server's thread, this one may wait for its database: it serves one
/// person, and only another command of that person can hold the database.
package final class Agent {
    /// The laptop that the agent serves. It belongs to the agent's thread.
    package let device: Device
    let approaching: ServerRoutesProvider
    let time: any Scheduler
    var dice: any RandomNumberGenerator
    /// The observer of the agent's events.
    package weak var observer: (any AgentObserver)?
    /// Notices about syncing for the person, the newest last.
    package private(set) var notices: [SyncNotice] = []
    /// The database's change count at the agent's last look.
    private var seenChange: Int64?
    /// The machine's suspensions, as far as the agent still has to handle them.
    var sleeps: DetectedSuspensions
    /// Whether a suspension is still undecided, as far as the agent knows.
    var isDeciding = false
    /// The alarm for deciding about suspensions without the server.
    var decision: (any Alarm)?
    private var nextLook: (any Alarm)?
    /// Returns whether a view follows this laptop's state, or may begin to at any time.
    package var isLookedAt: () -> Bool = { true }
    /// Whether the longer interval between looks, `rest`, is in use.
    private var isResting = false
    private var life = Life.running

    // The connection to the server: see Agent+Connection.
    var membership: Membership?
    var line = Line.idle
    var notes = LinkRecorder()
    /// The end of the last connection, if it ended with a problem and no connection was made since.
    package internal(set) var lastEnd: SyncEnd?
    var backoff = Backoff()
    /// The time at which the server was last heard when the wait for the next attempt began.
    var heardBefore: Moment?
    /// The number of server addresses to try after all others in the next attempt. A server at these
    /// addresses had no room, or couldn't do its work.
    var passedOver = 0

    private enum Life {
        case running, stopping, ended
    }

    /// The state of the connection to the server.
    enum Line {
        /// There is no connection, and no attempt is planned.
        case idle
        /// The next attempt is made at this alarm.
        case waiting(any Alarm)
        case open(SyncDriver)
    }

    /// The state of the connection, as recorded.
    package var link: ConnectionState { notes.link }

    /// Whether the agent is ending, or has ended.
    package var isStopping: Bool { life != .running }

    /// The connection to the server, from the first attempt to its end.
    var driver: SyncDriver? { if case .open(let driver) = line { driver } else { nil } }

    /// The greatest number of notices that are kept.
    private static let noticeLimit = 20
    /// The interval at which the agent looks for changes that nobody reported.
    private static let look = Duration.seconds(5)
    /// The interval while nothing runs and no view is open: nobody would see a change earlier.
    private static let rest = Duration.seconds(20)

    /// The agent of a device.
    ///
    /// - Parameters:
    ///   - approaching: Returns the routes to a server.
    ///   - time: The clock and alarms of the agent's thread.
    ///   - dice: The source of randomness for the delays before new attempts.
    package init(
        _ device: Device, by approaching: @escaping ServerRoutesProvider, time: any Scheduler,
        dice: any RandomNumberGenerator
    ) {
        self.device = device
        self.approaching = approaching
        self.time = time
        self.dice = dice
        sleeps = DetectedSuspensions(device.clocks)
    }

    /// Begins to connect, and to look for changes.
    ///
    /// - Throws: `StoreError` if the log can't be read.
    package func start() throws {
        _ = try device.store.changeCount()
        attempt { try device.recordStart() }
        lookLater()
        lookAtMembership()
        awaitDecision()
    }

    /// Handles a report that a command has changed the log or the membership.
    package func poked() {
        wakeUp()
        sleeps.check()
        lookAtMembership()
        connectIfReached()
        driver?.sendChanges()
        notifyViews()
    }

    /// Applies membership changes made by other processes. If that fails, the agent tries again at its next
    /// look.
    private func lookAtMembership() {
        attempt {
            let change = try device.store.changeCount()
            try reloadMembership()
            seenChange = change
        }
    }

    /// Ends in good order, and then calls the observer's `ended`.
    package func stop() {
        guard !isStopping else { return }
        life = .stopping
        say(.stopping)
        cancelRetry()
        nextLook?.cancel()
        decision?.cancel()
        guard let driver else { return end() }
        driver.leave()
        // If the server doesn't answer the goodbye, the agent stops waiting for it.
        _ = time.schedule(after: .seconds(2)) { [weak self] in self?.end() }
    }

    /// Completes the end. Nothing happens after it.
    func end() {
        guard life != .ended else { return }
        life = .ended
        record(ConnectionState(.offline))
        observer?.ended()
    }

    private func lookLater() {
        isResting = !isLookedAt() && !isRunning
        nextLook = time.schedule(after: isResting ? Agent.rest : Agent.look) { [weak self] in
            self?.pollForChanges()
            if self?.isStopping == false { self?.lookLater() }
        }
    }

    /// Whether the timer runs. True if that can't be read.
    private var isRunning: Bool {
        guard let state = try? device.store.state(), let now = try? device.now() else { return true }
        if case .running = TimerState(state, at: now).status { return true }
        return false
    }

    /// Returns to the shorter interval between looks: a view has opened, or something may run.
    package func wakeUp() {
        guard isResting, !isStopping, isLookedAt() || isRunning else { return }
        nextLook?.cancel()
        lookLater()
    }

    /// Looks for changes that nobody reported: by a command that couldn't reach the agent, or a suspension of
    /// the machine.
    private func pollForChanges() {
        sleeps.check()
        recordSleeps()
        attempt {
            if try device.store.changeCount() != seenChange { poked() }
        }
        if sleeps.hasWoken { woke() }
        if notes.isAging(at: time.now()) { record(link) }
        recordClock()
        observer?.didPoll()
    }

    // MARK: - Reports and notices

    /// Writes to the agent's log.
    func say(_ event: AgentLogEvent) { observer?.say(event) }

    /// Keeps a notice for the person. A repeated notice is kept only once.
    func record(_ notice: SyncNotice) {
        observer?.noticed(notice)
        notices.removeAll { $0 == notice }
        notices.append(notice)
        if notices.count > Agent.noticeLimit { notices.removeFirst() }
    }

    /// Drops the notices about a group that the laptop has left.
    func forgetNotices() { notices = [] }

    /// Drops the notices about refused events, if the server has all events by now.
    func forgetRefusals() {
        guard notices.contains(where: \.isAboutUnsent) else { return }
        attempt { if try device.store.pendingCount() == 0 { notices.removeAll(where: \.isAboutUnsent) } }
    }

    /// Runs `body`. If that throws, writes the error to the agent's log.
    func attempt(_ body: () throws -> Void) {
        do { try body() } catch { say(.failed(error)) }
    }
}

/// An observer of the agent. All calls come on the agent's thread.
package protocol AgentObserver: SelfWriteObserver {
    /// Writes an event to the agent's log.
    func say(_ event: AgentLogEvent)
    /// Reports a notice about syncing for the person.
    func noticed(_ notice: SyncNotice)
    /// Reports an obstacle that a person has to remove. Called once for each obstacle.
    func cutOff(by obstacle: ServerObstacle)
    /// Reports that the shown state may have changed.
    func changed(_ what: AgentChange)
    /// Reports that the agent has looked for changes. It does so every few seconds.
    func didPoll()
    /// Reports that the agent has ended. Nothing comes after this.
    func ended()
}

extension AgentObserver {
    /// Does nothing.
    package func didPoll() {}
    /// Does nothing.
    package func cutOff(by obstacle: ServerObstacle) {}
}

/// The subject of a change.
package enum AgentChange: Hashable, Sendable {
    /// The log's state, or the log itself.
    case log
    /// The state of the connection, and the devices that are connected.
    case link
}
