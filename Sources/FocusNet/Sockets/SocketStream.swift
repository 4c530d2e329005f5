import CLibUV
import SystemKit

/// One libuv stream and its memory, which is freed when libuv has let go of it.
final class SocketStream {
    let raw: UnsafeMutablePointer<uv_stream_t>
    private let isTCP: Bool
    private var whenClosed: (() -> Void)?
    private var isClosing = false

    /// A stream on this loop, not connected. Off `close`, whoever makes it has to call that before letting go.
    init(tcp: Bool, on loop: EventLoop) {
        isTCP = tcp
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: tcp ? MemoryLayout<uv_tcp_t>.size : MemoryLayout<uv_pipe_t>.size, alignment: 16)
        raw = memory.assumingMemoryBound(to: uv_stream_t.self)
        // Without flags no socket is made yet, so neither can fail.
        if tcp { uv_tcp_init(loop.handles.loop, self.tcp) } else { uv_pipe_init(loop.handles.loop, pipe, 0) }
    }

    deinit { UnsafeMutableRawPointer(raw).deallocate() }

    /// The stream as TCP; only where it was made so.
    var tcp: UnsafeMutablePointer<uv_tcp_t> {
        UnsafeMutableRawPointer(raw).assumingMemoryBound(to: uv_tcp_t.self)
    }

    /// The stream as a local socket; only where it was made so.
    var pipe: UnsafeMutablePointer<uv_pipe_t> {
        UnsafeMutableRawPointer(raw).assumingMemoryBound(to: uv_pipe_t.self)
    }

    /// Takes over a connected socket, which is closed with the stream.
    func adopt(_ socket: OwnedDescriptor) throws(NetError) {
        let status = isTCP ? uv_tcp_open(tcp, socket.number) : uv_pipe_open(pipe, socket.number)
        try NetError.check(status, "taking over a connection")
        socket.giveAway()
    }

    /// Has small writes go out at once instead of waiting for the acknowledgement of the one before.
    func sendAtOnce() { if isTCP { uv_tcp_nodelay(tcp, 1) } }

    /// Has the kernel take no more than it can soon send: what a peer doesn't take stays in `Connection.unsentBytes`, where
    /// it is counted, instead of megabytes in the kernel's memory. (tcp(7) of FreeBSD and Linux's
    /// Documentation/networking/ip-sysctl: `tcp_notsent_lowat`.)
    func keepLittleUnsent() {
        guard isTCP else { return }
        var socket: uv_os_fd_t = 0
        guard uv_fileno(handlePointer(raw), &socket) == 0 else { return }
        var bytes = SocketStream.unsent
        setsockopt(
            socket, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &bytes,
            socklen_t(MemoryLayout.size(ofValue: bytes)))
    }

    /// How much of what isn't under way the kernel takes, in bytes: two of `Connection.sealedAtOnce`.
    private static let unsent: Int32 = 128 << 10

    /// Closes it and calls `then` when libuv has let go of it. What is under way is cancelled before.
    func close(then: @escaping () -> Void) {
        guard !isClosing else { return }
        isClosing = true
        whenClosed = then
        raw.pointee.data = Unmanaged.passRetained(self).toOpaque()
        uv_close(handlePointer(raw)) { handle in
            guard let data = handle?.pointee.data else { return }
            let stream = Unmanaged<SocketStream>.fromOpaque(data).takeRetainedValue()
            let whenClosed = stream.whenClosed
            stream.whenClosed = nil
            whenClosed?()
        }
    }
}
