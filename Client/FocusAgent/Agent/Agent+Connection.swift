package import FocusCore
import FocusDevice
package import FocusLink
import FocusSeal
package import FocusSync

// The connection to the group's server.
extension Agent {
    /// Whether the server's welcome has arrived.
    package var isConnected: Bool { driver?.isConnected ?? false }

    /// Whether all events are here that the server had when the connection was made. True if the agent isn't
    /// connected.
    package var reachedWelcome: Bool { driver.map { !$0.isConnected || $0.reachedWelcome } ?? true }

    /// Reloads the membership, and reconnects if it changed.
    ///
    /// - Throws: An error if the membership can't be read; nothing changes then.
    func reloadMembership() throws {
        guard !isStopping else { return }
        let present = try Membership(device)
        let isSame = present?.continues(membership) ?? (membership == nil)
        if let former = membership, former.group != present?.group { forgetNotices() }
        membership = present
        guard !isSame else { return }
        lastEnd = nil
        driver?.leave()
        cancelRetry()
        backoff.reset()
        passedOver = 0
        // If a connection is open, the next one begins when it ends.
        if driver == nil { connect() }
    }

    private func connect() {
        guard membership != nil, !isStopping else { return record(ConnectionState(.offline)) }
        record(ConnectionState(.connecting))
        do {
            // The last connection, or a command's, may have learnt a new key of the server.
            membership = try Membership(device)
            guard let membership else { return record(ConnectionState(.offline)) }
            guard let log = try SealedLog(device.store) else { return }
            let driver = try SyncDriver(
                of: device, .sync(log), to: membership.server,
                by: { [passedOver] in try self.approaching($0, $1).passing(over: passedOver) },
                within: nil, pace: .afterAWhile, time: time, observer: self)
            line = .open(driver)
            driver.start()
        } catch {
            ended(SyncEnd(failing: error))
        }
    }

    /// Reconnects after a suspension of the machine: the connection is probably dead, and the network is
    /// back.
    func woke() {
        sleeps.wokeUp()
        say(.woke)
        backoff.reset()
        passedOver = 0
        guard driver == nil else {
            driver?.leave()
            return
        }
        cancelRetry()
        connect()
    }

    func cancelRetry() {
        guard case .waiting(let alarm) = line else { return }
        alarm.cancel()
        line = .idle
    }

    /// Records the connection's state for status views.
    func record(_ link: ConnectionState) {
        notes.change(to: link, at: time.now())
        attempt { try device.record(link) }
        observer?.changed(.link)
    }

    /// Records the obstacle between the laptop and its server. Reports a new obstacle if a person has to
    /// remove it.
    private func record(_ obstacle: ServerObstacle?) {
        guard let obstacle, membership != nil else { return }
        attempt {
            if try device.record(obstacle), obstacle.needsPerson { observer?.cutOff(by: obstacle) }
        }
    }

    /// Records the last estimate of shared time, if that isn't done yet. The disk may have been full before,
    /// and the next estimate may be minutes away.
    func recordClock() {
        attempt { try notes.recordClock { try device.record($0) } }
    }

    /// Connects at once if a command has reached the server while the agent waits for its next attempt.
    func connectIfReached() {
        guard case .waiting = line else { return }
        attempt {
            guard try device.lastHeard() != heardBefore else { return }
            cancelRetry()
            backoff.reset()
            connect()
        }
    }

    private func tryAgainLater() {
        attempt { heardBefore = try device.lastHeard() }
        let wait = backoff.next(after: lastEnd?.patience ?? .zero, using: &dice)
        line = .waiting(
            time.schedule(after: wait) { [weak self] in
                self?.line = .idle
                self?.connect()
            })
    }
}

extension Agent: SyncObserver {
    /// Returns nil: an agent never asks to be let in.
    package func enrolled(_ enrolled: Enrolled) throws -> SealedLog? { nil }

    /// Records which devices are connected, and resets the retry delay.
    package func connected(_ presence: [Presence]) {
        lastEnd = nil
        backoff.reset()
        say(.connected)
        record(ConnectionState(.online, online: presence.filter(\.isConnected).map(\.device)))
    }

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

