import FocusNet
import Foundation
import Synchronization
import TestSupport
import TestTraits
import Testing

@Suite("Listeners", .ends(within: .seconds(600)))
final class ListenerTests {
    private let loop: EventLoop
    private let folder: TemporaryFolder

    init() throws {
        loop = try EventLoop()
        folder = try TemporaryFolder()
    }

    deinit {
        loop.stop()
        loop.wait()
    }

    private var path: String { folder.path + "/s" }

    private func listen(
        _ endpoint: Endpoint, _ accept: @escaping @Sendable (Connection) -> (any ConnectionHandler)?
    )
        async throws -> Listener
    {
        try await loop.perform { [loop] in
            try Listener(on: loop, at: endpoint, over: .plain, accept: accept)
        }
    }

    private func connect(_ endpoint: Endpoint, _ client: Recorder) async throws {
        _ = try await loop.perform { [loop] in
            Connection.connect(to: endpoint, over: .plain, on: loop, handler: client)
        }
    }

    /// Expects that a client gets a connection there.
    private func expectOpening(_ endpoint: Endpoint) async throws {
        let client = Recorder()
        try await connect(endpoint, client)
        _ = await client.waitForOpening()
        #expect(client.connection != nil)
    }

    @Test("clients reach it over IPv4, IPv6 and by name", arguments: ["127.0.0.1", "::1", "localhost"])
    func families(host: String) async throws {
        let listener = try await listen(.tcp(host: "::", port: 0)) { _ in Recorder(.echo) }
        guard case .tcp(_, let port) = listener.endpoint else { return }
        #expect(port != 0)
        try await expectOpening(.tcp(host: host, port: port))
    }

    @Test("a client that is declined is let go, and the next one is asked about again")
    func declining() async throws {
        let asked = Mutex(0)
        let listener = try await listen(.tcp(host: "127.0.0.1", port: 0)) { _ in
            asked.withLock { asked in
                asked += 1
                return asked == 1 ? nil : Recorder()
            }
        }
        let first = Recorder()
        try await connect(listener.endpoint, first)
        #expect(await first.waitForEnd() == .some(nil))
        try await expectOpening(listener.endpoint)
    }

    /// Returns a listener that trusts proxy headers from these addresses, and a stream of the address that
    /// each client counts by.
    private func listen(
        behind proxies: [String], limits: ConnectionLimits = ConnectionLimits()
    ) async throws -> (Endpoint, AsyncStream<[UInt8]>, Listener) {
        let (addresses, told) = AsyncStream<[UInt8]>.makeStream()
        let listener = try await loop.perform { [loop] in
            try Listener(
                on: loop, at: ListeningSocket(.tcp(host: "127.0.0.1", port: 0)), over: .plain, limits: limits,
                proxies: proxies.compactMap { AddressRange($0) }
            ) { connection in
                told.yield(connection.peerAddress)
                return Recorder(.echo)
            }
        }
        return (listener.endpoint, addresses, listener)
    }

    private func send(_ pieces: [[UInt8]], to endpoint: Endpoint, _ client: Recorder) async throws {
        let connection = try await loop.perform { [loop] in
            Connection.connect(to: endpoint, over: .plain, on: loop, handler: client)
        }
        _ = await client.waitForOpening()
        for piece in pieces { try await loop.perform { connection.send(piece) } }
    }

    @Test("whom a proxy passes on counts by the address that it names, however its word is cut up")
    func proxied() async throws {
        let (endpoint, addresses, _) = try await listen(behind: ["127.0.0.0/8"])
        var told = addresses.makeAsyncIterator()
        for (header, address) in [
            (ProxyBytes.client, [192, 0, 2, 7]),
            (ProxyBytes.client6, [0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7]),
            (ProxyBytes.own, [127, 0, 0, 1]),
        ] as [([UInt8], [UInt8])] {
            for pieces in [[header + [1, 2]], (header + [1, 2]).map { [$0] }] {
                let client = Recorder()
                try await send(pieces, to: endpoint, client)
                #expect(await client.waitForBytes(2) == [1, 2])
                #expect(await told.next() == address)
            }
        }
    }

