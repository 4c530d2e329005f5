import FocusCore
import FocusNet
import FocusStore
import FocusSync

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The background part of a device: holds the one live connection to the group's server, merges what arrives and
/// sends what is pressed, and tells those who follow.
///
/// It lives on one event loop. Unlike a server's, that loop may wait for its database: it serves one person, and
/// another command of theirs is all that it can be waiting for.
final class Agent {
    let device: Device
    let loop: EventLoop
    private let log: AgentLog
    private var listener: Listener?
    private var followers: [UInt64: Connection] = [:]
    private var notices: [String] = []
    /// What the database looked like when the agent last looked.
    private var seenChange: Int64 = 0
    private var sleepWatch = SleepWatch()
    private(set) var isStopping = false

    // The connection to the server: Agent+Connection.
    var membership: Membership?
    var driver: SyncDriver?
    var link = ServerLink(.offline)
    var problem: String?
    var backoff = Backoff()
    var retry: LoopTimer?
    var notedAt: Int64 = 0
    var heardAt: Int64 = 0

    /// How many notices are kept for `agent status`.
    private static let noticeLimit = 20
    /// How often the agent looks whether anything happened that nobody told it of.
    private static let look = Duration.seconds(5)

    /// On the loop's thread only, as everything here.
    init(_ device: Device, on loop: EventLoop, log: AgentLog) {
        self.device = device
        self.loop = loop
        self.log = log
    }

    /// Begins to listen and to connect. Throws where another agent listens already, or the socket can't be made.
    func start() throws {
        seenChange = try device.store.changeCount()
        var limits = ConnectionLimits()
        limits.maxUnsent = 1 << 20
        listener = try Listener(
            on: loop, at: .local(path: device.home.agentSocket), over: .plain, limits: limits
        ) { [weak self] _ in self.map(AgentVisitor.init) }
        for signal in [SIGTERM, SIGINT, SIGHUP] { try loop.onSignal(signal) { [weak self] in self?.stop() } }
        loop.schedule(every: Agent.look) { [weak self] in self?.lookAround() }
        say("started, process \(getpid())")
        reconsider()
    }

    /// Ends in good order.
    func stop() {
        guard !isStopping else { return }
        isStopping = true
        say("stopping")
        listener?.close()
        retry?.cancel()
        for follower in followers.values { follower.close() }
        guard let driver else { return end() }
        driver.leave()
        loop.schedule(after: .seconds(2)) { [weak self] in self?.end() }
    }

    /// The last thing that happens.
    func end() {
        note(ServerLink(.offline))
        loop.stop()
    }

    /// How things stand.
    var status: AgentStatus {
        AgentStatus(
            process: getpid(), version: Lockstep.version, link: link, problem: problem, notices: notices)
    }

    /// Writes a line to the agent's log.
    func say(_ line: String) { log.write(line) }

    /// Keeps something that the person should know. What happens again and again stands there once.
    func keep(_ notice: String) {
        say(notice)
        notices.removeAll { $0 == notice }
        notices.append(notice)
        if notices.count > Agent.noticeLimit { notices.removeFirst() }
    }

    /// Does something that may fail, which the log then says.
    func attempt(_ body: () throws -> Void) {
        do { try body() } catch { say("error: \(error)") }
    }
}

// MARK: - What commands ask

extension Agent {
    /// A command changed the log, or what the device belongs to.
    func poked() {
        attempt { seenChange = try device.store.changeCount() }
        reconsider()
        driver?.logChanged()
        tellFollowers()
    }

    func follow(_ connection: Connection) {
        followers[connection.id] = connection
        connection.send(Array(AgentCall.changed.utf8))
    }

    func left(_ connection: Connection) { followers[connection.id] = nil }

    func tellFollowers() {
        for follower in followers.values where !follower.isFull {
            follower.send(Array(AgentCall.changed.utf8))
        }
    }

    /// Notices what nobody told of: a command that couldn't reach the agent, and that the machine slept.
    private func lookAround() {
        guard access(device.home.agentSocket, F_OK) == 0 else {
            say("the socket is gone")
            return stop()
        }
        attempt {
            if try device.store.changeCount() != seenChange { poked() }
        }
        if sleepWatch.hasSlept() { woke() }
        if link.state != .offline, SystemClock.sinceBoot() - notedAt > ServerLink.goodFor / 3 { note(link) }
    }
}
