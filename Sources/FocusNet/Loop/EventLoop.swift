import CLibUV
import Synchronization
import SystemKit

/// One thread that waits for sockets, timers and signals, and on which actors run.
///
/// ## What it is
/// A libuv loop that is also a `SerialExecutor`. An actor joins it by naming it:
///
///     actor Server {
///         nonisolated let loop: EventLoop
///         nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
///     }
///
/// From then on every line of that actor runs on the loop's thread, between the loop's callbacks and never
/// beside them. So a callback may enter the actor with `assumeIsolated`, synchronously, with no task and no
/// hop: that is how a packet gets from the socket to the decision it leads to.
///
/// ## The rule: which thread owns what
/// 1. **The loop's thread owns** every `Connection`, `Listener`, `LoopTimer` and `SignalWatch` of the loop, their
///    TLS sessions and buffers, and the state of every actor that names the loop. None of these is locked.
/// 2. **Handlers and closures given to them** are called on that thread and nowhere else. They need not be
///    Sendable: whoever hands them over is on the thread already (rule 3), so what they capture belongs to it.
/// 3. **Calls from elsewhere trap.** Each entry of those classes checks the thread first (`assertCurrent`), which
///    costs a nanosecond and holds in release builds. That check is why they can be Sendable: another thread may
///    keep a reference and hand it on, but can do nothing with it.
/// 4. **From any thread** one may call `enqueue` (by awaiting an actor of the loop), `run`, `Mailbox.post` and
///    `stop`. They meet the loop in one place, the inbox: a list in a `Mutex`, and one wake-up for however much
///    has been put in since the loop last looked. Nothing else crosses.
/// 5. **Nothing on the thread may block**: no database, no file to be synced, no lookup of a name. Such work
///    runs on a loop of its own (another `EventLoop` does well) and comes back by a `Mailbox`.
/// 6. **No call calls back.** What a call on a connection leads to (`received` after `resumeReading`, `closed`
///    after `abort`) comes later in the same turn or in the next, when the caller's own state is settled.
/// 7. **Bytes handed to a handler are lent.** They lie in a buffer that all of the loop's connections share, and
///    are overwritten as soon as the handler returns.
///
/// ## A turn
/// libuv waits in one system call for whatever comes first, then makes its callbacks: timers that are due,
/// sockets to read, signals. Before it waits again the loop ends the turn:
/// 1. run what is in the inbox (jobs of actors, closures), including what the callbacks put there;
/// 2. let each connection that was touched finish: hand over bytes held back while paused, encrypt and write
///    what was sent in this turn as one piece, report `writable`; the one that was touched last comes first, as who is
///    told of something waits to show it, and whoever brought it, and was answered before, only to know that it is kept;
/// 3. take on a few handshakes, of those for which there was no time in the turns before: however many clients come at
///    once, those that are connected wait for a few handshakes only;
/// 4. do what is to come after what was sent (`afterTurn`);
/// 5. wake itself if that led to more.
///
/// So however many messages are sent on a connection in a turn, it costs one system call to write them, and a
/// connection that is answered at once costs three: wait, read, write.
///
/// ## The end
/// `stop` closes every connection (`closed` is called with `.loopStopped`), listener, timer and signal; the
/// thread ends when the last has gone, and `wait` returns. Nobody has to wait. A job for an actor of the loop that
/// comes later is never run: a program stops its loops last.
///
/// Timers count time awake only (libuv uses the monotonic clock); what must notice sleep compares
/// `SystemClock.microsecondsSinceBoot` when it runs.
package final class EventLoop: SerialExecutor, @unchecked Sendable {
    // Unchecked: the inbox is in a Mutex and the thread's identity atomic; `handles.wake` is used elsewhere only
    // by uv_async_send, which libuv allows on any thread; all else is touched on the loop's thread alone.

    let handles: LoopHandles
    let buffers = LoopBuffers()

    /// Everything open on the loop, kept alive until libuv has let go of it.
    private var resources: [ObjectIdentifier: any LoopResource] = [:]

    /// What works on the loop, kept alive until it stops.
    private var workers: [AnyObject] = []

    /// The connections that have something to finish before the turn ends.
    private var touched: [any LoopClient] = []

    /// The handshakes that are taken on, and those that wait for a later turn.
    private var handshakes = HandshakeTurns<any LoopClient>()

    /// What is done once what was sent in this turn has been written.
    private var afterwards: [() -> Void] = []

    private let inbox = Mutex(Inbox())
    private var spare: [Work] = []
    private let thread = Atomic<UInt>(0)
    private let join: Mutex<uv_thread_t?>

    /// A loop that runs on a thread of its own from now on.
    ///
    /// The process ignores SIGPIPE from then on: a write to a peer that has gone is an error, not an end.
    /// - Throws: `.system` where the process has no file descriptor or thread left.
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

    /// Of a thread that nobody has waited for, and nobody can any more, the system would keep the stack.
    deinit { join.withLock { $0.map(forget) } }

    private static func of(_ handle: UnsafeMutablePointer<uv_prepare_t>?) -> EventLoop? {
        guard let data = handle?.pointee.data else { return nil }
        return Unmanaged<EventLoop>.fromOpaque(data).takeUnretainedValue()
    }

    /// Whether the caller is on this loop's thread.
    package var isCurrent: Bool { thread.load(ordering: .relaxed) == currentThread() }

    /// Traps off the loop's thread: what makes the loop's classes safe to pass around.
    @inline(__always)
    func assertCurrent() {
        precondition(isCurrent, "called off its event loop's thread")
    }

    /// Runs `body` on the loop's thread in this turn or the next; from any thread. After `stop` it may never run.
    package func run(_ body: @escaping @Sendable () -> Void) { post(.call(body)) }

    /// Puts work in the inbox, and wakes the loop if nobody has since it last looked.
    func post(_ work: Work) {
        inbox.withLock { inbox in
            guard !inbox.isOver else { return }
            inbox.work.append(work)
            // On the loop's own thread the turn's end comes before the next wait anyway.
            if !isCurrent { wake(&inbox) }
        }
    }

    /// Asks the loop to close everything and end its thread; from any thread, returns at once.
    package func stop() {
        inbox.withLock { inbox in
            inbox.isStopping = true
            if !inbox.isOver { wake(&inbox) }
        }
    }

    /// Waits until the loop's thread has ended: forever, unless somebody calls `stop`. From any other thread.
    package func wait() {
        precondition(!isCurrent, "an event loop can't wait for itself")
        // The lock is held meanwhile on purpose: whoever else waits, waits for the same.
        join.withLock { thread in
            guard var started = thread else { return }
            uv_thread_join(&started)
            thread = nil
        }
    }

    private func wake(_ inbox: inout Inbox) {
        guard !inbox.isWoken else { return }
        inbox.isWoken = true
        // Within the lock, so that the handle can't be closed between the question and the call.
        uv_async_send(handles.wake)
    }

    // MARK: On the loop's thread

    /// Keeps `resource` alive, and has it closed when the loop stops.
    func retain(_ resource: any LoopResource) {
        assertCurrent()
        resources[ObjectIdentifier(resource)] = resource
    }

    /// Keeps whatever works on the loop alive until the loop stops. On the loop's thread only.
    package func keepAlive(_ worker: AnyObject) {
        assertCurrent()
        workers.append(worker)
    }

    /// Runs `body` as this turn ends, once what was sent in it has been written: so what nobody waits for keeps nobody waiting.
    /// On the loop's thread only. After `stop` it may never run.
    package func afterTurn(_ body: @escaping () -> Void) {
        assertCurrent()
        afterwards.append(body)
    }

    /// Lets go of `resource`: libuv has nothing of it any more.
    func release(_ resource: any LoopResource) { resources[ObjectIdentifier(resource)] = nil }

    /// Has `connection` finish its business when this turn ends. Once a turn is enough.
    func touch(_ connection: any LoopClient) { touched.append(connection) }

    /// Whether `connection` may take its handshake on in this turn. Otherwise its `goOnShakingHands` is called in a later
    /// one: first of those that answer, then of the others, whoever came first.
    func mayShakeHands(_ connection: any LoopClient, answers: Bool = false) -> Bool {
        handshakes.mayTakeOn(connection, answers: answers)
    }

    private func main() {
        thread.store(currentThread(), ordering: .relaxed)
        uv_run(handles.loop, UV_RUN_DEFAULT)
        handles.dispose()
    }

    private func endTurn() {
        runInbox()
        let ready = touched
        touched.removeAll(keepingCapacity: true)
        for connection in ready.reversed() { connection.finishTurn() }
        for connection in handshakes.next() { connection.goOnShakingHands() }
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
    /// One thing to do on the loop's thread.
    enum Work {
        case job(UnownedJob)
        case call(@Sendable () -> Void)
    }

    /// What other threads have for the loop.
    private struct Inbox {
        var work: [Work] = []
        /// Whether a wake-up is under way since the loop last looked.
        var isWoken = false
        var isStopping = false
        /// Whether the loop will never look again.
        var isOver = false
    }
}