    @Test("a proxy that says nothing is let go after a while, and one that says something else at once")
    func unsaid() async throws {
        var limits = ConnectionLimits()
        limits.handshake = .milliseconds(200)
        let (endpoint, addresses, listener) = try await listen(behind: ["127.0.0.1"], limits: limits)
        for pieces in [[], [[UInt8](ProxyBytes.client.dropLast())], [Array("GET / HTTP/1.1\r\n\r\n".utf8)]] {
            let client = Recorder()
            try await send(pieces, to: endpoint, client)
            #expect(await client.waitForEnd() != nil)
        }
        // The listener's owner was asked about none of them, and the next client is served.
        let client = Recorder()
        try await send([ProxyBytes.client + [9]], to: endpoint, client)
        #expect(await client.waitForBytes(1) == [9])
        var told = addresses.makeAsyncIterator()
        #expect(await told.next() == [192, 0, 2, 7])
        // A client that hasn't sent anything is closed with the listener.
        let last = Recorder()
        try await send([], to: endpoint, last)
        try await loop.perform { listener.close() }
        #expect(await last.waitForEnd() != nil)
    }

    @Test("the word of somebody else isn't taken: what it sends is what a client sends")
    func unlisted() async throws {
        let (endpoint, addresses, _) = try await listen(behind: ["127.0.0.2", "10.0.0.0/8"])
        let client = Recorder()
        try await send([ProxyBytes.client + [1, 2]], to: endpoint, client)
        #expect(await client.waitForBytes(1).starts(with: ProxyBytes.signature))
        var told = addresses.makeAsyncIterator()
        #expect(await told.next() == [127, 0, 0, 1])
    }

    @Test("only this user gets at a local socket, and its file goes with the listener")
    func localFile() async throws {
        let listener = try await listen(.local(path: path)) { _ in Recorder() }
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        try await loop.perform { listener.close() }
        // The loop first has to release the listener.
        try await loop.perform {}
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("a local socket may lie deeper than its address has room for", arguments: [108, 400])
    func deepPath(length: Int) async throws {
        var deep = folder.path
        while deep.utf8.count + 102 < length { deep += "/" + String(repeating: "d", count: 100) }
        deep += "/" + String(repeating: "d", count: length - deep.utf8.count - 3)
        try FileManager.default.createDirectory(atPath: deep, withIntermediateDirectories: true)
        let path = deep + "/s"
        #expect(path.utf8.count == length)
        let listener = try await listen(.local(path: path)) { _ in Recorder() }
        try await expectOpening(listener.endpoint)
        Foundation.close(try #require(LocalSocket.connected(to: path)))
        let taken = try await loop.perform { [loop] in
            failure { try Listener(on: loop, at: .local(path: path), over: .plain, accept: { _ in nil }) }
        }
        #expect(taken == .addressInUse)
        try await loop.perform { listener.close() }
        try await loop.perform {}
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("a socket file on which nobody answers any more is replaced")
    func staleFile() async throws {
        let left = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(left, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        #expect(status == 0)
        Foundation.close(left)
        let listener = try await listen(.local(path: path)) { _ in Recorder() }
        try await expectOpening(listener.endpoint)
    }

    @Test("a path where somebody answers, or that is some other file, is left alone")
    func takenPath() async throws {
        let first = try await listen(.local(path: path)) { _ in Recorder() }
        let answered = try await loop.perform { [loop, path] in
            failure { try Listener(on: loop, at: .local(path: path), over: .plain, accept: { _ in nil }) }
        }
        #expect(answered == .addressInUse)
        #expect(FileManager.default.fileExists(atPath: path))
        let file = folder.path + "/file"
        try Data("kept".utf8).write(to: URL(fileURLWithPath: file))
        let code = try await loop.perform { [loop] in
            failure { try Listener(on: loop, at: .local(path: file), over: .plain, accept: { _ in nil }) }
        }
        #expect(code == .addressInUse)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "kept")
        try await loop.perform { first.close() }
    }

    @Test("a port that is taken, or an address that is none, is an error that says so")
    func badAddresses() async throws {
        let listener = try await listen(.tcp(host: "127.0.0.1", port: 0)) { _ in nil }
        let endpoint = listener.endpoint
        let codes = try await loop.perform { [loop] in
            [
                endpoint, .tcp(host: "localhost", port: 0), .tcp(host: "203.0.113.1", port: 0),
                .local(path: ""),
            ]
            .map { endpoint in
                failure { try Listener(on: loop, at: endpoint, over: .plain, accept: { _ in nil }) }
            }
        }
        #expect(codes == [.addressInUse, .badAddress, .badAddress, .badAddress])
    }
}
