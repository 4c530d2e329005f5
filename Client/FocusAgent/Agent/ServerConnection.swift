import FocusContact
import FocusCore
import FocusDevice
package import FocusLink
import FocusStore
import FocusSync

/// An agent's connection to the group's server. If the connection ends, it opens another.
package final class ServerConnection {
    @Weak var agent: Agent?
    private let device: Device
    /// Returns the routes to a server.
    private let routes: ServerRoutesProvider
    private let recorder: LinkRecorder
    private let time: any Scheduler
    private var dice: DrawnNumbers
    private let movedServer: MovedServer
    private var membership: Membership?
    private var line = Line.idle
    /// Whether the server was gone from this laptop (`MovedServer.isGone`) as the last connection began.
    private var wasServerGone = false
    /// The end of the last connection, if it ended with a problem and no connection was made since.
    package private(set) var lastEnd: SyncEnd?
    private var backoff = Backoff()
    /// The time at which the server was last heard when the wait for the next attempt began.
    private var heardBefore: Moment?
    /// The number of server addresses to try after all others in the next attempt. A server at these
    /// addresses had no room, or couldn't do its work.
    private var passedOver = 0

    /// The state of the connection to the server.
    private enum Line {
        /// There is no connection, and no attempt is planned.
        case idle
        /// The next attempt is made at this alarm.
        case waiting(any Alarm)
        case open(SyncDriver)
    }

    init(
        _ device: Device, _ recorder: LinkRecorder, by routes: @escaping ServerRoutesProvider,
        time: any Scheduler, random: @escaping () -> UInt64, movedServer: MovedServer
    ) {
        dice = DrawnNumbers(draw: random)
        self.movedServer = movedServer
        self.device = device
        self.recorder = recorder
        self.routes = routes
        self.time = time
    }

    /// The connection to the server, from the first attempt to its end.
    private var driver: SyncDriver? { if case .open(let driver) = line { driver } else { nil } }

    /// Whether the laptop is in a group with a server.
    var isInGroup: Bool { membership != nil }

    /// Whether the server's welcome has arrived.
    package var isConnected: Bool { driver?.isConnected ?? false }

    /// Whether all events are here that the server had when the connection was made. True if the agent isn't
    /// connected.
    package var reachedWelcome: Bool { driver.map { !$0.isConnected || $0.reachedWelcome } ?? true }

    /// Reloads the membership, and reconnects if it changed.
    ///
    /// - Throws: An error if the membership can't be read; nothing changes then.
    func reloadMembership() throws(StoreError) {
        let present = try Membership(device)
        let isSame = present?.continues(membership) ?? (membership == nil)
        if let former = membership, former.group != present?.group { agent?.forgetNotices() }
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
        guard let agent, membership != nil, !agent.isStopping else {
            return recorder.record(ConnectionState(.offline))
        }
        recorder.record(ConnectionState(.connecting))
        do throws(LocalFailure) {
            // The last connection, or a command's, may have learnt a new key of the server.
            membership = try LocalFailure.converting { () throws(StoreError) in try Membership(device) }
            guard let membership else { return recorder.record(ConnectionState(.offline)) }
            guard let log = try SealedLog(device.store) else { return }
            wasServerGone = movedServer.isGone(membership.server)
            let driver = try SyncDriver(
                of: device, .sync(log), to: membership.server,
                by: { [passedOver] (server, patience) throws(LocalFailure) in
                    try self.routes(server, patience).rotated(by: passedOver)
                },
                within: nil, pace: .afterAWhile, time: time, observer: agent)
            line = .open(driver)
            driver.start()
        } catch {
            agent.ended(SyncEnd(failing: error))
        }
    }

    /// Ends the connection, or the wait for the next attempt, and connects again at once.
    package func renew() {
        backoff.reset()
        passedOver = 0
        if leave() { return }
        cancelRetry()
        connect()
    }

    /// Begins to close the connection. Returns false if there is none.
    func leave() -> Bool {
        guard let driver else { return false }
        driver.leave()
        return true
    }

    /// Sends the events that were written here.
    func sendChanges() { driver?.sendChanges() }

    func cancelRetry() {
        guard case .waiting(let alarm) = line else { return }
        alarm.cancel()
        line = .idle
    }

    /// Connects at once if the server has answered a command while the agent waits for its next attempt.
    func connectIfServerAnswered() {
        guard case .waiting = line else { return }
        agent?.attempt { () throws(StoreError) in
            guard try device.lastContact() != heardBefore else { return }
            cancelRetry()
            backoff.reset()
            connect()
        }
    }

    // MARK: - Events of the connection

    /// Records which devices are connected, and resets the retry delay.
    func connected(_ presence: [Presence]) {
        lastEnd = nil
        backoff.reset()
        // The welcome may have named other addresses. They are for the next connection.
        agent?.attempt { () throws(StoreError) in
            if let learnt = try Membership(device), learnt.isAtServer(of: membership) { membership = learnt }
        }
        movedServer.recordAnswer(membership?.server, wasServerGone)
        agent?.log(.connected)
        recorder.record(
            ConnectionState(.online, online: presence.filter { $0.isConnected }.map { $0.device }))
    }

    /// Drops the connection, which has ended.
    func close(after end: SyncEnd) {
        line = .idle
        passedOver = end.isOfOneServer ? passedOver + 1 : 0
    }

    /// Records that the laptop is offline, and why. Reports a new obstacle if a person has to remove it.
    ///
    /// - Parameter hasWoken: Whether the machine was suspended, so that the end is no obstacle.
    func record(_ end: SyncEnd, hasWoken: Bool) {
        if case .closed(.finished) = end {
            lastEnd = nil
        } else {
            lastEnd = end
            // A command that leaves the group asks the server to shut this laptop out. That is no news.
            let isLeaving = end.obstacle == .revoked && (try? device.isLeaving()) == true
            if !isLeaving { agent?.log(.offline(end)) }
            if !hasWoken, membership != nil, let obstacle = end.obstacle {
                agent?.attempt { () throws(StoreError) in
                    if try device.record(obstacle), obstacle.needsPerson, !isLeaving {
                        agent?.observer?.cutOff(by: obstacle)
                    }
                }
            }
        }
        recorder.record(ConnectionState(.offline))
    }

    /// Connects again: at once if the agent closed the connection itself, otherwise after a delay.
    func retry(after end: SyncEnd) {
        if case .closed(.finished) = end { return connect() }
        agent?.attempt { () throws(StoreError) in heardBefore = try device.lastContact() }
        let wait = backoff.next(after: end.patience, using: &dice)
        line = .waiting(
            time.schedule(after: wait) { [connection = Weak(wrappedValue: self)] in
                connection.wrappedValue?.line = .idle
                connection.wrappedValue?.connect()
            })
    }
}

/// Random numbers that a function draws. Embedded Swift has no `any RandomNumberGenerator`.
private struct DrawnNumbers: RandomNumberGenerator {
    let draw: () -> UInt64

    func next() -> UInt64 { draw() }
}

/// The group's server if it was on this machine and may have moved to another one.
package struct MovedServer {
    /// Returns whether the group's server was on this machine, may have moved, and doesn't run here.
    let isGone: (ServerAddress) -> Bool
    /// Records that the group's server has answered, and whether it was gone as the connection began.
    let recordAnswer: (ServerAddress?, _ wasGone: Bool) -> Void

    /// No server: the machine never had one.
    package static var none: MovedServer { MovedServer(isGone: { _ in false }, recordAnswer: { _, _ in }) }

    /// A server that these functions know of.
    init(
        isGone: @escaping (ServerAddress) -> Bool, recordAnswer: @escaping (ServerAddress?, Bool) -> Void
    ) {
        self.isGone = isGone
        self.recordAnswer = recordAnswer
    }
}
