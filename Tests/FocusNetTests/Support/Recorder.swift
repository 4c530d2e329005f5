import FocusNet
import Synchronization

/// A handler that tells a test what it hears, and can answer by itself.
final class Recorder: ConnectionHandler, Sendable {
    /// What a handler hears.
    enum Heard: Equatable, Sendable {
        case opened(KeyHash?)
        case received([UInt8])
        case writable
        case closed(NetError.Code?)
    }

    /// What the recorder does by itself on bytes it gets.
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

    /// `quiet` keeps what it receives to itself and only counts it.
    init(_ answer: Answer = .nothing, quiet: Bool = false) {
        self.answer = answer
        isQuiet = quiet
        (heard, told) = AsyncStream.makeStream()
    }

    /// The connection it was last called for.
    var connection: Connection? { latest.withLock { $0 } }

    /// How many bytes it has received.
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

    /// Waits until it hears something that `pick` picks, and forgets what came before; nil if it hears the last
    /// first.
    func wait<Picked: Sendable>(_ pick: (Heard) -> Picked?) async -> Picked? {
        for await something in heard {
            if let picked = pick(something) { return picked }
        }
        return nil
    }

    /// Waits for `opened` and says whose key it was.
    func waitForOpening() async -> KeyHash? {
        await wait { if case .opened(let peer) = $0 { .some(peer) } else { nil } } ?? nil
    }

    /// Waits until the connection is over and says why: nil within for an orderly end.
    func waitForEnd() async -> NetError.Code?? {
        await wait { if case .closed(let code) = $0 { .some(code) } else { nil } }
    }

    /// Waits until it has received `count` bytes since it was last asked, and gives them.
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
