import CLibUV
import SystemKit

/// A connection from a proxy until the proxy's header is read. The bytes behind the header stay in the
/// socket.
///
/// It lives on its loop's thread.
final class ProxyHeaderReader {
    /// The client's socket and the header in front of its bytes.
    typealias Result = (OwnedDescriptor, ProxyHeader)

    private let client: OwnedDescriptor
    private var watch: DescriptorWatch?
    /// The timer that ends the wait.
    private var limit: LoopTimer?
    /// The bytes of the header that have been read.
    private var bytes: [UInt8] = []
    /// The number of bytes needed for the next step: the header's start, then the whole header.
    private var wanted = ProxyHeader.startLength
    /// Called once; with nil if there is no valid header, or if it takes too long. Nil once called.
    private var done: ((ProxyHeaderReader, Result?) -> Void)?

    /// - Parameter patience: The time in which the header must arrive.
    /// - Throws: `.system` if the socket can't be watched.
    init(
        _ client: OwnedDescriptor, on loop: EventLoop, patience: Duration,
        done: @escaping (ProxyHeaderReader, Result?) -> Void
    ) throws(NetError) {
        self.client = client
        self.done = done
        watch = try loop.watch(descriptor: client.number) { [weak self] in self?.readOn() }
        limit = loop.schedule(after: patience) { [weak self] in self?.end(nil) }
    }

    /// Cancels the wait; `done` is called with nil.
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
                guard let length = ProxyHeader.length(fromStart: bytes) else { return end(nil) }
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
