package import FocusContact
package import FocusCore
package import FocusDevice
package import FocusLink
package import FocusStore
package import FocusSync

/// The background part of a device. It holds the one live connection to the group's server, merges the events
/// that arrive, and sends the events that are pressed here.
///
/// It belongs to one thread. Unlike a server's thread, this one may wait for its database: it serves one
/// person, and only another command of that person can hold the database.
package final class Agent {
    /// The laptop that the agent serves. It belongs to the agent's thread.
    package let device: Device
    /// The connection to the group's server.
    package let connection: ServerConnection
    /// The recorder of the connection's state, for commands.
    package let recorder: LinkRecorder
    private let suspensions: SuspensionMonitor
    private let absences: AbsenceMonitor
    private let polling: ChangePolling
    private let time: any Scheduler
    /// The observer of the agent's events.
    package var observer: (any AgentObserver)? {
        get { reference.observer }
        set { reference.observer = newValue }
    }
    private var reference = ObserverReference()
    /// Notices about syncing for the person, the newest last. Each is dropped after a day.
    package var notices: [SyncNotice] {
        let now = time.now()
        return datedNotices.filter { $0.instant + Agent.noticeLifetime > now }.map { $0.notice }
    }
    private var datedNotices: [(notice: SyncNotice, instant: SteadyInstant)] = []
    /// Returns whether a view follows this laptop's state, or may begin to at any time.
    package var hasViews: () -> Bool = { true }
    private var life = Life.running

    private enum Life {
        case running, stopping, ended
    }

    /// Whether the agent is ending, or has ended.
    package var isStopping: Bool { life != .running }

    /// The greatest number of notices that are kept.
    private static let noticeLimit = 20
    /// The time for which a notice is kept.
    private static let noticeLifetime = Duration.seconds(24 * 60 * 60)

    /// The agent of a device.
    ///
    /// - Parameters:
    ///   - routes: Returns the routes to a server.
    ///   - time: The clock and alarms of the agent's thread.
    ///   - random: Returns a random number, for the delays before new attempts.
    ///   - movedServer: The group's server if it was on this machine.
    package init(
        _ device: Device, by routes: @escaping ServerRoutesProvider, time: any Scheduler,
        random: @escaping () -> UInt64, movedServer: MovedServer = .none
    ) {
        self.device = device
        self.time = time
        recorder = LinkRecorder(device, time: time)
        connection = ServerConnection(
            device, recorder, by: routes, time: time, random: random, movedServer: movedServer)
        suspensions = SuspensionMonitor(device, connection, time: time)
        absences = AbsenceMonitor(device)
        polling = ChangePolling(device, time: time)
        recorder.agent = self
        connection.agent = self
        suspensions.agent = self
        absences.agent = self
        polling.agent = self
    }

    /// Begins to connect, and to look for changes.
    ///
    /// - Throws: `StoreError` if the log can't be read.
    package func start() throws(StoreError) {
        _ = try device.store.changeCount()
        attempt { () throws(StoreError) in try device.recordStart() }
        polling.schedule()
        lookAtMembership()
        suspensions.awaitDecision()
        absences.storeReports()
    }

    /// Handles a report that a command has changed the log or the membership.
    package func poked() {
        wakeUp()
        suspensions.check()
        lookAtMembership()
        connection.connectIfServerAnswered()
        connection.sendChanges()
        notifyViews()
        absences.storeReports()
    }

    /// Applies membership changes made by other processes. If that fails, the agent tries again at its next
    /// look.
    private func lookAtMembership() {
        attempt { () throws(StoreError) in
            try polling.handleChanges { () throws(StoreError) in
                if !isStopping { try connection.reloadMembership() }
            }
        }
    }

    /// Ends in good order, and then calls the observer's `ended`.
    package func stop() {
        guard !isStopping else { return }
        life = .stopping
        log(.stopping)
        connection.cancelRetry()
        polling.cancel()
        suspensions.cancelDecision()
        guard connection.leave() else { return end() }
        // If the server doesn't answer the goodbye, the agent stops waiting for it.
        _ = time.schedule(after: .seconds(2)) { [agent = Weak(wrappedValue: self)] in
            agent.wrappedValue?.end()
        }
    }

    /// Completes the end. Nothing happens after it.
    private func end() {
        guard life != .ended else { return }
        life = .ended
        recorder.record(ConnectionState(.offline))
        observer?.ended()
    }

    /// Looks for changes more often again: a view has opened, or something may run.
    package func wakeUp() { if !isStopping { polling.wakeUp() } }

    /// Looks for changes that nobody reported.
    func pollForChanges() {
        suspensions.record()
        absences.storeReports()
        attempt { () throws(StoreError) in
            if try polling.hasChanged() { poked() }
        }
        if suspensions.hasWoken { renewConnection() }
        recorder.renew()
        observer?.didPoll()
    }

    /// Reconnects after a suspension of the machine: the connection is probably dead, and the network is
    /// back.
    private func renewConnection() {
        suspensions.connectionRenewed()
        log(.woke)
        connection.renew()
    }

    // MARK: - Suspensions

    /// Whether happenings may be reported. They may not before a new connection has brought the events that
    /// this laptop missed, or while a suspension may still become a pause.
    package func mayReportHappenings() -> Bool { suspensions.areDecided() && connection.reachedWelcome }

    /// Stores the suspensions that aren't stored yet. Called before a press, because most presses decide
    /// whether stored suspensions become pauses. After a press that doesn't decide this, the agent begins to
    /// wait for a decision a second later.
    package func recordSuspension() { suspensions.recordBeforePress() }

    /// Records whether somebody is at the laptop. A suspension that has just ended is recorded first, because
    /// it may include the absence.
    package func record(_ activity: UserActivity) {
        guard !isStopping else { return }
        suspensions.record()
        absences.record(activity)
    }

    /// Shows that a question about an absence is open, or that none is any more.
    func didAsk(_ question: AbsenceQuestion?) {
        notifyViews()
        observer?.asked(question)
    }

    // MARK: - Reports and notices

    /// Writes to the agent's log.
    func log(_ event: AgentEvent) { observer?.log(event) }

    /// Drops the notices about a group that the laptop has left.
    func forgetNotices() { datedNotices = [] }

    /// Drops the notices about refused events, if the server has all events by now.
    private func forgetRefusals() {
        guard notices.contains(where: { $0.isAboutUnsent }) else { return }
        attempt { () throws(StoreError) in
            if try device.store.pendingCount() == 0 { dropNotices { $0.isAboutUnsent } }
        }
    }

    private func dropNotices(where isOver: (SyncNotice) -> Bool) {
        datedNotices.removeAll { isOver($0.notice) }
    }

    /// Runs `body`. If that throws, writes the error to the agent's log.
    func attempt(_ body: () throws(StoreError) -> Void) {
        do throws(StoreError) { try body() } catch { log(.failed(error)) }
    }
}

