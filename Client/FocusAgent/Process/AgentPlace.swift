import FocusDevice
import FocusNet
import SystemKit

/// What makes an agent the one of its log, and found: its lock, and its socket.
///
/// It lives on the agent's loop.
final class AgentPlace {
    private let home: Home
    private let loop: EventLoop
    private let limits: ConnectionLimits
    private var lock: AgentLock
    /// The log that the agent was started for.
    private let log: FileIdentity?
    private var listener: Listener?
    private var makeVisitor: () -> AgentVisitor? = { nil }

    init(_ home: Home, _ lock: AgentLock, on loop: EventLoop) {
        self.home = home
        self.loop = loop
        self.lock = lock
        log = FileIdentity(path: home.database)
        var limits = ConnectionLimits()
        limits.maxUnsent = 1 << 20
        self.limits = limits
    }

    /// The log's lock; nil where an agent runs. One that just starts or ends is waited for, which may leave nobody.
    ///
    /// - Throws: where the lock's file can't be made.
    static func lock(_ home: Home) throws(SystemError) -> AgentLock? {
        let found = try Looking.wait(atMost: .seconds(3)) { () throws(SystemError) -> AgentLock?? in
            if let lock = try AgentLock(path: home.agentLock) { return lock }
            return AgentLink(home) != nil ? .some(nil) : nil
        }
        return found ?? nil
    }

    /// Where the agent listens; nil before and after.
    var socket: String? {
        if case .local(let path)? = listener?.endpoint { path } else { nil }
    }

    /// Begins to listen, and says where.
    ///
    /// - Parameter makeVisitor: who looks after somebody who comes; nobody is let in where that is nil.
    /// - Throws: where no socket can be made: what the first of them wants for.
    func listen(_ makeVisitor: @escaping () -> AgentVisitor?) throws {
        self.makeVisitor = makeVisitor
        var failure: (any Error)?
        for path in home.agentSockets {
            do {
                return try listen(at: path)
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    private func listen(at path: String) throws {
        if path == home.agentSocket { try NewFile.makeFolders(home.runtime) }
        let makeVisitor = makeVisitor
        listener = try Listener(
            on: loop, at: .local(path: path), over: .plain, limits: limits
        ) { _ in makeVisitor() }
        lock.tell(AgentAddress(process: getpid(), socket: path))
    }

    /// Makes anew what somebody took away: the lock's file, and the socket.
    ///
    /// - Returns: What was done, for the agent's log.
    /// - Throws: where the agent has lost its place.
    func restore() throws(PlaceFailure) -> [AgentLogEvent] {
        guard let listener else { return [] }
        guard isLogInPlace else { throw .logGone }
        var done: [AgentLogEvent] = []
        if !lock.isInPlace {
            guard let anew = try? AgentLock(path: home.agentLock) else { throw .lockGone }
            lock = anew
            if let socket { lock.tell(AgentAddress(process: getpid(), socket: socket)) }
            done.append(.lockMadeAnew)
        }
        if !listener.isFound, let socket {
            try listenAgain(at: socket)
            listener.close()
            done.append(.socketMadeAnew)
        }
        return done
    }

    /// Whether the log is the file that the agent has open. One that can't be looked at now may be.
    private var isLogInPlace: Bool {
        if let found = FileIdentity(path: home.database) { return found == log }
        return access(home.database, F_OK) == 0 || errno != ENOENT
    }

    /// Listens at the same path, or where another has that, at the next one. A folder that is gone for good, as that of
    /// a session that has ended, isn't gone on without.
    private func listenAgain(at path: String) throws(PlaceFailure) {
        do {
            do {
                try listen(at: path)
            } catch let error as NetError where error.code == .addressInUse {
                try listen(makeVisitor)
            }
        } catch {
            throw .socketGone(error)
        }
    }

    /// Listens no more.
    func close() {
        listener?.close()
        listener = nil
    }
}

// Where the agent is.
extension Home {
    /// What makes sure that there is one agent for the log, and says where that listens.
    package var agentLock: String { "\(data)/agent.lock" }

    /// Where an agent that is started in this environment listens: at the first of these that it can have. In the
    /// folder of what runs, another log's agent may be before it.
    package var agentSockets: [String] {
        let beside = "\(data)/agent.sock"
        return agentSocket == beside ? [beside] : [agentSocket, beside]
    }

    /// Where this log's agent listens now, in whichever environment it was started; nil where none runs,
    /// or it doesn't listen yet.
    package var presentSocket: String? {
        switch AgentLock.holder(agentLock) {
        case .agent(let address): address.socket
        // Until then another log's agent may listen where this one would in another environment.
        case .starting: nil
        case .silent: agentSocket
        case .none: nil
        }
    }

    /// What the agent says of itself.
    package var agentLog: String { "\(data)/agent.log" }
}
