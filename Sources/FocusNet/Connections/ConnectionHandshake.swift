/// The TLS session of a connection, from its settings to its end.
final class ConnectionHandshake {
    private unowned let connection: Connection
    /// The settings with which TLS begins once connected; nil on a plain connection.
    private let security: Connection.Security?
    /// The TLS session; nil before it begins, after the end, and on a plain connection.
    private(set) var session: TLSSession?
    /// Whether the peer was sent this side's part of the handshake and hasn't answered yet.
    private var isAnswerAwaited = false

    init(of connection: Connection, _ security: Connection.Security?) {
        self.connection = connection
        self.security = security
    }

    var isPlain: Bool { security == nil }

    /// Begins the handshake. A server starts its session only when the client's first bytes arrive, because
    /// it sends nothing earlier and a session takes memory. If many clients come at once, most wait for their
    /// handshake.
    func begin() {
        if case .client? = security?.role { advance() }
    }

    /// Frees the session.
    func end() { session = nil }

    /// Returns the TLS session, and makes it if it doesn't exist yet. Returns nil on a plain connection, or
    /// if no session can be made, which ends the connection.
    func makeSessionIfNeeded() -> TLSSession? {
        if let session { return session }
        guard let security else { return nil }
        do throws(NetError) {
            let session = try TLSSession(
                security.role, context: security.context, output: connection.loop.buffers.sealed)
            self.session = session
            return session
        } catch {
            connection.end(with: error)
            return nil
        }
    }

    /// Advances the handshake by the bytes in the session's input. If it completes, bytes after it stay there
    /// for the handler.
    func advance() {
        guard let tls = makeSessionIfNeeded() else { return }
        do throws(NetError) {
            let isDone = try tls.handshake()
            isAnswerAwaited = !isDone && !connection.loop.buffers.sealed.isEmpty
            connection.output.writeSealed()
            if isDone && connection.phase == .handshaking { connection.becomeOpen(peer: tls.peerKey) }
        } catch {
            connection.endAfterAlert(with: error)
        }
    }

    /// Asks the loop to let the handshake advance in this turn. A peer that has just answered goes before
    /// others, once for each answer (`HandshakeLimiter`).
    ///
    /// - Returns: Whether it may. If not, the loop calls `continueHandshake` in a later turn.
    func requestTurn() -> Bool {
        let answers = isAnswerAwaited
        isAnswerAwaited = false
        return connection.loop.requestHandshakeTurn(connection, answers: answers)
    }
}
