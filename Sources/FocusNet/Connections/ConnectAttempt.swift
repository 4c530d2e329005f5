import CLibUV

/// One try at connecting to one address.
final class ConnectAttempt: LoopResource {
    private let loop: EventLoop
    private let stream: SocketStream
    private let what: String
    /// Nil once told.
    private var report: ((SocketStream?, NetError?) -> Void)?
    private var deadline: LoopTimer?

    private init(
        _ loop: EventLoop, _ stream: SocketStream, _ what: String,
        _ report: @escaping (SocketStream?, NetError?) -> Void
    ) {
        self.loop = loop
        self.stream = stream
        self.what = what
        self.report = report
    }

    /// Tries `address` for `connection` and reports a connected stream, which is then the caller's to close, or
    /// why there is none. The report may come before this returns.
    static func begin(
        _ address: SocketAddress, of connection: Connection, within time: Duration,
        _ report: @escaping (SocketStream?, NetError?) -> Void
    ) {
        let loop = connection.loop
        let stream = SocketStream(tcp: address.path == nil, on: loop)
        let attempt = ConnectAttempt(loop, stream, "connecting to \(connection.peerDescription)", report)
        loop.keep(attempt)
        let request = UnsafeMutablePointer<uv_connect_t>.allocate(capacity: 1)
        request.pointee.data = Unmanaged.passRetained(attempt).toOpaque()
        let status = address.connect(stream, request) { request, status in
            ConnectAttempt.finish(request, status)
        }
        if status < 0 { return finish(request, status) }
        attempt.deadline = loop.schedule(after: time) { [weak attempt] in
            attempt?.fail(NetError(.timedOut, "connecting to \(address.description)"))
        }
    }

    private static func finish(_ request: UnsafeMutablePointer<uv_connect_t>?, _ status: Int32) {
        guard let request, let data = request.pointee.data else { return }
        let attempt = Unmanaged<ConnectAttempt>.fromOpaque(data).takeRetainedValue()
        request.deallocate()
        if status < 0 {
            let code = NetError.Code(status: status)
            let known: Set<NetError.Code> = [.refused, .unreachable, .timedOut, .badAddress]
            let error = NetError(status: status, attempt.what)
            attempt.fail(known.contains(code) ? error : NetError(.connectFailed, error.context))
        } else {
            attempt.tell(attempt.stream, nil)
        }
    }

    func loopIsStopping() { fail(NetError(.loopStopped, what)) }

    private func fail(_ error: NetError) {
        guard report != nil else { return }
        stream.close { [self] in loop.release(self) }
        tell(nil, error)
    }

    private func tell(_ stream: SocketStream?, _ error: NetError?) {
        guard let report else { return }
        self.report = nil
        deadline?.cancel()
        deadline = nil
        if stream != nil { loop.release(self) }
        report(stream, error)
    }
}

extension SocketAddress {
    fileprivate func connect(
        _ stream: SocketStream, _ request: UnsafeMutablePointer<uv_connect_t>, _ done: @escaping uv_connect_cb
    ) -> Int32 {
        if let shortPath {
            uv_pipe_connect(request, stream.pipe, shortPath, done)
            return 0
        }
        return withPointer { address, _ in uv_tcp_connect(request, stream.tcp, address, done) }
    }
}
