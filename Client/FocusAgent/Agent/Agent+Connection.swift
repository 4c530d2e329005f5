package import FocusCore
import FocusDevice
package import FocusLink
import FocusSeal
package import FocusSync

// The connection to the group's server.
extension Agent {
    /// Whether the server's welcome has come.
    package var isConnected: Bool { driver?.isConnected ?? false }

    /// Whether all is here that the server had as the connection was made; also where there is none.
    package var hasCaughtUp: Bool { driver.map { !$0.isConnected || $0.hasCaughtUp } ?? true }

    /// Looks what the device belongs to, and sees to it that it is connected there.
    ///
    /// - Throws: where that can't be read; all stays as it is then.
    func reconsider() throws {
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
        // Where there is a connection, the next begins as it ends.
        if driver == nil { connect() }
    }

    private func connect() {
        guard membership != nil, !isStopping else { return record(ServerLink(.offline)) }
        record(ServerLink(.connecting))
        do {
            // The last connection, or a command's, may have learnt of another key of the server's.
            membership = try Membership(device)
            guard let membership else { return record(ServerLink(.offline)) }
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

    /// The machine was asleep: the connection is likely dead, and the network is there again.
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

    /// No further attempt is waited for.
    func cancelRetry() {
        guard case .waiting(let alarm) = line else { return }
        alarm.cancel()
        line = .idle
    }

    /// Takes note of how the connection stands, for whoever shows it.
    func record(_ link: ServerLink) {
        notes.change(to: link, at: time.now())
        attempt { try device.record(link) }
        observer?.changed(.link)
    }

    /// Records what keeps the laptop from its server, and tells of it once if a person has to do something about it.
    private func record(_ obstacle: ServerObstacle?) {
        guard let obstacle, membership != nil else { return }
        attempt {
            if try device.record(obstacle), obstacle.needsPerson { observer?.cutOff(by: obstacle) }
        }
    }

    /// Takes note of the clock that was learnt. The disk may have been full before, and what is learnt next may be
    /// minutes away.
    func recordClock() {
        attempt { try notes.recordClock { try device.record($0) } }
    }

    /// Connects at once if a command has reached the server while this waits for its next attempt.
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
    /// An agent never asks to be let in.
    package func enrolled(_ enrolled: Enrolled) throws -> SealedLog? { nil }

    /// Notes who is there, forgets how the last connection ended, and begins the waits before new attempts anew.
    package func connected(_ presence: [Presence]) {
        lastEnd = nil
        backoff.reset()
        say(.connected)
        record(ServerLink(.online, online: presence.filter(\.isConnected).map(\.device)))
    }

    /// Hands it on to the observer.
    package func wrote(_ written: [Event], on occasion: OwnWriting, at now: SharedInstant) {
        observer?.wrote(written, on: occasion, at: now)
    }

    /// Has views look again.
    package func logChanged() {
        wakeUp()
        observer?.changed(.log)
    }

    /// Nothing: an agent makes no invites.
    package func keyStands() {}

    // Not first once all is settled: a change of the group's key may be open for a while.
    /// Has views show how many events still wait. Once none does, why some weren't taken is no longer said.
    package func acknowledged() {
        forgetRefusals()
        observer?.changed(.link)
    }

    /// Nothing: the connection stays.
    package func becameIdle(_ traffic: SyncTraffic) {}

    /// Keeps what was learnt of shared time. Where that can't be written, as on a full disk, it is tried again every
    /// few seconds.
    package func clockLearnt(_ clock: ClockEstimate) {
        notes.learn(clock)
        recordClock()
    }

    /// Notes when the server was heard, at most every 5 seconds.
    package func heard() {
        if notes.heard(at: time.now()) { attempt { try device.recordHeard() } }
    }

    /// Notes who is there now.
    package func presenceChanged(_ presence: [Presence]) {
        var online = Set(link.online)
        for device in presence {
            if device.isConnected {
                // No group has more, whatever a server says.
                guard online.count < Limits.devices else { continue }
                online.insert(device.device)
            } else {
                online.remove(device.device)
            }
        }
        record(ServerLink(.online, online: online.sorted { $0.precedes($1) }))
    }

    /// Keeps it for whoever asks how things stand (`notices`), and tells the observer.
    package func notice(_ notice: SyncNotice) { record(notice) }

    /// Tells of a device that the server won't list or keep out. What was done needs no word.
    package func answered(_ subject: Digest, _ refusal: Refusal?) {
        // A device that was shut out here may be another group's by now, and isn't let in either way.
        guard let refusal, refusal.code != .notAllowed else { return }
        // A long roster is refused piece by piece, and with each connection again.
        let unlisted = SyncNotice.unlisted(refusal)
        if !notices.contains(unlisted) { notice(unlisted) }
    }

    /// Notes that it is offline, and why. Connects again: at once after a sleep or where it left by itself, else after
    /// a while; not where it is stopping or in no group.
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
        record(ServerLink(.offline))
        guard membership != nil else { return }
        if sleeps.hasWoken { return woke() }
        if case .closed(.finished) = end { return connect() }
        tryAgainLater()
    }
}

/// What an agent notes of its connection where commands can read it, and how fresh that is.
struct LinkNotes {
    /// How the connection stands.
    private(set) var link = ServerLink(.offline)
    private var notedAt = SteadyInstant.zero
    private var heardAt: SteadyInstant?
    /// What was learnt of shared time, where the log has yet to take note of it.
    private var clock: ClockEstimate?

    /// The connection stands like this from now on, and that is noted.
    mutating func change(to link: ServerLink, at now: SteadyInstant) {
        self.link = link
        notedAt = now
    }

    /// Whether the note has to be made again before it grows stale.
    func isAging(at now: SteadyInstant) -> Bool {
        link.state != .offline && now - notedAt > ServerLink.goodFor / 3
    }

    /// The server was heard: whether to note that. Every 5 seconds is often enough for the 30 seconds after which a
    /// session begins offline.
    mutating func heard(at now: SteadyInstant) -> Bool {
        if let heardAt, now - heardAt <= .seconds(5) { return false }
        heardAt = now
        return true
    }

    /// Shared time was learnt.
    mutating func learn(_ clock: ClockEstimate) { self.clock = clock }

    /// Has the log take note of the clock that was learnt. Where that fails, as on a full disk, it stays to be noted.
    mutating func recordClock(_ body: (ClockEstimate) throws -> Void) rethrows {
        guard let clock else { return }
        try body(clock)
        self.clock = nil
    }
}