extension Agent: SyncObserver {
    /// Returns nil: an agent never asks to be let in.
    package func enrolled(_ enrolled: Enrolled) -> SealedLog? { nil }

    /// Records which devices are connected, and resets the retry delay.
    package func connected(_ presence: [Presence]) { connection.connected(presence) }

    /// Passes the events on to the observer.
    package func wrote(_ written: [Event], on occasion: SelfWriteOccasion, at now: SharedInstant) {
        observer?.wrote(written, on: occasion, at: now)
    }

    /// Lets views read the log again.
    package func notifyViews() {
        wakeUp()
        observer?.changed(.log)
    }

    /// Does nothing: an agent makes no invites.
    package func keyDidSettle() {}

    /// Lets views show how many events are still pending. If none are, drops the notices about refused
    /// events.
    package func acknowledged() {
        // This isn't left to `becameIdle`, because a change of the group's key may delay that for long.
        forgetRefusals()
        observer?.changed(.link)
    }

    /// Does nothing: the connection stays open.
    package func becameIdle(_ traffic: SyncTraffic) {}

    /// Records the estimate of shared time, and drops the notices about the server's clock: it is right now.
    package func clockLearnt(_ clock: ClockEstimate) {
        recorder.record(clock)
        dropNotices { $0.isAboutServerClock }
    }

    /// Records when the server was heard, at most every 5 seconds.
    package func heard() { recorder.recordContact() }

    /// Records which devices are connected now.
    package func presenceChanged(_ presence: [Presence]) { recorder.record(presence) }

    /// Adds the notice to `notices`, and tells the observer. A repeated notice is kept only once.
    package func notice(_ notice: SyncNotice) {
        observer?.noticed(notice)
        dropNotices { $0 == notice }
        datedNotices.append((notice, time.now()))
        if datedNotices.count > Agent.noticeLimit { datedNotices.removeFirst() }
    }

    /// Reports a device that the server won't list or revoke. A request that was granted needs no report.
    package func answered(_ request: GroupRequest, _ refusal: Refusal?) {
        // `notAllowed` means that the device to revoke is in another group. This group doesn't let it in
        // anyway, so a person needn't know.
        guard let refusal, refusal.code != .notAllowed, request.isAboutDevices else { return }
        // A long roster is refused piece by piece, and again on each connection.
        let unlisted = SyncNotice.unlisted(refusal)
        if !notices.contains(unlisted) { notice(unlisted) }
    }

    /// Records that the laptop is offline, and why. Then connects again, unless the agent is stopping or the
    /// laptop is in no group: at once after a suspension or if the agent closed the connection itself,
    /// otherwise after a delay.
    package func ended(_ end: SyncEnd) {
        connection.close(after: end)
        if isStopping { return self.end() }
        suspensions.record()
        connection.record(end, hasWoken: suspensions.hasWoken)
        guard connection.isInGroup else { return }
        if suspensions.hasWoken { return renewConnection() }
        connection.retry(after: end)
    }
}

/// An observer of the agent. All calls come on the agent's thread.
package protocol AgentObserver: SelfWriteObserver {
    /// Writes an event to the agent's log.
    func log(_ event: AgentEvent)
    /// Reports a notice about syncing for the person.
    func noticed(_ notice: SyncNotice)
    /// Reports an obstacle that a person has to remove. Called once for each obstacle.
    func cutOff(by obstacle: ServerObstacle)
    /// Reports that a question about an absence is open, or with nil that none is any more.
    func asked(_ question: AbsenceQuestion?)
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
    package func asked(_ question: AbsenceQuestion?) {}
    /// Does nothing.
    package func cutOff(by obstacle: ServerObstacle) {}
}

/// A weak reference to an agent's observer, which may keep the agent alive. It is strong in Embedded Swift,
/// which has no weak references.
private struct ObserverReference {
    #if hasFeature(Embedded)
        var observer: (any AgentObserver)?
    #else
        weak var observer: (any AgentObserver)?
    #endif
}

/// The subject of a change.
package enum AgentChange: Hashable, Sendable {
    /// The log's state, or the log itself.
    case log
    /// The state of the connection, and the devices that are connected.
    case link
}
