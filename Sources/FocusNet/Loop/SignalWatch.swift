import CLibUV

/// A closure that a loop calls when the process gets a signal.
package final class SignalWatch: LoopResource, @unchecked Sendable {
    // Unchecked: everything is touched on the loop's thread alone; each entry checks that.

    private let loop: EventLoop
    private let handle: UnsafeMutablePointer<uv_signal_t>
    private let body: () -> Void
    private var isClosing = false

    fileprivate init(_ loop: EventLoop, _ number: Int32, _ body: @escaping () -> Void) throws(NetError) {
        loop.assertCurrent()
        self.loop = loop
        self.body = body
        handle = .allocate(capacity: 1)
        try NetError.check(uv_signal_init(loop.handles.loop, handle), "watching for signals")
        handle.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        loop.keep(self)
        let status = uv_signal_start(handle, { handle, _ in SignalWatch.of(handle)?.body() }, number)
        if status < 0 {
            cancel()
            throw NetError(status: status, "watching for signal \(number)")
        }
    }

    /// Watches no longer: the signal does again what it did before, once nobody watches. May be called twice.
    package func cancel() {
        loop.assertCurrent()
        if isClosing { return }
        isClosing = true
        uv_close(handlePointer(handle)) { handle in
            guard let data = handle?.pointee.data else { return }
            let watch = Unmanaged<SignalWatch>.fromOpaque(data).takeUnretainedValue()
            watch.loop.release(watch)
        }
    }

    func loopIsStopping() { cancel() }

    deinit { handle.deallocate() }

    private static func of(_ handle: UnsafeMutablePointer<uv_signal_t>?) -> SignalWatch? {
        guard let data = handle?.pointee.data else { return nil }
        return Unmanaged<SignalWatch>.fromOpaque(data).takeUnretainedValue()
    }
}

extension EventLoop {
    /// Calls `body` on the loop each time the process gets signal `number` (SIGTERM, SIGINT, SIGHUP …), instead
    /// of what the signal does by itself. On the loop's thread only; until cancelled or the loop stops.
    /// - Throws: `.badAddress` or `.system` for a signal that can't be watched, such as SIGKILL.
    @discardableResult
    package func onSignal(_ number: Int32, _ body: @escaping () -> Void) throws(NetError) -> SignalWatch {
        try SignalWatch(self, number, body)
    }
}
