import FocusNet
import Synchronization

/// A handler that reports its calls to a test, and can answer by itself.
final class Recorder: ConnectionHandler, Sendable {
    /// A call to the handler.
    enum Call: Equatable, Sendable {
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
    /// The end of `calls` to which the handler adds its calls.
    private let sink: AsyncStream<Call>.Continuation
    /// The calls that the test hasn't read yet.
    private let calls: AsyncStream<Call>
    private let latest = Mutex<Connection?>(nil)

    /// - Parameter quiet: Whether received bytes are only counted, and not reported.
    init(_ answer: Answer = .nothing, quiet: Bool = false) {
        self.answer = answer
        isQuiet = quiet
        (calls, sink) = AsyncStream.makeStream()
    }

    /// The connection of the last call.
    var connection: Connection? { latest.withLock { $0 } }

    /// The number of bytes received.
    var byteCount: Int { received.load(ordering: .relaxed) }

    private let received = Atomic<Int>(0)

    func opened(_ connection: Connection, peer: KeyHash?) {
        latest.withLock { $0 = connection }
        sink.yield(.opened(peer))
    }

    func received(_ bytes: RawSpan, on connection: Connection) {
        received.wrappingAdd(bytes.byteCount, ordering: .relaxed)
        if !isQuiet { sink.yield(.received(bytes.withUnsafeBytes { Array($0) })) }
        switch answer {
        case .nothing: break
        case .echo: connection.send(bytes)
        case .pause: connection.pauseReading()
        case .close: connection.close()
        case .abort: connection.abort()
        }
    }

    func writable(_ connection: Connection) { sink.yield(.writable) }

    func closed(_ connection: Connection, error: NetError?) {
        latest.withLock { $0 = nil }
        sink.yield(.closed(error?.code))
        sink.finish()
    }

    /// Waits for a call for which `pick` returns a value, and drops all calls before it. Returns nil if there
    /// are no more calls.
    func wait<Picked: Sendable>(_ pick: (Call) -> Picked?) async -> Picked? {
        for await call in calls {
            if let picked = pick(call) { return picked }
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

    /// Waits for the next `count` bytes. Returns whole pieces as they arrived, so perhaps more bytes than
    /// `count`; fewer if the connection ends before.
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
