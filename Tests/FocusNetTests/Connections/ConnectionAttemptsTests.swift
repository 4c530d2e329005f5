import CLibUV
import FocusSync
import Glibc
import Synchronization
import SystemKit
import TestTraits
import Testing

@testable import FocusNet

@Suite("Attempts to connect", .ends(within: .seconds(600)))
struct ConnectionAttemptsTests {
    private let swallowing: SwallowingPort
    private let loop: EventLoop

    init() throws {
        swallowing = try SwallowingPort()
        loop = try EventLoop()
    }

    /// Connects to these hosts at the swallowing port's number. At 127.0.0.1 nobody answers there, and at
    /// `wanted` a listener does. Returns the host that answered.
    private func connect(_ hosts: [String], wanted: String) async throws -> String? {
        let addresses = try hosts.map { try SocketAddress(numeric: $0, port: swallowing.port) }
        let listener = try await loop.perform { [loop, port = swallowing.port] in
            try Listener(on: loop, at: .tcp(host: wanted, port: port), over: .plain) { _ in nil }
        }
        defer {
            loop.stop()
            loop.wait()
            withExtendedLifetime(listener) {}
        }
        let boxed = Unchecked(value: addresses)
        return await withCheckedContinuation { continuation in
            loop.run { [loop] in
                let attempts = ConnectionAttempts(boxed.value, for: "a test", on: loop) { result in
                    let stream = try? result.get()
                    var socket: uv_os_fd_t = 0
                    if let stream { uv_fileno(handlePointer(stream.raw), &socket) }
                    let host = stream.flatMap { _ in SocketAddress(of: socket, peer: true)?.host }
                    stream?.close {}
                    continuation.resume(returning: host)
                }
                loop.keepAlive(attempts)
                attempts.begin()
            }
        }
    }

    /// Addresses for the loop's thread only.
    private struct Unchecked: @unchecked Sendable {
        // Unchecked: it is handed over once.
        let value: [SocketAddress]
    }

    @Test("an address that swallows packets doesn't keep the next from being tried, and the first there wins")
    func swallowed() async throws {
        #expect(
            try await connect(["127.0.0.1", "127.0.0.1", "127.0.0.2"], wanted: "127.0.0.2") == "127.0.0.2")
    }

    @Test("an address that refuses makes way for the next")
    func refused() async throws {
        #expect(try await connect(["127.0.0.3", "127.0.0.2"], wanted: "127.0.0.2") == "127.0.0.2")
    }

    @Test("families take turns, each in its own order, the first address's first")
    func families() throws {
        let hosts = ["::1", "::2", "::3", "10.0.0.1", "10.0.0.2"]
        let addresses = try hosts.map { try SocketAddress(numeric: $0, port: 1) }
        #expect(addresses.alternatingFamilies.map(\.host) == ["::1", "10.0.0.1", "::2", "10.0.0.2", "::3"])
        #expect(([] as [SocketAddress]).alternatingFamilies.isEmpty)
    }

    @Test("no limit of a connection is longer than somebody waits for it")
    func limits() {
        let usual = ConnectionLimits()
        #expect(ConnectionLimits(within: .seconds(3_600)) == usual)
        let short = ConnectionLimits(within: .seconds(2))
        #expect(short.handshake == .seconds(2) && short.closing == .seconds(2))
        #expect(Limits.attemptDelay == .milliseconds(250))
    }
}

/// A port at 127.0.0.1 that never answers, not even with a refusal, because its backlog is full.
private final class SwallowingPort {
    let port: UInt16
    private var descriptors: [Int32] = []

    init() throws {
        let listening = socket(AF_INET, streamSocket, 0)
        descriptors.append(listening)
        let any = try SocketAddress(numeric: "127.0.0.1", port: 0)
        try #require(any.withPointer { bind(listening, $0, $1) } == 0 && listen(listening, 0) == 0)
        let bound = try #require(SocketAddress(of: listening))
        port = bound.port
        // One client fits into the backlog. The kernel drops the packets of any other.
        for _ in 0..<3 {
            let client = socket(AF_INET, streamSocket, 0)
            descriptors.append(client)
            _ = fcntl(client, F_SETFL, O_NONBLOCK)
            _ = bound.withPointer { Glibc.connect(client, $0, $1) }
        }
    }

    deinit { for descriptor in descriptors { close(descriptor) } }
}