    // This doesn't wait for `becameIdle`: a change of the group's key may stay open for a while.
    /// Lets views show how many events are still pending. If none are, drops the notices about refused
    /// events.
    package func acknowledged() {
        forgetRefusals()
        observer?.changed(.link)
    }

    /// Does nothing: the connection stays open.
    package func becameIdle(_ traffic: SyncTraffic) {}

    /// Records the estimate of shared time. If that fails, for example on a full disk, it is tried again
    /// every few seconds.
    package func clockLearnt(_ clock: ClockEstimate) {
        notes.learn(clock)
        recordClock()
    }

    /// Records when the server was heard, at most every 5 seconds.
    package func heard() {
        if notes.heard(at: time.now()) { attempt { try device.recordHeard() } }
    }

    /// Records which devices are connected now.
    package func presenceChanged(_ presence: [Presence]) {
        var online = Set(link.online)
        for device in presence {
            if device.isConnected {
                // No group has more devices, even if a server says so.
                guard online.count < Limits.devices else { continue }
                online.insert(device.device)
            } else {
                online.remove(device.device)
            }
        }
        record(ConnectionState(.online, online: online.sorted { $0.precedes($1) }))
    }

    /// Adds the notice to `notices`, and tells the observer.
    package func notice(_ notice: SyncNotice) { record(notice) }

    /// Reports a device that the server won't list or revoke. A request that was granted needs no report.
    package func answered(_ request: GroupRequest, _ refusal: Refusal?) {
        // A device that was revoked here may be in another group by now. It isn't let in either way.
        guard let refusal, refusal.code != .notAllowed, request.isAboutDevices else { return }
        // A long roster is refused piece by piece, and again on each connection.
        let unlisted = SyncNotice.unlisted(refusal)
        if !notices.contains(unlisted) { notice(unlisted) }
    }

    /// Records that the laptop is offline, and why. Then connects again, unless the agent is stopping or the
    /// laptop is in no group: at once after a suspension or if the agent closed the connection itself,
    /// otherwise after a delay.
    package func ended(_ end: SyncEnd) {
        line = .idle
        if isStopping { return self.end() }
        passedOver = end.isOfOneServer ? passedOver + 1 : 0
        sleeps.check()
        recordSleeps()
        if case .closed(.finished) = end {
            lastEnd = nil
        } else {
            lastEnd = end
            say(.offline(end))
            if !sleeps.hasWoken { record(end.obstacle) }
        }
        record(ConnectionState(.offline))
        guard membership != nil else { return }
        if sleeps.hasWoken { return woke() }
        if case .closed(.finished) = end { return connect() }
        tryAgainLater()
    }
}

/// The agent's records about its connection, which commands read, and the age of these records.
struct LinkRecorder {
    /// The state of the connection.
    private(set) var link = ConnectionState(.offline)
    /// When the state of the connection was last recorded.
    private var notedAt = SteadyInstant.zero
    /// When it was last recorded that the server was heard; nil if it never was.
    private var heardAt: SteadyInstant?
    /// The estimate of shared time that isn't recorded yet.
    private var clock: ClockEstimate?

    /// Notes the new state of the connection, which is recorded at this time.
    mutating func change(to link: ConnectionState, at now: SteadyInstant) {
        self.link = link
        notedAt = now
    }

    /// Whether the record has to be renewed before it becomes invalid.
    func isAging(at now: SteadyInstant) -> Bool {
        link.state != .offline && now - notedAt > ConnectionState.goodFor / 3
    }

    /// Returns whether to record that the server was heard just now. Every 5 seconds is often enough: a
    /// session begins offline after 30 seconds of silence.
    mutating func heard(at now: SteadyInstant) -> Bool {
        if let heardAt, now - heardAt <= .seconds(5) { return false }
        heardAt = now
        return true
    }

    /// Keeps an estimate of shared time until it is recorded.
    mutating func learn(_ clock: ClockEstimate) { self.clock = clock }

    /// Records the estimate of shared time by `body`. If that throws, for example on a full disk, the
    /// estimate is kept.
    mutating func recordClock(_ body: (ClockEstimate) throws -> Void) rethrows {
        guard let clock else { return }
        try body(clock)
        self.clock = nil
    }
}
