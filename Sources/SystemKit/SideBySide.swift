#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Does something for each of `count` things, on several threads where the machine has several processors, and returns
/// once all is done.
///
/// - Parameters:
///   - least: How many things are worth a thread; with fewer than twice as many all is done on this one.
///   - body: Does it for a part of them; each is in one part. What it writes must not be shared between parts.
package func sideBySide(_ count: Int, least: Int, _ body: @Sendable (Range<Int>) -> Void) {
    let parts = min(processorCount, sideBySideLimit, count / max(1, least))
    guard parts > 1 else { return body(0..<count) }
    withoutActuallyEscaping(body) { body in
        let threads = (1..<parts).map { part in
            SideThread { body(count * part / parts..<count * (part + 1) / parts) }
        }
        body(0..<count / parts)
        for thread in threads { thread.join() }
    }
}

/// Does something on a thread of its own that nobody waits for, not even the process's end.
///
/// - Returns: false if there can be no thread for it; then nothing is done.
package func runAside(_ body: @escaping @Sendable () -> Void) -> Bool {
    guard let thread = SideWork.start(body) else { return false }
    forget(thread)
    return true
}

/// More threads than this are hardly ever waited for less.
private let sideBySideLimit = 4

private let processorCount = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))

/// A thread that does one thing; where there can be none, `join` does it.
private struct SideThread {
    private let body: @Sendable () -> Void
    private let thread: pthread_t?

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
        thread = SideWork.start(body)
    }

    func join() {
        if let thread { pthread_join(thread, nil) } else { body() }
    }
}

/// What a thread is to do, on its way there.
private final class SideWork {
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    /// Begins a thread for it; nil if there can be none.
    static func start(_ body: @escaping @Sendable () -> Void) -> pthread_t? {
        let work = Unmanaged.passRetained(SideWork(body))
        #if canImport(Glibc)
            var made = pthread_t()
        #else
            var made: pthread_t?
        #endif
        let isMade = pthread_create(&made, nil, { SideWork.run($0) }, work.toOpaque()) == 0
        if !isMade { work.release() }
        return isMade ? made : nil
    }

    private static func run(_ work: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let work else { return nil }
        Unmanaged<SideWork>.fromOpaque(work).takeRetainedValue().body()
        return nil
    }
}
