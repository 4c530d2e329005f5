import CLibUV
import Synchronization
import SystemKit

/// A thread that waits for sockets, timers and signals, and that runs actors.
///
/// ## Purpose
/// A libuv loop that is also a `SerialExecutor`. An actor joins the loop by naming it:
///
///     actor Server {
///         nonisolated let loop: EventLoop
///         nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
///     }
///
/// From then on every line of that actor runs on the loop's thread, between the loop's callbacks and never in
/// parallel with them. So a callback may enter the actor with `assumeIsolated`, synchronously, without a task
/// or a switch of threads. A packet reaches the code that decides on it in this way.
///
/// ## The rule: ownership by threads
/// 1. **The loop's thread owns** every `Connection`, `Listener`, `LoopTimer` and `SignalWatch` of the loop,
///    their TLS sessions and buffers, and the state of every actor that names the loop. None of these is
///    locked.
/// 2. **Handlers and closures given to them** are called on that thread only. They need not be Sendable: they
///    are handed over on that thread (rule 3), so the values that they capture belong to it.
/// 3. **Calls on other threads trap.** Each entry point of those classes checks the thread first
///    (`assertCurrent`), also in release builds; the check costs a nanosecond. Because of it the classes can
///    be Sendable: another thread may keep a reference and pass it on, but can't use it.
/// 4. **Any thread** may call `enqueue` (by awaiting an actor of the loop), `run`, `Mailbox.post` and `stop`.
///    They share one way into the loop, the inbox: a list in a `Mutex`. Any number of entries costs one
///    wake-up until the loop next reads the inbox.
/// 5. **Nothing on the thread may block**: no database, no synced file, no lookup of a name. Such work runs
///    on another thread (another `EventLoop` will do) and returns its results by a `Mailbox`.
/// 6. **No call calls back.** The effects of a call on a connection (`received` after `resumeReading`,
///    `closed` after `abort`) come later in the same turn or in the next one, when the caller's own state is
///    consistent.
/// 7. **Bytes passed to a handler are lent.** They are in a buffer that all of the loop's connections share,
///    and are overwritten as soon as the handler returns.
///
/// ## A turn
/// libuv waits in one system call until something happens, then makes its callbacks: due timers, readable or
/// writable sockets, signals. Before it waits again, the loop ends the turn:
/// 1. Run the contents of the inbox (jobs of actors, closures), including entries that the callbacks added.
/// 2. Finish each touched connection: deliver bytes held while reading was paused, encrypt and write in one
///    piece the bytes sent in this turn, report `writable`. The connection touched last comes first, because
///    it usually carries a change to a device that shows it. A connection touched earlier usually carries
///    only the acknowledgement to the change's author.
/// 3. Continue a few of the handshakes that earlier turns postponed. So connected peers wait for a few
///    handshakes only, however many clients connect at once.
/// 4. Run the closures given to `afterTurn`: the bytes sent in this turn have been written.
/// 5. Wake the loop if any of this made more work.
///
/// So the messages sent on a connection in one turn cost one system call, however many they are. A connection
/// that is answered at once costs three: wait, read, write.
///
/// ## The end
/// `stop` closes every connection (`closed` is called with `.loopStopped`), listener, timer and signal. The
/// thread ends when the last of them is closed, and `wait` returns; calling `wait` is optional. Later jobs
/// for an actor of the loop never run, so a program stops its loops last.
///
/// Timers don't count the machine's suspensions (libuv uses the monotonic clock). Code that must notice a
/// suspension compares `SystemClock.microsecondsSinceBoot` when it runs.
package final class EventLoop: SerialExecutor, @unchecked Sendable {
    // Unchecked: the inbox is in a Mutex and the thread's identity is atomic. Other threads use
    // `handles.wake` only through uv_async_send, which libuv allows. Everything else is used on the loop's
    // thread only.

    let handles: LoopHandles
    let buffers = LoopBuffers()
    let trimmer = MemoryTrimmer()

    /// The open resources of the loop, kept alive until libuv has released them.
    private var resources: [ObjectIdentifier: any LoopResource] = [:]

    /// The objects that `keepAlive` keeps until the loop stops.
    private var workers: [AnyObject] = []

    /// The connections to finish when this turn ends.
    private var touched: [any TurnEndObserver] = []

    /// The limiter of handshakes per turn, with the connections that wait for a later turn.
    private var handshakes = HandshakeLimiter<any TurnEndObserver>()

    /// The closures that run once the bytes sent in this turn have been written.
    private var afterwards: [() -> Void] = []

    private let inbox = Mutex(Inbox())
    /// The array that `runInbox` swaps with the inbox's array, so that memory is used again. Empty between turns.
    private var spare: [Work] = []
    /// The number of the loop's thread (`currentThread`); 0 before it runs.
    private let thread = Atomic<UInt>(0)
    /// The thread to join; nil once it was joined.
    private let join: Mutex<uv_thread_t?>

    /// A loop that runs on its own thread from now on. From then on the process ignores SIGPIPE, so that
    /// writing to a peer that has gone is an error and doesn't end the process.
    /// - Throws: `.system` or `.noDescriptor` if the process has no file descriptor or thread left.
    package init() throws(NetError) {
        ignoreBrokenPipes()
        handles = try LoopHandles()
        join = Mutex(nil)
        handles.begin(self, turnEnds: { handle in EventLoop.of(handle)?.endTurn() })

        var started = uv_thread_t(bitPattern: 0)
        let argument = Unmanaged.passRetained(self)
        let status = uv_thread_create(
            &started,
            { argument in
                guard let argument else { return }
                Unmanaged<EventLoop>.fromOpaque(argument).takeRetainedValue().main()
            }, argument.toOpaque())
        guard status == 0 else {
            argument.release()
            handles.end()
            handles.runToTheEnd()
            throw NetError(status: status, "starting an event loop")
        }
        let identity = started
        join.withLock { $0 = identity }
    }

    /// Detaches a thread that nobody has joined: otherwise the system would keep its stack.
    deinit { join.withLock { $0.map(detachThread) } }

    private static func of(_ handle: UnsafeMutablePointer<uv_prepare_t>?) -> EventLoop? {
        guard let data = handle?.pointee.data else { return nil }
        return Unmanaged<EventLoop>.fromOpaque(data).takeUnretainedValue()
    }

    /// Whether the caller is on this loop's thread.
    package var isCurrent: Bool { thread.load(ordering: .relaxed) == currentThread() }

    /// Traps if called on another thread. This makes it safe to pass the loop's classes around.
    @inline(__always)
    func assertCurrent() {
        precondition(isCurrent, "called off its event loop's thread")
    }

    /// Runs `body` on the loop's thread in this turn or the next. May be called on any thread. After `stop`
    /// the body may never run.
    package func run(_ body: @escaping @Sendable () -> Void) { post(.call(body)) }

    /// Adds work to the inbox, and wakes the loop unless a wake-up is already on its way.
    func post(_ work: Work) {
        inbox.withLock { inbox in
            guard !inbox.isOver else { return }
            inbox.work.append(work)
            // On the loop's own thread no wake-up is needed: the turn ends before the next wait.
            if !isCurrent { wake(&inbox) }
        }
    }

    /// Asks the loop to close everything and end its thread. Returns at once. May be called on any thread.
    package func stop() {
        inbox.withLock { inbox in
            inbox.isStopping = true
            if !inbox.isOver { wake(&inbox) }
        }
    }

    /// Waits until the loop's thread has ended: forever, unless `stop` is called. May be called on any other
    /// thread.
    package func wait() {
        precondition(!isCurrent, "an event loop can't wait for itself")
        // The lock is held meanwhile on purpose: other callers wait for the same thread.
        join.withLock { thread in
            guard var started = thread else { return }
            uv_thread_join(&started)
            thread = nil
        }
    }

    private func wake(_ inbox: inout Inbox) {
        guard !inbox.isWoken else { return }
        inbox.isWoken = true
        // Inside the lock, so that the handle can't be closed between the check and the call.
        uv_async_send(handles.wake)
    }

    // MARK: On the loop's thread

    /// Keeps `resource` alive, and closes it when the loop stops.
    func retain(_ resource: any LoopResource) {
        assertCurrent()
        resources[ObjectIdentifier(resource)] = resource
    }

    /// Keeps `worker` alive until the loop stops. On the loop's thread only.
    package func keepAlive(_ worker: AnyObject) {
        assertCurrent()
        workers.append(worker)
    }

    /// Runs `body` at the end of this turn, after the bytes sent in it are written. For work that nobody
    /// waits for, so that it delays nobody. On the loop's thread only. After `stop` the body may never run.
    package func afterTurn(_ body: @escaping () -> Void) {
        assertCurrent()
        afterwards.append(body)
    }

    /// Releases `resource`: libuv no longer refers to it.
    func release(_ resource: any LoopResource) { resources[ObjectIdentifier(resource)] = nil }

    /// Calls the connection's `finishTurn` when this turn ends. To be called once a turn.
    func touch(_ connection: any TurnEndObserver) { touched.append(connection) }

    /// Asks for `connection` to advance its handshake in this turn. If it may not, the loop queues it and
    /// calls its `continueHandshake` in a later turn.
    ///
    /// - Parameter answers: Whether the peer has just answered this side's message. If so, the connection comes
    ///   before waiting connections without an answer.
    /// - Returns: Whether it may.
    func requestHandshakeTurn(_ connection: any TurnEndObserver, answers: Bool = false) -> Bool {
        handshakes.mayTakeOn(connection, answers: answers)
    }

    private func main() {
        thread.store(currentThread(), ordering: .relaxed)
        uv_run(handles.loop, UV_RUN_DEFAULT)
        handles.dispose()
    }

    /// Ends a turn. While the loop is stopping, also closes its resources, and ends the loop after the last.
    private func endTurn() {
        runInbox()
        let ready = touched
        touched.removeAll(keepingCapacity: true)
        for connection in ready.reversed() { connection.finishTurn() }
        for connection in handshakes.next() { connection.continueHandshake() }
        for body in exchange(&afterwards, with: []) { body() }

        let isStopping = inbox.withLock { inbox in
            let isDone = inbox.work.isEmpty && touched.isEmpty && handshakes.isEmpty && afterwards.isEmpty
            if inbox.isStopping && isDone && resources.isEmpty {
                inbox.isOver = true
                handles.end()
            } else if inbox.isStopping || !isDone {
                wake(&inbox)
            }
            return inbox.isStopping
        }
        guard isStopping else { return }
        (workers, afterwards) = ([], [])
        for resource in Array(resources.values) { resource.loopIsStopping() }
    }

    private func runInbox() {
        inbox.withLock { inbox in
            swap(&inbox.work, &spare)
            inbox.isWoken = false
        }
        for work in spare {
            switch work {
            case .job(let job): job.runSynchronously(on: asUnownedSerialExecutor())
            case .call(let body): body()
            }
        }
        spare.removeAll(keepingCapacity: spare.capacity <= 4_096)
    }
}

extension EventLoop {
    /// A job or a closure for the loop's thread.
    enum Work {
        case job(UnownedJob)
        case call(@Sendable () -> Void)
    }

    /// The work of other threads for the loop, and the loop's end as other threads see it.
    private struct Inbox {
        var work: [Work] = []
        /// Whether a wake-up was sent since the loop last read the inbox.
        var isWoken = false
        var isStopping = false
        /// Whether the loop has ended and never reads the inbox again.
        var isOver = false
    }
}
