import FocusNet
import Foundation
import Synchronization
import TestSupport
import Testing

/// The transport between two ends: TLS over TCP, or plain bytes over a local socket.
enum Way: String, CaseIterable, CustomTestStringConvertible {
    case tls, local

    var testDescription: String { rawValue }
}

/// A loop with a server and its clients.
final class Harness: Sendable {
    let loop: EventLoop
    let way: Way
    let serverContext: TLSContext
    let clientContext: TLSContext
    let server: Recorder
    let endpoint: Endpoint
    private let folder: TemporaryFolder

    /// Creates a server. `server` handles all its connections, unless `accept` is given, which then returns
    /// the handler of each.
    init(
        _ way: Way, server: Recorder = Recorder(), limits: ConnectionLimits = ConnectionLimits(),
        accept: (@Sendable (Connection) -> (any ConnectionHandler)?)? = nil
    ) async throws {
        folder = try TemporaryFolder()
        let loop = try EventLoop()
        let context = try makeContext()
        self.loop = loop
        self.way = way
        self.server = server
        serverContext = context
        clientContext = try makeContext()
        let wanted: Endpoint =
            switch way {
            case .tls: .tcp(host: "127.0.0.1", port: 0)
            case .local: .local(path: folder.path + "/s")
            }
        endpoint = try await loop.perform {
            let listener = try Listener(
                on: loop, at: wanted, over: way == .tls ? .tls(context) : .plain, limits: limits,
                accept: accept ?? { _ in server })
            return listener.endpoint
        }
    }

    deinit {
        loop.stop()
        loop.wait()
    }

    /// Connects a client, which expects the server's key unless `pin` is another one. Sends `first` before
    /// the connection is open. Calls `then` before the loop continues.
    @discardableResult
    func connect(
        _ client: Recorder, pin: KeyHash? = nil, limits: ConnectionLimits = ConnectionLimits(),
        transport: Connection.Transport? = nil, first: [UInt8] = [],
        then: @escaping @Sendable (Connection) -> Void = { _ in }
    ) async throws -> Connection {
        let secure = Connection.Transport.tls(clientContext, pins: [pin ?? serverContext.keyHash])
        let chosen = transport ?? (way == .tls ? secure : .plain)
        return try await loop.perform { [loop, endpoint] in
            let connection = Connection.connect(
                to: endpoint, over: chosen, on: loop, limits: limits, handler: client)
            if !first.isEmpty { connection.send(first) }
            then(connection)
            return connection
        }
    }
}

extension EventLoop {
    /// Runs `body` on the loop, and returns its result.
    func perform<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            run { continuation.resume(with: Swift.Result { try body() }) }
        }
    }
}

/// Returns `count` bytes that vary, so that a lost or repeated piece shows.
func pattern(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count { bytes += block.prefix(count - bytes.count) }
    return bytes
}

/// Made once, because a sanitizer makes that slow.
private let block = (0..<65_536).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
