import FocusContact
import FocusDevice
import FocusNet
import SystemKit

/// The lock and the socket of an agent. The lock ensures that a device's log has only one agent. At the socket,
/// commands reach the agent.
///
/// An endpoint lives on the agent's loop.
final class AgentEndpoint {
    private let home: Home
    private let loop: EventLoop
    private let limits: ConnectionLimits
    private var lock: AgentLock
    /// The identity of the device's log file when the agent started.
    private let log: FileIdentity?
    private var listener: Listener?
    /// Returns a handler for a new connection, or nil to refuse it.
    private var makeHandler: () -> AgentConnectionHandler? = { nil }

    init(_ home: Home, _ lock: AgentLock, on loop: EventLoop) {
        self.home = home
        self.loop = loop
        self.lock = lock
        log = FileIdentity(path: home.database)
        var limits = ConnectionLimits()
        limits.maxUnsent = 1 << 20
        self.limits = limits
    }

    /// Takes the log's lock, or returns nil if another agent runs. Waits up to 3 seconds while another agent
    /// is starting or ending, because the lock may be free after that.
    ///
    /// - Throws: `SystemError` if the lock's file can't be made.
    static func lock(_ home: Home) throws(SystemError) -> AgentLock? {
        let found = try Polling.wait(atMost: .seconds(3)) { () throws(SystemError) -> AgentLock?? in
            if let lock = try AgentLock(path: home.agentLock) { return lock }
            // `.some(nil)`: another agent runs. Nil: no agent answers, but the lock isn't free. Look again.
            return AgentConnection(home) != nil ? .some(nil) : nil
        }
        return found ?? nil
    }

    /// The path that the agent listens at, or nil if it doesn't listen.
    var socket: String? {
        if case .local(let path)? = listener?.endpoint { path } else { nil }
    }

    /// Begins to listen, and writes the address to the lock's file.
    ///
    /// - Parameter makeHandler: Returns a handler for a new connection, or nil to refuse it.
    /// - Throws: The error of the first path, if no socket can be made.
    func listen(_ makeHandler: @escaping () -> AgentConnectionHandler?) throws {
        self.makeHandler = makeHandler
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
        let makeHandler = makeHandler
        listener = try Listener(
            on: loop, at: .local(path: path), over: .plain, limits: limits
        ) { _ in makeHandler() }
        lock.writeAddress(AgentAddress(process: getpid(), socket: path))
    }

    /// Makes the lock's file and the socket again if they were removed.
    ///
    /// - Returns: The messages for `Home.agentLog`.
    /// - Throws: `AgentEndpointFailure` if the agent can't serve its log any more.
    func restore() throws(AgentEndpointFailure) -> [AgentLogEvent] {
        guard let listener else { return [] }
        guard isLogInPlace else { throw .logGone }
        var events: [AgentLogEvent] = []
        if !lock.isInPlace {
            guard let newLock = try? AgentLock(path: home.agentLock) else { throw .lockGone }
            lock = newLock
            if let socket { lock.writeAddress(AgentAddress(process: getpid(), socket: socket)) }
            events.append(.lockRecreated)
        }
        if !listener.isFound, let socket {
            try listenAgain(at: socket)
            listener.close()
            events.append(.socketRecreated)
        }
        return events
    }

    /// Whether the device's log is still the file that the agent has open. True if that can't be found out.
    private var isLogInPlace: Bool {
        if let found = FileIdentity(path: home.database) { return found == log }
        return access(home.database, F_OK) == 0 || errno != ENOENT
    }

    /// Listens again at the same path, or at the next one if another process uses it. Fails if the folder is
    /// gone for good, such as that of a login session that has ended.
    private func listenAgain(at path: String) throws(AgentEndpointFailure) {
        do {
            do {
                try listen(at: path)
            } catch let error as NetError where error.code == .addressInUse {
                try listen(makeHandler)
            }
        } catch {
            throw .socketGone(error)
        }
    }

    /// Stops listening.
    func close() {
        listener?.close()
        listener = nil
    }
}
