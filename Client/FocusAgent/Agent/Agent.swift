package import FocusCore
package import FocusDevice
package import FocusLink
import FocusStore
import FocusSync

/// The background part of a device: holds the one live connection to the group's server, merges what arrives and
/// sends what is pressed.
///
/// It lives on one thread. Unlike a server's, that thread may wait for its database: it serves one person, and
/// another command of theirs is all that it can be waiting for.
package final class Agent {
    /// The laptop whose agent it is. It belongs to the agent's thread.
    package let device: Device
    let approaching: Approaching
    let time: any Timekeeper
    var dice: any RandomNumberGenerator
    /// Is told what happens.
    package weak var observer: (any AgentObserver)?
    /// What happened while syncing, the newest last.
    package private(set) var notices: [SyncNotice] = []
    /// What the database looked like when the agent last looked.
    private var seenChange: Int64?
    var sleeps: FoundSleeps
    /// Whether it isn't decided yet what is to be done about a sleep, and when to decide without the server.
    var isDeciding = false
    var decision: (any Alarm)?
    private var nextLook: (any Alarm)?
    /// Whether somebody follows what this laptop shows, or may at any time.
    package var isLookedAt: () -> Bool = { true }
    private var isResting = false
    private var life = Life.running

    // The connection to the server: Agent+Connection.
    var membership: Membership?
    var line = Line.idle
    var notes = LinkNotes()
    /// How the last connection ended, where that was not as it should be and none has stood since.
    package internal(set) var lastEnd: SyncEnd?
    var backoff = Backoff()
    /// When the server had last been heard as the wait for the next attempt began.
    var heardBefore: Moment?
    /// How many of the server's addresses come after the others with the next attempt, as a server there had no room, or
    /// couldn't do its work.
    var passedOver = 0

    private enum Life {
        case running, stopping, ended
    }

    /// Its way to the server.
    enum Line {
        /// There is none, and none is waited for.
        case idle
        /// The next attempt is made then.
        case waiting(any Alarm)
        case open(SyncDriver)
    }

    /// How the connection stands.
    package var link: ServerLink { notes.link }

    /// Whether it ends, or has.
    package var isStopping: Bool { life != .running }

    /// The connection to the server, from the first attempt to its end.
    var driver: SyncDriver? { if case .open(let driver) = line { driver } else { nil } }

    /// How many notices are kept.
    private static let noticeLimit = 20
    /// How often the agent looks whether anything happened that nobody told it of.
    private static let look = Duration.seconds(5)
    /// How often while nothing runs and nobody looks: nobody would see before that what it finds.
    private static let rest = Duration.seconds(20)

    /// - Parameters:
    ///   - dice: what the waits before new attempts are drawn from.
    package init(
        _ device: Device, by approaching: @escaping Approaching, time: any Timekeeper,
        dice: any RandomNumberGenerator
    ) {
        self.device = device
        self.approaching = approaching
        self.time = time
        self.dice = dice
        sleeps = FoundSleeps(device.clocks)
    }

    /// Begins to connect, and to look around.
    ///
    /// - Throws: where the log can't be read.
    package func start() throws {
        _ = try device.store.changeCount()
        attempt { try device.recordStart() }
        lookLater()
        lookAtMembership()
        awaitDecision()
    }

    /// A command changed the log, or what the device belongs to.
    package func poked() {
        wakeUp()
        sleeps.check()
        lookAtMembership()
        connectIfReached()
        driver?.sendChanges()
        logChanged()
    }

    /// Takes up what others have changed of what the device belongs to. Where that fails, it is looked at again soon.
    private func lookAtMembership() {
        attempt {
            let change = try device.store.changeCount()
            try reconsider()
            seenChange = change
        }
    }

    /// Ends in good order; the observer is told once that is done.
    package func stop() {
        guard !isStopping else { return }
        life = .stopping
        say(.stopping)
        cancelRetry()
        nextLook?.cancel()
        decision?.cancel()
        guard let driver else { return end() }
        driver.leave()
        // A server that doesn't take its leave is not waited for.
        _ = time.schedule(after: .seconds(2)) { [weak self] in self?.end() }
    }

    /// The last thing that happens.
    func end() {
        guard life != .ended else { return }
        life = .ended
        record(ServerLink(.offline))
        observer?.ended()
    }

    private func lookLater() {
        isResting = !isLookedAt() && !isRunning
        nextLook = time.schedule(after: isResting ? Agent.rest : Agent.look) { [weak self] in
            self?.lookAround()
            if self?.isStopping == false { self?.lookLater() }
        }
    }

    /// Whether the timer runs; true where that can't be read.
    private var isRunning: Bool {
        guard let state = try? device.store.state(), let now = try? device.now() else { return true }
        if case .running = TimerState(state, at: now).status { return true }
        return false
    }

    /// Somebody looks now, or something may run: looks around as often as it does then.
    package func wakeUp() {
        guard isResting, !isStopping, isLookedAt() || isRunning else { return }
        nextLook?.cancel()
        lookLater()
    }

    /// Notices what nobody told of: a command that couldn't reach the agent, and that the machine slept.
    private func lookAround() {
        sleeps.check()
        recordSleeps()
        attempt {
            if try device.store.changeCount() != seenChange { poked() }
        }
        if sleeps.hasWoken { woke() }
        if notes.isAging(at: time.now()) { record(link) }
        recordClock()
        observer?.lookedAround()
    }

    // MARK: - What others are told

    /// Tells the agent's log of something.
    func say(_ event: AgentLogEvent) { observer?.say(event) }

    /// Keeps something that the person should know. What happens again and again stands there once.
    func record(_ notice: SyncNotice) {
        observer?.noticed(notice)
        notices.removeAll { $0 == notice }
        notices.append(notice)
        if notices.count > Agent.noticeLimit { notices.removeFirst() }
    }

    /// Drops what was said of a group that the laptop has left.
    func forgetNotices() { notices = [] }

    /// Drops what was said of changes that the server didn't take, if it has all of them by now.
    func forgetRefusals() {
        guard notices.contains(where: \.isAboutUnsent) else { return }
        attempt { if try device.store.pendingCount() == 0 { notices.removeAll(where: \.isAboutUnsent) } }
    }

    /// Does something that may fail, which the log then says.
    func attempt(_ body: () throws -> Void) {
        do { try body() } catch { say(.failed(error)) }
    }
}

/// Whoever is told what the agent does. All calls come on the agent's thread.
package protocol AgentObserver: OwnWritingObserver {
    /// Something for the agent's log.
    func say(_ event: AgentLogEvent)
    /// Something happened while syncing that the person should know.
    func noticed(_ notice: SyncNotice)
    /// Something keeps the laptop from its server until a person mends it. Called once for each such thing.
    func cutOff(by obstacle: ServerObstacle)
    /// What is shown may be something else now.
    func changed(_ what: AgentChange)
    /// It has looked around, as it does every few seconds.
    func lookedAround()
    /// The agent has ended; nothing comes after this.
    func ended()
}

extension AgentObserver {
    /// Does nothing.
    package func lookedAround() {}
    /// Does nothing.
    package func cutOff(by obstacle: ServerObstacle) {}
}

/// What may be something else than it was.
package enum AgentChange: Hashable, Sendable {
    /// What the log comes to, or which log it is.
    case log
    /// How the connection stands, and who else is there.
    case link
}
