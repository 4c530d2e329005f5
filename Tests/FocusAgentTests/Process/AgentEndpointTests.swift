import ClientSupport
import FocusDevice
import FocusNet
import Foundation
import Synchronization
import SystemKit
import TestTraits
import Testing

@testable import FocusAgent
@testable import FocusContact

@Suite("An agent that lost its lock, socket or log", .ends(within: .seconds(60)))
final class AgentEndpointTests {
    private let folder = TemporaryHome()
    private let home: Home
    private let loop: EventLoop

    init() throws {
        home = try Home(folder.session)
        try home.create()
        try Data().write(to: URL(fileURLWithPath: home.database))
        loop = try EventLoop()
    }

    deinit {
        loop.stop()
        loop.wait()
    }

    /// Returns what a listening agent restores after `harm`.
    private func restored(
        after harm: @escaping @Sendable (Home) throws -> Void
    ) async throws -> Result<[AgentLogEvent], AgentEndpointFailure> {
        try await withCheckedThrowingContinuation { continuation in
            loop.run { [loop, home] in
                continuation.resume(
                    with: Result {
                        let lock = try #require(try AgentEndpoint.lock(home))
                        let place = AgentEndpoint(home, lock, on: loop)
                        try place.listen { nil }
                        defer { place.close() }
                        try harm(home)
                        return Result { () throws(AgentEndpointFailure) in try place.restore() }
                    })
            }
        }
    }

    @Test("it makes its lock and its socket again")
    func anew() async throws {
        let done = try await restored { home in
            for file in [home.agentLock, home.agentSocket] {
                try FileManager.default.removeItem(atPath: file)
            }
        }
        let events = try done.get()
        guard events.count == 2, case .lockRecreated = events[0], case .socketRecreated = events[1] else {
            Issue.record("\(events)")
            return
        }
        let untouched = try await restored { _ in }
        #expect(try untouched.get().isEmpty)
    }

    @Test("it fails without its log, or if another agent has its lock")
    func lost() async throws {
        let log = try await restored { try FileManager.default.removeItem(atPath: $0.database) }
        guard case .failure(.logGone) = log else { throw Lost(what: "\(log)") }
        try Data().write(to: URL(fileURLWithPath: home.database))
        let next = Mutex<AgentLock?>(nil)
        let lock = try await restored { home in
            try FileManager.default.removeItem(atPath: home.agentLock)
            let other = try #require(try AgentLock(path: home.agentLock))
            next.withLock { $0 = other }
        }
        guard case .failure(.lockGone) = lock else { throw Lost(what: "\(lock)") }
    }

    private struct Lost: Error { let what: String }

    @Test("it fails if no socket can be made")
    func unreachable() async throws {
        let done = try await restored { home in
            let run = String(home.runtime.dropLast("/focus".count))
            try FileManager.default.removeItem(atPath: run)
            try Data().write(to: URL(fileURLWithPath: run))
        }
        guard case .failure(.socketGone(let error)) = done else { throw Lost(what: "\(done)") }
        #expect(error is SystemError)
    }
}
