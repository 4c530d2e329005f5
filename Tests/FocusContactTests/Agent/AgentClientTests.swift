import ClientSupport
import FocusAgent
import FocusContact
import FocusDevice
import Foundation
import Synchronization
import SystemKit
import TestSupport
import TestTraits
import Testing

@Suite("Failed requests to the agent", .ends(within: .seconds(120)))
struct AgentClientTests {
    private let folder = TemporaryHome()
    private let laptop: TestContext
    private let home: Home

    init() throws {
        laptop = TestContext(home: folder.path)
        home = try Home(laptop.machine.environment)
        try home.create()
    }

    /// A page that is never available.
    private final class NoPage: AgentPage {
        func resume() {}
        func refresh() {}
        var hasViewers: Bool { false }
        func link() -> PageLink { .problem("There is none.") }
        func calendarAddress(renewing isRenewing: Bool) -> PageLink { isRenewing ? link() : .hasCalendar }
        func forgetBrowsers() throws { throw SystemError("a full disk", code: 28) }
        func close() {}
    }

    private func starter(isAgentUnwanted: Bool = false) -> AgentClient {
        AgentClient(home, Environment(isAgentUnwanted ? ["FOCUS_NO_AGENT": "1"] : [:]))
    }

    @Test("requests fail without an agent, and a start fails if its log is a link", arguments: [false, true])
    func none(isAgentUnwanted: Bool) throws {
        let starter = starter(isAgentUnwanted: isAgentUnwanted)
        #expect(throws: AgentFailure.absent) { try starter.stop() }
        #expect(throws: AgentFailure.absent) { try starter.status() }
        #expect(throws: AgentFailure.noPage(isAgentUnwanted: isAgentUnwanted)) { try starter.webLink() }
        #expect(try !starter.forgetBrowsers())
        guard !isAgentUnwanted else { return }
        // The agent doesn't write its log through a symbolic link.
        try FileManager.default.createSymbolicLink(atPath: home.agentLog, withDestinationPath: "elsewhere")
        let failure = #expect(throws: AgentFailure.self) { try starter.startIfNone() }
        guard case .notStarted? = failure else { throw try #require(failure) }
    }

    @Test("a second agent is refused, and so are requests about a page that fails")
    func running() async throws {
        let (laptop, seen) = (laptop, Seen())
        @Sendable func run() throws {
            try AgentProcess.run(
                on: laptop.machine, opening: { try Device(laptop.machine) },
                log: AgentLog(laptop.machine.platform.clocks) { event, _ in
                    seen.said.withLock { $0.append(event) }
                },
                page: { _ in NoPage() })
        }
        Thread.detachNewThread {
            do { try run() } catch { Issue.record(error) }
            seen.ended.withLock { $0 = true }
        }
        let starter = starter(isAgentUnwanted: true)
        try await waitUntil("the agent answers") { (try? starter.status()) != nil }
        #expect(throws: AgentFailure.running) { try run() }
        #expect(throws: AgentFailure.pageFailed("There is none.")) { try starter.webLink() }
        #expect(throws: AgentFailure.hasCalendar) { try starter.calendarAddress(renewing: false) }
        #expect(throws: AgentFailure.pageFailed("There is none.")) {
            try starter.calendarAddress(renewing: true)
        }
        #expect(throws: AgentFailure.notForgotten) { try starter.forgetBrowsers() }
        try starter.stop()
        try await waitUntil("the agent has ended") { seen.ended.withLock(\.self) }
        let events = seen.said.withLock(\.self)
        guard events.count == 3, case .started(getpid()) = events[0], case .failed = events[1],
            case .agent(.stopping) = events[2]
        else {
            Issue.record("\(events)")
            return
        }
    }

    /// The events in the agent's log, and whether the agent has ended.
    private final class Seen: Sendable {
        let said = Mutex<[AgentLogEvent]>([])
        let ended = Mutex(false)
    }
}
