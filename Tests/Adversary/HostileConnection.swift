package import FocusNet
package import FocusSync
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What a hostile member does can't go on.
package enum AttackEnd: Error {
    /// The server ended the connection; the refusal says why, where it said so.
    case connection(Refusal?)
    /// It has said as much, or for as long, as it may.
    case bounds
    /// The server didn't say what was waited for.
    case silence(String)
}

/// A connection of somebody who says whatever it is told to, and reads or doesn't.
///
/// It lives on a loop; whoever uses it is on another thread, and waits there.
package final class HostileConnection: ConnectionHandler, Sendable {
    private let loop: EventLoop
    private let state = Mutex(State())

    private struct State {
        var connection: Connection?
        var decoder = FrameDecoder()
        /// What the server said last.
        var messages: [Message] = []
        var refusal: Refusal?
        /// How many bytes were handed over that the loop hasn't seen.
        var handedOver = 0
        /// Whether the socket has more than enough to do.
        var isFull = false
        var isOpen = false
        var isClosed = false
        /// Whether what the server says is thrown away unread.
        var isDeaf = false
    }

    /// No more is kept of what the server said.
    private static let kept = 512
    /// With so many bytes under way it waits, as one who fills the socket and no more.
    private static let window = 512 << 10

    init(on loop: EventLoop) { self.loop = loop }

    /// What holds for a connection that connects: it may hold as much unsent as anybody would like to.
    static var limits: ConnectionLimits {
        var limits = ConnectionLimits()
        limits.fullAbove = window
        limits.resumeBelow = window / 4
        limits.maxUnsent = 64 << 20
        return limits
    }

    /// Whether the connection is over, or never came about.
    package var isClosed: Bool { state.withLock(\.isClosed) }

    /// Whether the other side has shown its key.
    package var isOpen: Bool { state.withLock(\.isOpen) }

    // MARK: - Saying

    /// Sends bytes, whatever they mean, as soon as there is room for them.
    ///
    /// - Throws: `AttackEnd.connection`; `.bounds` once `bounds` are met.
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

    /// Takes nothing more from the socket: what the server says stays with the server.
    package func stopReading() { loop.run { [self] in state.withLock(\.connection)?.pauseReading() } }

    /// Takes what the server says from the socket, and throws it away unread.
    package func ignore() {
        state.withLock { state in
            state.isDeaf = true
            state.messages = []
        }
    }

    /// Ends it without a word.
    package func abort() { loop.run { [self] in state.withLock(\.connection)?.abort() } }

    // MARK: - Hearing

    /// What `pick` makes of a message that has come, or comes; what came before it is forgotten.
    package func next<Picked>(
        _ what: String, within bounds: AttackBounds, _ pick: (Message) -> Picked?
    ) throws(AttackEnd) -> Picked {
        while true {
            let picked: Picked? = try state.withLock { state throws(AttackEnd) in
                for (place, message) in state.messages.enumerated() {
                    guard let picked = pick(message) else { continue }
                    state.messages.removeFirst(place + 1)
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

    func begin(_ connection: Connection) { state.withLock { $0.connection = connection } }

    package func opened(_ connection: Connection, peer: KeyHash?) { state.withLock { $0.isOpen = true } }

    package func received(_ bytes: RawSpan, on connection: Connection) {
        state.withLock { state in
            if state.isDeaf { return }
            state.decoder.append(bytes.withUnsafeBytes { Array($0) }[...])
            while let frame = try? state.decoder.next(), let message = try? Message(frame) {
                if case .error(let refusal) = message { state.refusal = refusal }
                state.messages.append(message)
            }
            if state.messages.count > HostileConnection.kept {
                state.messages.removeFirst(state.messages.count - HostileConnection.kept)
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
