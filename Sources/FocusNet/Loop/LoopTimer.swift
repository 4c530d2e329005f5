import CLibUV

/// A closure that a loop calls after a time.
///
/// The machine's suspensions don't count. The timer keeps itself alive until it has fired for the last time
/// or is cancelled.
package final class LoopTimer: LoopResource, @unchecked Sendable {
    // Unchecked: everything is used on the loop's thread only; each entry point checks that.

    private let loop: EventLoop
    private let handle: UnsafeMutablePointer<uv_timer_t>
    /// Nil once the timer is closing.
    private var body: (() -> Void)?

    init(_ loop: EventLoop, _ body: @escaping () -> Void) {
        loop.assertCurrent()
        self.loop = loop
        self.body = body
        handle = .allocate(capacity: 1)
        uv_timer_init(loop.handles.loop, handle)
        handle.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        loop.retain(self)
    }

    /// Sets the timer: the closure is called after `delay`, and then every `period` if given. Replaces the
    /// earlier setting. Does nothing if the timer was cancelled or has fired for the last time.
    func start(after delay: Duration, every period: Duration? = nil) {
        guard body != nil else { return }
        // The loop's time doesn't advance during a turn.
        uv_update_time(loop.handles.loop)
        uv_timer_start(
            handle, { timer in LoopTimer.of(timer)?.fire() }, delay.timerMilliseconds,
            period.map { max(1, $0.timerMilliseconds) } ?? 0)
    }

    /// Stops the timer and releases the closure. May be called twice.
    package func cancel() {
        loop.assertCurrent()
        guard body != nil else { return }
        body = nil
        uv_close(handlePointer(handle)) { handle in
            guard let data = handle?.pointee.data else { return }
            let timer = Unmanaged<LoopTimer>.fromOpaque(data).takeUnretainedValue()
            timer.loop.release(timer)
        }
    }

    func loopIsStopping() { cancel() }

    deinit { handle.deallocate() }

    private func fire() {
        body?()
        // If the body started the timer again, it is still active.
        if uv_is_active(handlePointer(handle)) == 0 { cancel() }
    }

    private static func of(_ handle: UnsafeMutablePointer<uv_timer_t>?) -> LoopTimer? {
        guard let data = handle?.pointee.data else { return nil }
        return Unmanaged<LoopTimer>.fromOpaque(data).takeUnretainedValue()
    }
}

extension EventLoop {
    /// Calls `body` on the loop after `delay`; if that is zero or less, in the next turn. On the loop's
    /// thread only. If the loop stops, the timer is cancelled.
    @discardableResult
    package func schedule(after delay: Duration, _ body: @escaping () -> Void) -> LoopTimer {
        let timer = LoopTimer(self, body)
        timer.start(after: delay)
        return timer
    }

    /// Calls `body` on the loop every `period` (at least a millisecond) until cancelled. On the loop's thread
    /// only.
    @discardableResult
    package func schedule(every period: Duration, _ body: @escaping () -> Void) -> LoopTimer {
        let timer = LoopTimer(self, body)
        timer.start(after: period, every: period)
        return timer
    }

    /// The loop's time in whole milliseconds at the start of this turn.
    var now: Duration { .milliseconds(Int64(clamping: uv_now(handles.loop))) }
}

extension Duration {
    /// The duration in whole milliseconds, rounded up so that a timer never fires early. Zero if negative; at
    /// most a quarter of the largest number, so that libuv can add it to its clock.
    var timerMilliseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (whole, overflows) = UInt64(seconds).multipliedReportingOverflow(by: 1_000)
        guard !overflows, whole < UInt64.max / 4 else { return UInt64.max / 4 }
        return whole + UInt64((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
