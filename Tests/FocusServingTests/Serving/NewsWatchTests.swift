import FocusCore
import FocusNet
import FocusServerCore
import FocusServerStore
import Glibc
import ServerSupport
import Synchronization
import TestSupport
import TestTraits
import Testing

@testable import FocusServing

@Suite("The watch for news of other servers", .ends(within: .seconds(300)))
struct NewsWatchTests {
    /// A connection with its other end in the test's hands. A new connection has the number of the lost one,
    /// as is usual.
    private final class TestConnection: NewsConnection, Sendable {
        private struct State {
            /// The database's end of the connection.
            var other: Int32
            var isLost = false
            var connectionCount = 1
            /// The number of notices that were taken from this connection.
            var taken = 0
        }

        let server: Int64 = 1
        private let own: Int32
        private let state: Mutex<State>

        init() throws {
            let ends = try TestConnection.pair()
            own = ends.own
            state = Mutex(State(other: ends.other))
        }

        deinit {
            close(own)
            close(state.withLock { $0.other })
        }

        private static func pair() throws -> (own: Int32, other: Int32) {
            var ends: [Int32] = [-1, -1]
            let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
            try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
            return (ends[0], ends[1])
        }

        var connectionCount: Int { state.withLock { $0.connectionCount } }
        var taken: Int { state.withLock { $0.taken } }

        /// Sends a notice of another server.
        func notify() { state.withLock { _ = write($0.other, "x", 1) } }

        /// Breaks the connection.
        func lose() {
            state.withLock {
                close($0.other)
                $0.other = -1
            }
        }

        var descriptor: Int32? { state.withLock { $0.isLost ? nil : own } }

        func connect() throws -> Bool {
            let ends = try TestConnection.pair()
            dup2(ends.own, own)
            close(ends.own)
            state.withLock { $0 = State(other: ends.other, connectionCount: $0.connectionCount + 1) }
            return false
        }

        func takeNotices() -> [String] {
            state.withLock { state in
                var bytes = [UInt8](repeating: 0, count: 64)
                let count = Glibc.read(own, &bytes, bytes.count)
                if count == 0 { state.isLost = true }
                state.taken += max(0, count)
                return Array(repeating: NewsNotice.of(1, of: 2), count: max(0, count))
            }
        }

        func marks() throws -> [NewsProgress.Mark] { [NewsProgress.Mark(server: 2, number: 0)] }
        func read(
            beyond seen: [NewsProgress.Mark],
            _ body: (_ server: Int64, _ number: Int64, _ news: StoreNews, _ delay: Duration) -> Void
        ) throws -> Bool { true }
        func beat() throws -> Bool { true }
        func addAgain() throws {}
        func count() throws -> (running: Int, gone: Int) { (2, 0) }
        func deleteOld() throws {}
        func end() {}
    }

    @Test("after a lost connection it hears the notices of the next one")
    func reconnecting() async throws {
        let loop = try EventLoop()
        let connection = try TestConnection()
        // At this interval periodic reads are too late for the test, so only notices are heard.
        let watch = NewsWatch(
            try NewsReader(connection, now: .zero), every: .seconds(3_600), on: loop,
            clock: ServerClock(greatestServed: .zero), log: .silent,
            writes: Mailbox(on: loop) { _ in }, tell: { _ in })
        await watch.begin()
        try await hears(watch, connection)
        connection.lose()
        try await waitUntil("there is another connection") { connection.connectionCount == 2 }
        try await hears(watch, connection)
        await watch.end()
        loop.stop()
        loop.wait()
    }

    /// Sends notices and expects that each is taken. A read that is under way may take the first ones.
    private func hears(_ watch: NewsWatch, _ connection: TestConnection) async throws {
        for _ in 0..<5 {
            for _ in 0..<3 { await watch.endTurn() }
            let before = connection.taken
            connection.notify()
            try await waitUntil("a notice is taken") { connection.taken > before }
        }
    }
}

extension NewsWatch {
    /// Returns once the watch has done what it does now.
    fileprivate func endTurn() {}
}
