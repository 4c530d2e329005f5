import CLibUV
import SystemKit

/// A closure that a loop calls when something happens to a terminal, a pipe or another library's descriptor.
package final class DescriptorWatch: LoopResource, @unchecked Sendable {
    // Unchecked: everything is used on the loop's thread only; each entry point checks that.

    /// The event to watch for.
    package enum Event: Hashable, Sendable {
        /// There are bytes to read. Reported again and again until they are read.
        case readable
        /// The other end is closed.
        case hangUp
    }

    /// The watched descriptor, which libuv makes non-blocking.
    package let descriptor: Int32
    /// Whether the watch closes the descriptor at its end.
    private let isOwned: Bool
    private let loop: EventLoop
    private let handle: UnsafeMutablePointer<uv_poll_t>
    private let event: Event
    private let body: () -> Void
    private var isClosing = false

    private init(
        _ loop: EventLoop, _ descriptor: Int32, isOwned: Bool, _ event: Event, _ what: String,
        _ body: @escaping () -> Void
    ) throws(NetError) {
        loop.assertCurrent()
        self.loop = loop
        self.event = event
        self.body = body
        self.descriptor = descriptor
        self.isOwned = isOwned
        handle = .allocate(capacity: 1)
        let status = uv_poll_init(loop.handles.loop, handle, descriptor)
        guard status == 0 else {
            handle.deallocate()
            isClosing = true
            throw NetError(status: status, "watching \(what)")
        }
        handle.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        loop.retain(self)
        resume()
    }

    /// Pauses the calls until `resume`.
    package func pause() {
        loop.assertCurrent()
        if !isClosing { uv_poll_stop(handle) }
    }

    /// Ends a pause. An event that happened meanwhile and still holds is then reported.
    package func resume() {
        loop.assertCurrent()
        if isClosing { return }
        let events = event == .readable ? UV_READABLE : UV_DISCONNECT
        uv_poll_start(
            handle, Int32(events.rawValue), { handle, _, _ in DescriptorWatch.of(handle)?.body() })
    }

    fileprivate convenience init(
        _ loop: EventLoop, path: String, _ event: Event, _ body: @escaping () -> Void
    ) throws(NetError) {
        // Opened again, because libuv makes the descriptor non-blocking, and an inherited one is shared with
        // other processes.
        let access = event == .readable ? O_RDONLY : O_WRONLY
        guard let file = OwnedDescriptor(open(path, access | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)) else {
            throw NetError(errno: errno, "opening \(path)")
        }
        try self.init(loop, file.number, isOwned: true, event, path, body)
        file.giveAway()
    }

    fileprivate convenience init(
        _ loop: EventLoop, borrowed descriptor: Int32, _ body: @escaping () -> Void
    ) throws(NetError) {
        try self.init(loop, descriptor, isOwned: false, .readable, "a descriptor", body)
    }

    /// Ends the watch. May be called twice.
    package func cancel() {
        loop.assertCurrent()
        if isClosing { return }
        isClosing = true
        uv_close(handlePointer(handle)) { handle in
            guard let data = handle?.pointee.data else { return }
            let watch = Unmanaged<DescriptorWatch>.fromOpaque(data).takeUnretainedValue()
            if watch.isOwned { close(watch.descriptor) }
            watch.handle.deallocate()
            watch.loop.release(watch)
        }
    }

    /// Whether the terminal or the pipe's other end is closed. On the loop's thread only.
    package var hasHungUp: Bool {
        loop.assertCurrent()
        guard !isClosing else { return true }
        var state = pollfd(fd: descriptor, events: 0, revents: 0)
        return poll(&state, 1, 0) > 0 && state.revents & Int16(POLLHUP | POLLERR | POLLNVAL) != 0
    }

    /// Reads the available bytes. Returns the first of them, and discards the others. On the loop's thread only.
    package func readFirst() -> UInt8? {
        loop.assertCurrent()
        guard !isClosing else { return nil }
        var bytes = [UInt8](repeating: 0, count: 1024)
        guard read(descriptor, &bytes, bytes.count) > 0 else { return nil }
        let first = bytes.first
        while read(descriptor, &bytes, bytes.count) > 0 {}
        return first
    }

    func loopIsStopping() { cancel() }

    private static func of(_ handle: UnsafeMutablePointer<uv_poll_t>?) -> DescriptorWatch? {
        guard let data = handle?.pointee.data else { return nil }
        return Unmanaged<DescriptorWatch>.fromOpaque(data).takeUnretainedValue()
    }
}

extension EventLoop {
    /// Opens the terminal or pipe at `path` again, and calls `body` on the loop when the event happens. The
    /// watch ends when it is cancelled or the loop stops. On the loop's thread only.
    /// - Throws: `.system` if `path` can't be opened or is a plain file, to which nothing happens; other
    ///   codes for other errors.
    @discardableResult
    package func watch(
        path: String, for event: DescriptorWatch.Event, _ body: @escaping () -> Void
    ) throws(NetError) -> DescriptorWatch {
        try DescriptorWatch(self, path: path, event, body)
    }

    /// Calls `body` on the loop when `descriptor` has bytes to read. The caller still owns the descriptor, and
    /// must cancel the watch before closing it. On the loop's thread only.
    /// - Throws: `.system` if the descriptor can't be watched.
    package func watch(
        descriptor: Int32, _ body: @escaping () -> Void
    ) throws(NetError) -> DescriptorWatch {
        try DescriptorWatch(self, borrowed: descriptor, body)
    }
}

/// A closure that a loop calls when the process gets a signal.
package final class SignalWatch: LoopResource, @unchecked Sendable {
    // Unchecked: everything is used on the loop's thread only; each entry point checks that.

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
        loop.retain(self)
        let status = uv_signal_start(handle, { handle, _ in SignalWatch.of(handle)?.body() }, number)
        if status < 0 {
            cancel()
            throw NetError(status: status, "watching for signal \(number)")
        }
    }

    /// Ends the watch. When a signal has no watch left, it has its earlier effect again. May be called twice.
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
    /// Calls `body` on the loop each time the process gets signal `number` (SIGTERM, SIGINT, SIGHUP …),
    /// instead of the signal's default effect. The watch ends when it is cancelled or the loop stops. On the
    /// loop's thread only.
    /// - Throws: `.badAddress` or `.system` for a signal that can't be watched, such as SIGKILL.
    @discardableResult
    package func onSignal(_ number: Int32, _ body: @escaping () -> Void) throws(NetError) -> SignalWatch {
        try SignalWatch(self, number, body)
    }
}
