import SystemKit

/// A lookup of a host's addresses on its own thread. A slow lookup delays neither the end of the loop nor the
/// end of the process. (On one of libuv's threads it would delay the end of the process.)
final class HostLookup: @unchecked Sendable {
    // Unchecked: `report` is called on the loop's thread only, and may be released on any thread.
    private let loop: EventLoop
    private let report: (Result<[SocketAddress], NetError>) -> Void

    private init(_ loop: EventLoop, _ report: @escaping (Result<[SocketAddress], NetError>) -> Void) {
        self.loop = loop
        self.report = report
    }

    /// Looks up `host`, a name or a numeric address, and reports its addresses with `port`. The report comes
    /// later, on the loop, unless the loop has stopped by then.
    ///
    /// - Throws: `.system` if no thread can be started.
    static func begin(
        _ host: String, port: UInt16, on loop: EventLoop,
        _ report: @escaping (Result<[SocketAddress], NetError>) -> Void
    ) throws(NetError) {
        let lookup = HostLookup(loop, report)
        let isBegun = runDetached {
            let found = addresses(of: host, port)
            lookup.loop.run { lookup.report(found.map { $0.map(SocketAddress.init(bytes:)) }) }
        }
        guard isBegun else { throw NetError(.system, "looking up \(host): there is no thread for it") }
    }

    /// Returns the addresses as the system reports them. Blocks until they are known.
    static func addresses(of host: String, _ port: UInt16) -> Result<[[UInt8]], NetError> {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = streamSocket
        var found: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &found)
        guard code == 0 else { return .failure(NetError(lookup: code, "looking up \(host)")) }
        defer { freeaddrinfo(found) }
        var addresses: [[UInt8]] = []
        var next = found
        while let info = next?.pointee {
            if let address = info.ai_addr {
                addresses.append(
                    Array(UnsafeRawBufferPointer(start: address, count: Int(info.ai_addrlen))))
            }
            next = info.ai_next
        }
        return .success(addresses)
    }
}

extension NetError {
    /// The error for a code that getaddrinfo(3) returned.
    init(lookup code: Int32, _ doing: String) {
        // The library's message for this is "Name or service not known".
        let isNoName = code == EAI_NONAME || code == unknownAddress
        let words =
            isNoName ? "no such host name" : gai_strerror(code).map { String(cString: $0) } ?? "\(code)"
        self.init(.resolve, "\(doing): \(words.prefix(1).lowercased() + words.dropFirst())")
    }
}
