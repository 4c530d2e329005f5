import CLibUV

/// The libuv loop and its own two handles, with their memory.
///
/// Only its `EventLoop` uses it, on the thread that runs the loop (before that, on the thread that makes the
/// loop).
final class LoopHandles {
    let loop: UnsafeMutablePointer<uv_loop_t>
    /// Wakes the loop from another thread.
    let wake: UnsafeMutablePointer<uv_async_t>
    /// Called each time before the loop waits.
    private let turn: UnsafeMutablePointer<uv_prepare_t>

    /// Makes a loop that doesn't run yet. It can be woken already, so that a task may be enqueued at once.
    init() throws(NetError) {
        loop = .allocate(capacity: 1)
        wake = .allocate(capacity: 1)
        turn = .allocate(capacity: 1)
        var status = uv_loop_init(loop)
        if status == 0 {
            // The callback does nothing: ending the wait is enough.
            status = uv_async_init(loop, wake, { _ in })
            if status == 0 { uv_prepare_init(loop, turn) } else { uv_loop_close(loop) }
        }
        guard status == 0 else {
            deallocate()
            throw NetError(status: status, "making an event loop")
        }
    }

    /// Calls `turnEnds` before each wait, with the owner's address in the handle's data.
    func begin(_ owner: EventLoop, turnEnds: @escaping uv_prepare_cb) {
        turn.pointee.data = Unmanaged.passUnretained(owner).toOpaque()
        uv_prepare_start(turn, turnEnds)
    }

    /// Closes the loop's own handles, so that `uv_run` returns.
    func end() {
        uv_close(handlePointer(wake), nil)
        uv_close(handlePointer(turn), nil)
    }

    /// Runs the loop on the calling thread until it has no open handle, and frees it.
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

/// Returns a pointer to any libuv handle as a pointer to libuv's common handle type.
func handlePointer<Handle>(_ handle: UnsafeMutablePointer<Handle>) -> UnsafeMutablePointer<uv_handle_t> {
    UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_handle_t.self)
}

/// The buffers that all connections of a loop share, because only one of them works at a time. So an idle
/// connection needs no buffer.
final class LoopBuffers {
    /// The buffer that a read from a socket fills.
    let input = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 64)

    /// The buffer into which TLS records are decrypted.
    let plain = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 64)

    /// The buffer into which TLS records are encrypted.
    let sealed = ByteBuffer()

    deinit {
        input.deallocate()
        plain.deallocate()
    }
}

/// Returns unused memory to the system after many connections were accepted. A handshake uses more memory than
/// an idle connection. Its pieces lie between those of other connections, so the C library keeps them unless
/// asked. (2,000 idle connections: 21.5 KiB each instead of 31.)
final class MemoryTrimmer {
    /// The number of connections accepted since memory was last returned.
    private var accepted = 0
    /// The timer for returning memory; nil if none is scheduled.
    private var timer: LoopTimer?

    /// The number of new connections that makes returning memory worth the milliseconds that it may take.
    private static let acceptedPerTrim = 250

    /// Counts a connection, and schedules returning memory if there were enough. On the loop's thread only.
    func didAccept(on loop: EventLoop) {
        accepted += 1
        guard accepted >= MemoryTrimmer.acceptedPerTrim, timer == nil else { return }
        timer = loop.schedule(after: .seconds(10)) { [weak self] in
            self?.accepted = 0
            self?.timer = nil
            lockstep_trim_memory()
        }
    }
}

/// An open resource of an event loop, which must be closed before the loop can end.
protocol LoopResource: AnyObject {
    /// Closes the resource, because the loop is stopping. May be called again before it is closed.
    func loopIsStopping()
}

/// A connection, as the loop sees it: it has work at the end of a turn.
protocol TurnEndObserver: AnyObject {
    /// Does the work that was postponed to the end of the turn.
    func finishTurn()
    /// Continues its handshake.
    func continueHandshake()
}

/// Limits the handshakes that a loop advances in a turn. The others wait for later turns in the order of
/// arrival; clients that have just answered go first, because they may need only one more step.
///
/// A step of a handshake takes a few hundred microseconds, and every connected peer waits for it. The limit
/// bounds that wait, however many clients come at once. It also bounds memory: a handshake in progress takes
/// three times the memory of an open connection. If many are in progress at once, the C library can't return
/// some of that memory to the system. So a few are begun and completed before others begin.
struct HandshakeLimiter<Client> {
    /// The number of handshakes that may be advanced in a turn.
    static var atOnce: Int { 4 }

    /// The number that was advanced in this turn.
    private var taken = 0
    /// The waiting clients that haven't just answered, in the order of arrival.
    private var waiting: [Client] = []
    /// The waiting clients that have just answered; they go before `waiting`.
    private var answering: [Client] = []

    /// Whether no client waits.
    var isEmpty: Bool { waiting.isEmpty && answering.isEmpty }

    /// Whether the client's handshake may be advanced in this turn. If so, it counts towards the turn's
    /// limit. If not, the client waits and a later `next` returns it.
    ///
    /// - Parameter answers: Whether the client has just answered this side's message. This priority holds for
    ///   the first bytes of the answer only; a client that sends it in pieces then waits like the others.
    mutating func mayTakeOn(_ client: Client, answers: Bool = false) -> Bool {
        guard taken < Self.atOnce else {
            if answers { answering.append(client) } else { waiting.append(client) }
            return false
        }
        taken += 1
        return true
    }

    /// Begins another turn and returns the waiting clients that may advance in it. Each of them then calls
    /// `mayTakeOn`.
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
