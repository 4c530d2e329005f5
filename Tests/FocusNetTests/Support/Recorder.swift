import FocusNet
import Synchronization

/// A handler that reports its calls to a test, and can answer by itself.
final class Recorder: ConnectionHandler, Sendable {
    /// A call to the handler.
    enum Heard: Equatable, Sendable {
        case opened(KeyHash?)
        case received([UInt8])
        case writable
        case closed(NetError.Code?)
    }

    /// The recorder's reaction to received bytes.
    enum Answer: Sendable {
        case nothing
        case echo
        case pause
        case close
        case abort
    }

    private let answer: Answer
    private let isQuiet: Bool
    private let told: AsyncStream<Heard>.Continuation
    private let heard: AsyncStream<Heard>
    private let latest = Mutex<Connection?>(nil)

    /// - Parameter quiet: Whether received bytes are only counted, and not reported.
    init(_ answer: Answer = .nothing, quiet: Bool = false) {
        self.answer = answer
        isQuiet = quiet
        (heard, told) = AsyncStream.makeStream()
    }

    /// The connection of the last call.
    var connection: Connection? { latest.withLock { $0 } }

    /// The number of bytes received.
    var byteCount: Int { received.load(ordering: .relaxed) }

    private let received = Atomic<Int>(0)

    func opened(_ connection: Connection, peer: KeyHash?) {
        latest.withLock { $0 = connection }
        told.yield(.opened(peer))
    }

    func received(_ bytes: RawSpan, on connection: Connection) {
        received.wrappingAdd(bytes.byteCount, ordering: .relaxed)
        if !isQuiet { told.yield(.received(bytes.withUnsafeBytes { Array($0) })) }
        switch answer {
        case .nothing: break
        case .echo: connection.send(bytes)
        case .pause: connection.pauseReading()
        case .close: connection.close()
        case .abort: connection.abort()
        }
    }

    func writable(_ connection: Connection) { told.yield(.writable) }

    func closed(_ connection: Connection, error: NetError?) {
        latest.withLock { $0 = nil }
        told.yield(.closed(error?.code))
        told.finish()
    }

    /// Waits for a call for which `pick` returns a value, and drops all calls before it. Returns nil if there
    /// are no more calls.
    func wait<Picked: Sendable>(_ pick: (Heard) -> Picked?) async -> Picked? {
        for await something in heard {
            if let picked = pick(something) { return picked }
        }
        return nil
    }

    /// Waits for `opened`, and returns the peer's key.
    func waitForOpening() async -> KeyHash? {
        await wait { if case .opened(let peer) = $0 { .some(peer) } else { nil } } ?? nil
    }

    /// Waits for the end of the connection, and returns its reason: `.some(nil)` for an orderly end.
    func waitForEnd() async -> NetError.Code?? {
        await wait { if case .closed(let code) = $0 { .some(code) } else { nil } }
    }

    /// Waits for the next `count` bytes, and returns them with the rest of their last piece.
    func waitForBytes(_ count: Int) async -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            guard let more = await wait({ if case .received(let more) = $0 { more } else { nil } }) else {
                break
            }
            bytes += more
        }
        return bytes
    }
}
