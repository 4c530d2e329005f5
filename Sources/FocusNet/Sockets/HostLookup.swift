import CLibUV
import SystemKit

/// Turns a host's name into addresses, on one of libuv's worker threads.
final class HostLookup {
    private let loop: EventLoop
    private let what: String
    private let report: (Result<[SocketAddress], NetError>) -> Void

    private init(
        _ loop: EventLoop, _ what: String, _ report: @escaping (Result<[SocketAddress], NetError>) -> Void
    ) {
        self.loop = loop
        self.what = what
        self.report = report
    }

    /// Looks `host` up (a name, or a numeric address) and reports its addresses with `port`, later, on the loop.
    /// - Throws: Where the lookup can't begin.
    static func begin(
        _ host: String, port: UInt16, on loop: EventLoop,
        _ report: @escaping (Result<[SocketAddress], NetError>) -> Void
    ) throws(NetError) {
        let what = "looking up \(host)"
        let lookup = HostLookup(loop, what, report)
        let request = UnsafeMutablePointer<uv_getaddrinfo_t>.allocate(capacity: 1)
        request.pointee.data = Unmanaged.passRetained(lookup).toOpaque()
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = streamSocket
        let status = uv_getaddrinfo(
            loop.handles.loop, request,
            { request, status, found in HostLookup.finish(request, status, found) },
            host, String(port), &hints)
        if status < 0 {
            Unmanaged.passUnretained(lookup).release()
            request.deallocate()
            throw NetError(.resolve, NetError(status: status, what).context)
        }
        loop.lookups += 1
    }

    private static func finish(
        _ request: UnsafeMutablePointer<uv_getaddrinfo_t>?, _ status: Int32,
        _ found: UnsafeMutablePointer<addrinfo>?
    ) {
        guard let request, let data = request.pointee.data else { return }
        let lookup = Unmanaged<HostLookup>.fromOpaque(data).takeRetainedValue()
        request.deallocate()
        defer { uv_freeaddrinfo(found) }
        lookup.loop.lookups -= 1
        if status < 0 {
            lookup.report(.failure(NetError(.resolve, NetError(status: status, lookup.what).context)))
            return
        }
        var addresses: [SocketAddress] = []
        var next = found
        while let info = next?.pointee {
            if let address = info.ai_addr {
                addresses.append(SocketAddress(address, length: info.ai_addrlen))
            }
            next = info.ai_next
        }
        lookup.report(.success(addresses))
    }
}
