import CLibUV
import SystemKit

/// One libuv stream and its memory. The memory is freed after libuv has released the stream.
final class SocketStream {
    let raw: UnsafeMutablePointer<uv_stream_t>
    private let isTCP: Bool
    private var whenClosed: (() -> Void)?
    private var isClosing = false

    /// A stream on this loop that isn't connected. `close` must be called before the last reference goes.
    init(tcp: Bool, on loop: EventLoop) {
        isTCP = tcp
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: tcp ? MemoryLayout<uv_tcp_t>.size : MemoryLayout<uv_pipe_t>.size, alignment: 16)
        raw = memory.assumingMemoryBound(to: uv_stream_t.self)
        // Without flags these calls make no socket, so they can't fail.
        if tcp { uv_tcp_init(loop.handles.loop, self.tcp) } else { uv_pipe_init(loop.handles.loop, pipe, 0) }
    }

    deinit { UnsafeMutableRawPointer(raw).deallocate() }

    /// The stream as TCP; valid only if it was made with `tcp: true`.
    var tcp: UnsafeMutablePointer<uv_tcp_t> {
        UnsafeMutableRawPointer(raw).assumingMemoryBound(to: uv_tcp_t.self)
    }

    /// The stream as a local socket; valid only if it was made with `tcp: false`.
    var pipe: UnsafeMutablePointer<uv_pipe_t> {
        UnsafeMutableRawPointer(raw).assumingMemoryBound(to: uv_pipe_t.self)
    }

    /// Takes ownership of a connected socket, which is closed with the stream.
    func adopt(_ socket: OwnedDescriptor) throws(NetError) {
        let status = isTCP ? uv_tcp_open(tcp, socket.number) : uv_pipe_open(pipe, socket.number)
        try NetError.check(status, "taking over a connection")
        socket.giveAway()
    }

    /// Turns off Nagle's algorithm: small writes are sent at once and don't wait for earlier
    /// acknowledgements.
    func sendAtOnce() { if isTCP { uv_tcp_nodelay(tcp, 1) } }

    /// Limits the unsent bytes that the kernel accepts. Bytes that a peer doesn't take then stay in
    /// `Connection.unsentBytes`, which is bounded, instead of megabytes in the kernel. (`tcp_notsent_lowat`:
    /// FreeBSD's tcp(7), Linux's Documentation/networking/ip-sysctl.)
    func keepLittleUnsent() {
        guard isTCP else { return }
        var socket: uv_os_fd_t = 0
        guard uv_fileno(handlePointer(raw), &socket) == 0 else { return }
        var bytes = SocketStream.unsent
        setsockopt(
            socket, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &bytes,
            socklen_t(MemoryLayout.size(ofValue: bytes)))
    }

    /// The limit on bytes that the kernel accepts but can't send yet: twice `ConnectionOutput.sealedAtOnce`.
    private static let unsent: Int32 = 128 << 10

    /// Closes the stream, cancels its operations, and calls `then` after libuv has released it.
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
