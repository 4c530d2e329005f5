import CLibUV
import SystemKit

/// A connection that a proxy passes on, until the proxy has said whose it is. What comes behind that stays in the socket.
///
/// Lives on its loop's thread.
final class ProxyReception {
    /// What came of it.
    typealias Result = (OwnedDescriptor, ProxyHeader)

    private let client: OwnedDescriptor
    private var watch: DescriptorWatch?
    private var limit: LoopTimer?
    private var bytes: [UInt8] = []
    /// How many there have to be before they can be understood.
    private var wanted = ProxyHeader.startLength
    /// Is called once, with nil where there is no header, or it takes too long.
    private var done: ((ProxyReception, Result?) -> Void)?

    /// - Parameter patience: how long the header may take.
    /// - Throws: `.system` where the socket can't be watched.
    init(
        _ client: OwnedDescriptor, on loop: EventLoop, patience: Duration,
        done: @escaping (ProxyReception, Result?) -> Void
    ) throws(NetError) {
        self.client = client
        self.done = done
        watch = try loop.watch(descriptor: client.number) { [weak self] in self?.readOn() }
        limit = loop.schedule(after: patience) { [weak self] in self?.end(nil) }
    }

    /// Gives it up.
    func cancel() { end(nil) }

    private func readOn() {
        while bytes.count < wanted {
            let room = wanted - bytes.count
            var code: Int32 = 0
            let piece = [UInt8](unsafeUninitializedCapacity: room) { buffer, filled in
                let count = recv(client.number, buffer.baseAddress, room, 0)
                code = count < 0 ? errno : 0
                filled = max(0, count)
            }
            if [EAGAIN, EWOULDBLOCK, EINTR].contains(code) { return }
            guard !piece.isEmpty else { return end(nil) }
            bytes += piece
            if bytes.count == ProxyHeader.startLength {
                guard let length = ProxyHeader.length(ofOneThatBegins: bytes) else { return end(nil) }
                wanted = length
            }
        }
        end(ProxyHeader(bytes).map { (client, $0) })
    }

    private func end(_ result: Result?) {
        guard let done else { return }
        self.done = nil
        limit?.cancel()
        watch?.cancel()
        done(self, result)
    }
}
