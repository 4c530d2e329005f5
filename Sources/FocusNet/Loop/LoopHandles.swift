import CLibUV

/// The libuv loop and the two handles that belong to it rather than to a socket, with their memory.
///
/// Used by its `EventLoop` alone, on the thread that the loop runs on (before it runs: the one that makes it).
final class LoopHandles {
    let loop: UnsafeMutablePointer<uv_loop_t>
    /// Wakes the loop from another thread.
    let wake: UnsafeMutablePointer<uv_async_t>
    /// Called before the loop waits.
    private let turn: UnsafeMutablePointer<uv_prepare_t>

    /// A loop that is ready to be woken, though nothing runs it yet: a task may be enqueued at once.
    init() throws(NetError) {
        loop = .allocate(capacity: 1)
        wake = .allocate(capacity: 1)
        turn = .allocate(capacity: 1)
        var status = uv_loop_init(loop)
        if status == 0 {
            // It does nothing by itself: that it ends the wait is all.
            status = uv_async_init(loop, wake, { _ in })
            if status == 0 { uv_prepare_init(loop, turn) } else { uv_loop_close(loop) }
        }
        guard status == 0 else {
            deallocate()
            throw NetError(status: status, "making an event loop")
        }
    }

    /// Has `turnEnds` called before each wait, with the owner's address in the handle's data.
    func begin(_ owner: EventLoop, turnEnds: @escaping uv_prepare_cb) {
        turn.pointee.data = Unmanaged.passUnretained(owner).toOpaque()
        uv_prepare_start(turn, turnEnds)
    }

    /// Closes the loop's own handles, so that running it comes to an end.
    func end() {
        uv_close(handlePointer(wake), nil)
        uv_close(handlePointer(turn), nil)
    }

    /// Runs the loop on the calling thread until nothing is left to do, and disposes of it.
    func runToTheEnd() {
        uv_run(loop, UV_RUN_DEFAULT)
        dispose()
    }

    /// Frees the loop. Nothing may be open on it.
    func dispose() {
        uv_loop_close(loop)
        deallocate()
    }

    private func deallocate() {
        loop.deallocate()
        wake.deallocate()
        turn.deallocate()
    }
}

/// libuv's view of any of its handles as the common one.
func handlePointer<Handle>(_ handle: UnsafeMutablePointer<Handle>) -> UnsafeMutablePointer<uv_handle_t> {
    UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_handle_t.self)
}

/// The memory that all connections of a loop share, since only one of them is ever at work: an idle connection
/// then needs none.
final class LoopBuffers {
    /// What a read from a socket fills.
    let input = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 64)

    /// What TLS records are opened into.
    let plain = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 64)

    /// What TLS records are sealed into.
    let sealed = ByteBuffer()

    deinit {
        input.deallocate()
        plain.deallocate()
    }
}

/// Something open on an event loop, which has to be closed before the loop can end.
protocol LoopResource: AnyObject {
    /// The loop is stopping: close. May be called again while that is under way.
    func loopIsStopping()
}

/// What has something to do at the end of a loop's turns: a connection.
protocol LoopClient: AnyObject {
    /// Does what it has put off to the end of the turn.
    func finishTurn()
    /// Takes its handshake on.
    func goOnShakingHands()
}

/// Which handshakes a loop takes on in a turn: so many at most, the others in later turns, in the order they came, but those
/// first that need one more step and are done.
///
/// A step of a handshake takes some hundred microseconds, which everybody who is connected waits for. However many
/// clients come at once, that is for a few of them. And one that is begun takes three times the memory of one that is done,
/// some of which the C library can't give back where many were begun at once: so a few are begun, and then ended, before
/// others begin.
struct HandshakeTurns<Client> {
    /// How many are taken on in a turn.
    static var atOnce: Int { 4 }

    /// How many were, in this one.
    private var taken = 0
    private var waiting: [Client] = []
    /// The same of those that come before these.
    private var answering: [Client] = []

    /// Whether nobody waits.
    var isEmpty: Bool { waiting.isEmpty && answering.isEmpty }

    /// Whether the client's handshake may be taken on in this turn. Otherwise the client waits, and is among the `next`.
    ///
    /// - Parameter answers: whether this is its answer to what it was sent. One that says it in pieces has that only once, and
    ///   then waits as all do.
    mutating func mayTakeOn(_ client: Client, answers: Bool = false) -> Bool {
        guard taken < Self.atOnce else {
            if answers { answering.append(client) } else { waiting.append(client) }
            return false
        }
        taken += 1
        return true
    }

    /// Begins another turn, with these clients: each of them may be taken on.
    mutating func next() -> [Client] {
        taken = 0
        let first = answering.prefix(Self.atOnce)
        let rest = waiting.prefix(Self.atOnce - first.count)
        let ready = Array(first + rest)
        answering.removeFirst(first.count)
        waiting.removeFirst(rest.count)
        return ready
    }
}
