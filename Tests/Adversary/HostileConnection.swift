package import FocusNet
package import FocusSync
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The reasons for which a hostile connection or attack ends.
package enum AttackEnd: Error {
    /// The server ended the connection, with this refusal if it sent one.
    case connection(Refusal?)
    /// The bounds are met.
    case bounds
    /// The server didn't send the expected message, which the text describes.
    case silence(String)
}

/// A connection that sends any bytes, and reads the answers or doesn't.
///
/// It lives on a loop. Its methods are called on another thread and wait there.
package final class HostileConnection: ConnectionHandler, Sendable {
    private let loop: EventLoop
    private let state = Mutex(State())

    private struct State {
        var connection: Connection?
        var decoder = FrameDecoder()
        /// The last messages from the server, at most `maxMessages`.
        var messages: [Message] = []
        var refusal: Refusal?
        /// The number of bytes that were handed to the loop and not yet to the connection.
        var handedOver = 0
        /// Whether the connection has more unsent bytes than `window`.
        var isFull = false
        var isOpen = false
        var isClosed = false
        /// Whether the server's messages are dropped without being read.
        var discardsMessages = false
        /// The number of requests about the group that were sent.
        var requests: UInt64 = 0
    }

    /// The greatest number of the server's messages that are kept.
    private static let maxMessages = 512
    /// The number of bytes in flight above which `send` waits.
    private static let window = 512 << 10

    init(on loop: EventLoop) { self.loop = loop }

    /// The limits of the attacker's own connections. They count as full above `window` unsent bytes, and end
    /// only above 64 MiB.
    static var limits: ConnectionLimits {
        var limits = ConnectionLimits()
        limits.fullAbove = window
        limits.resumeBelow = window / 4
        limits.maxUnsent = 64 << 20
        return limits
    }

    /// Whether the connection has ended or failed to open.
    package var isClosed: Bool { state.withLock(\.isClosed) }

    /// Whether the TLS handshake is done.
    package var isOpen: Bool { state.withLock(\.isOpen) }

    // MARK: - Sending

    /// Sends `bytes`, which need not be a message, as soon as there is room for them.
    ///
    /// - Throws: `AttackEnd.connection` if the connection has ended; `.bounds` if `bounds` are met first.
    package func send(_ bytes: [UInt8], within bounds: AttackBounds) throws(AttackEnd) {
        while true {
            let mayGo = try state.withLock { state throws(AttackEnd) in
                guard !state.isClosed else { throw .connection(state.refusal) }
                guard !state.isFull, state.handedOver < HostileConnection.window else { return false }
                state.handedOver += bytes.count
                return true
            }
            if mayGo { break }
            try bounds.check()
            poll(nil, 0, 1)
        }
        loop.run { [self] in
            let connection = state.withLock(\.connection)
            connection?.send(bytes)
            state.withLock { state in
                state.handedOver -= bytes.count
                state.isFull = connection?.isFull ?? false
            }
        }
    }

    /// Sends a request about the group, and returns its number.
    ///
    /// - Throws: As `send`.
    @discardableResult
    package func sendRequest(
        _ request: GroupRequest, within bounds: AttackBounds
    ) throws(AttackEnd) -> RequestNumber {
        let number = state.withLock { state in
            state.requests += 1
            return RequestNumber(state.requests)
        }
        try send(.request(number, request), within: bounds)
        return number
    }

    /// Stops reading from the socket, so that the server's answers queue up on the server.
    package func stopReading() { loop.run { [self] in state.withLock(\.connection)?.pauseReading() } }

    /// Reads the server's messages from the socket and drops them.
    package func discardMessages() {
        state.withLock { state in
            state.discardsMessages = true
            state.messages = []
        }
    }

    /// Ends the connection without a goodbye.
    package func abort() { loop.run { [self] in state.withLock(\.connection)?.abort() } }

    // MARK: - Receiving

    /// Waits for a message for which `pick` returns a value, and returns that value. Drops the messages
    /// before it.
    ///
    /// - Parameters:
    ///     - what: The expected message's description for `AttackEnd.silence`.
    /// - Throws: `AttackEnd.connection` if the connection has ended; `.silence` if `bounds` are met first.
    package func receive<Picked>(
        _ what: String, within bounds: AttackBounds, _ pick: (Message) -> Picked?
    ) throws(AttackEnd) -> Picked {
        while true {
            let picked: Picked? = try state.withLock { state throws(AttackEnd) in
                for (index, message) in state.messages.enumerated() {
                    guard let picked = pick(message) else { continue }
                    state.messages.removeFirst(index + 1)
                    return picked
                }
                guard !state.isClosed else { throw .connection(state.refusal) }
                return nil
            }
            if let picked { return picked }
            do throws(AttackEnd) { try bounds.check() } catch { throw .silence(what) }
            poll(nil, 0, 1)
        }
    }

    // MARK: - On the loop

    func attach(_ connection: Connection) { state.withLock { $0.connection = connection } }

    package func opened(_ connection: Connection, peer: KeyHash?) { state.withLock { $0.isOpen = true } }

    package func received(_ bytes: RawSpan, on connection: Connection) {
        state.withLock { state in
            if state.discardsMessages { return }
            state.decoder.append(bytes.withUnsafeBytes { Array($0) }[...])
            while let frame = try? state.decoder.next(), let message = try? Message(frame) {
                if case .error(let refusal) = message { state.refusal = refusal }
                state.messages.append(message)
            }
            if state.messages.count > HostileConnection.maxMessages {
                state.messages.removeFirst(state.messages.count - HostileConnection.maxMessages)
            }
        }
    }

    package func writable(_ connection: Connection) { state.withLock { $0.isFull = false } }

    package func closed(_ connection: Connection, error: NetError?) {
        state.withLock { state in
            state.isClosed = true
            state.connection = nil
        }
    }
}
