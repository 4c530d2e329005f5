import CLibUV
import FocusSync
import SystemKit

/// Connects to one of a server's addresses by the rules of RFC 8305 ("Happy Eyeballs"). The next attempt
/// begins 250 ms after the previous one, or as soon as that fails. The first that connects wins, and the
/// others are cancelled.
///
/// It lives on its loop's thread. The attempts have no deadline: the owner of the connection cancels them.
final class ConnectionAttempts {
    private let loop: EventLoop
    /// The attempted action, for messages.
    private let what: String
    private var untried: [SocketAddress]
    private var underWay: [ConnectAttempt] = []
    /// The timer for the next attempt; nil if no address is left.
    private var next: LoopTimer?
    /// The error of the attempt that failed last.
    private var failure: NetError
    /// Reports the result; nil once called or cancelled.
    private var report: ((Result<SocketStream, NetError>) -> Void)?

    /// - Parameters:
    ///   - addresses: The best first, in the order in which the system sorts them.
    ///   - server: The server's name for messages.
    ///   - report: Called once, with a connected stream, which the caller must then close, or with the error
    ///     of the last attempt. May be called before `begin` returns.
    init(
        _ addresses: [SocketAddress], for server: String, on loop: EventLoop,
        report: @escaping (Result<SocketStream, NetError>) -> Void
    ) {
        self.loop = loop
        self.report = report
        untried = addresses.alternatingFamilies
        what = "connecting to \(server)"
        failure = NetError(.resolve, "\(server) has no address")
    }

    /// Begins with the first address.
    func begin() { tryNext() }

    /// Cancels all attempts. Nothing is reported from now on.
    func cancel() {
        report = nil
        next?.cancel()
        next = nil
        untried = []
        for attempt in exchange(&underWay, with: []) { attempt.cancel() }
    }

    /// Begins an attempt with the next address. Without one, reports the last error if no attempt is left.
    private func tryNext() {
        next?.cancel()
        next = nil
        guard let address = untried.first else {
            if underWay.isEmpty { end(.failure(failure)) }
            return
        }
        untried.removeFirst()
        let attempt = ConnectAttempt(to: address, what, on: loop)
        underWay.append(attempt)
        if !untried.isEmpty {
            next = loop.schedule(after: Limits.attemptDelay) { [weak self] in self?.tryNext() }
        }
        attempt.begin { [weak self] attempt, result in self?.ended(attempt, result) }
    }

    private func ended(_ attempt: ConnectAttempt, _ result: Result<SocketStream, NetError>) {
        underWay.removeAll { $0 === attempt }
        switch result {
        case .success: end(result)
        case .failure(let error):
            failure = error
            tryNext()
        }
    }

    private func end(_ result: Result<SocketStream, NetError>) {
        let report = report
        cancel()
        report?(result)
    }
}

extension [SocketAddress] {
    /// The addresses with the two families alternating, beginning with the first address (RFC 8305 §4). Each
    /// family keeps its order. So a network that is broken for one family costs one attempt only.
    var alternatingFamilies: [SocketAddress] {
        guard let first = first?.family else { return [] }
        let (same, other) = (filter { $0.family == first }, filter { $0.family != first })
        return (0..<Swift.max(same.count, other.count)).flatMap { index in
            [same, other].compactMap { index < $0.count ? $0[index] : nil }
        }
    }
}

/// One attempt to connect to one address.
final class ConnectAttempt: LoopResource {
    private let loop: EventLoop
    private let address: SocketAddress
    private let stream: SocketStream
    private let what: String
    /// Reports the result; nil before `begin`, and once called or cancelled.
    private var report: ((ConnectAttempt, Result<SocketStream, NetError>) -> Void)?

    init(to address: SocketAddress, _ what: String, on loop: EventLoop) {
        self.loop = loop
        self.address = address
        self.what = what
        stream = SocketStream(tcp: address.path == nil, on: loop)
    }

    /// Begins. `report` may be called before this returns.
    func begin(_ report: @escaping (ConnectAttempt, Result<SocketStream, NetError>) -> Void) {
        self.report = report
        loop.retain(self)
        let request = UnsafeMutablePointer<uv_connect_t>.allocate(capacity: 1)
        request.pointee.data = Unmanaged.passRetained(self).toOpaque()
        let status = address.connect(stream, request) { ConnectAttempt.finish($0, $1) }
        if status < 0 { ConnectAttempt.finish(request, status) }
    }

    /// Cancels the attempt. Nothing is reported.
    func cancel() {
        guard report != nil else { return }
        report = nil
        stream.close { [self] in loop.release(self) }
    }

    func loopIsStopping() { fail(NetError(.loopStopped, what)) }

    private static func finish(_ request: UnsafeMutablePointer<uv_connect_t>?, _ status: Int32) {
        guard let request, let data = request.pointee.data else { return }
        let attempt = Unmanaged<ConnectAttempt>.fromOpaque(data).takeRetainedValue()
        request.deallocate()
        guard status < 0 else { return attempt.succeed() }
        let code = NetError.Code(status: status)
        let known: Set<NetError.Code> = [.refused, .unreachable, .timedOut, .badAddress]
        let error = NetError(status: status, attempt.what)
        attempt.fail(known.contains(code) ? error : NetError(.connectFailed, error.context))
    }

    private func succeed() {
        guard let report else { return }
        self.report = nil
        loop.release(self)
        report(self, .success(stream))
    }

    private func fail(_ error: NetError) {
        guard let report else { return }
        cancel()
        report(self, .failure(error))
    }
}

extension SocketAddress {
    fileprivate func connect(
        _ stream: SocketStream, _ request: UnsafeMutablePointer<uv_connect_t>, _ done: @escaping uv_connect_cb
    ) -> Int32 {
        if let shortPath {
            SystemText.withBytes(shortPath) { uv_pipe_connect(request, stream.pipe, $0, done) }
            return 0
        }
        return withPointer { address, _ in uv_tcp_connect(request, stream.tcp, address, done) }
    }
}
