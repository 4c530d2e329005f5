#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Processes `count` items, on several threads if the machine has several processors. Returns when all are
/// done.
///
/// - Parameters:
///   - least: The number of items that is worth a thread. With fewer than twice as many, the calling thread
///     does all.
///   - body: Processes a range of items. Each item is in exactly one range. Calls run in parallel, so they
///     must not write to the same memory.
package func inParallel(_ count: Int, least: Int, _ body: @Sendable (Range<Int>) -> Void) {
    let parts = min(processorCount, parallelLimit, count / max(1, least))
    guard parts > 1 else { return body(0..<count) }
    withoutActuallyEscaping(body) { body in
        let threads = (1..<parts).map { part in
            WorkerThread { body(count * part / parts..<count * (part + 1) / parts) }
        }
        body(0..<count / parts)
        for thread in threads { thread.join() }
    }
}

/// Runs `body` on its own thread. Nobody waits for it, and the process can end without it.
///
/// - Returns: False if no thread can be started; then `body` isn't run.
package func runDetached(_ body: @escaping @Sendable () -> Void) -> Bool {
    guard let thread = ThreadBody.start(body) else { return false }
    detachThread(thread)
    return true
}

/// The maximum number of threads. More threads rarely shorten the wait further.
private let parallelLimit = 4

private let processorCount = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))

/// A thread that runs one closure. If no thread can be started, `join` runs the closure.
private struct WorkerThread {
    private let body: @Sendable () -> Void
    private let thread: pthread_t?

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
        thread = ThreadBody.start(body)
    }

    func join() {
        if let thread { pthread_join(thread, nil) } else { body() }
    }
}

/// The closure for a thread, on its way to that thread.
private final class ThreadBody {
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    /// Starts a thread that runs `body`, or returns nil if that fails.
    static func start(_ body: @escaping @Sendable () -> Void) -> pthread_t? {
        let work = Unmanaged.passRetained(ThreadBody(body))
        #if canImport(Glibc)
            var thread = pthread_t()
        #else
            var thread: pthread_t?
        #endif
        let isMade = pthread_create(&thread, nil, { ThreadBody.run($0) }, work.toOpaque()) == 0
        if !isMade { work.release() }
        return isMade ? thread : nil
    }

    private static func run(_ work: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let work else { return nil }
        Unmanaged<ThreadBody>.fromOpaque(work).takeRetainedValue().body()
        return nil
    }
}
