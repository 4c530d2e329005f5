import ClientSupport
import Dispatch
import FocusCore
import FocusDevice
import FocusFront
import FocusHTTP
import FocusLink
import FocusNet
import FocusSeal
import Synchronization
import TestSupport
import Testing

@testable import FocusContact
@testable import FocusPage

/// The page's server on a laptop of its own, over HTTP, and one browser that was let in.
final class StagedPage: Sendable {
    /// Group operations that wait for `release`, then fail.
    final class Operations: GroupOperations {
        static let trouble = GroupOperationError(.timedOut)
        private let mayEnd = DispatchSemaphore(value: 0)

        func release() { mayEnd.signal() }

        private func fail() throws(GroupOperationError) -> Never {
            mayEnd.wait()
            throw Operations.trouble
        }

        func join(
            _ invite: Invite, called name: String?, _ choice: SoloHistory.Choice, cancellation: Cancellation
        ) throws(GroupOperationError) -> JoinResult { try fail() }
        func invite() throws(GroupOperationError) -> PublishedInvite { try fail() }
        func sync() throws(GroupOperationError) -> GroupOperationResult { try fail() }
        func check() throws(GroupOperationError) -> String { try fail() }
        func revoke(_ keys: [Digest]) throws(GroupOperationError) -> GroupOperationResult { try fail() }
        func accept(_ key: Digest) throws(GroupOperationError) -> GroupOperationResult { try fail() }
        func leave() throws(GroupOperationError) -> Bool { try fail() }
        func share(
            called name: String?, cancellation: Cancellation
        ) throws(GroupOperationError) -> SharedInvite { try fail() }
        func stopSharing() throws(GroupOperationError) -> SharingEnd { try fail() }
        func prepareMove(
            to address: String, isConfirmed: Bool
        ) throws(GroupOperationError) -> String? { try fail() }
        func announceLocalChanges(on device: Device) -> [SyncNotice] { [] }
    }

    let operations: Operations
    private let folder: TemporaryHome
    let laptop: TestContext
    let home: Home
    let port: UInt16
    /// The cookie that the browser was let in with: its name, `=`, and its token.
    let cookie: String
    private let loop: EventLoop
    private let server: PageServer
    private let told: Told

    /// The events of the agent's log, the number of changes that the agent was told about, and whether the agent
    /// makes the bell's sound.
    private final class Told: Sendable {
        let events = Mutex<[String]>([])
        let changes = Mutex<Int>(0)
        let makesSound = Mutex(false)
    }

    init() async throws {
        let folder = TemporaryHome()
        let laptop = TestContext(home: folder.path, now: 1_763_661_600_000)
        let (operations, told, loop) = (Operations(), Told(), try EventLoop())
        (self.folder, self.laptop, self.operations, self.told, self.loop) = (
            folder, laptop, operations, told, loop
        )
        home = try Home(laptop.machine.environment)
        server = try await StagedPage.on(loop) {
            PageServer(
                PageContext(
                    device: try Device(laptop.machine), loop: loop,
                    log: { event in told.events.withLock { $0.append("\(event)") } },
                    recordSuspension: {}, pageOpened: {}, returnMemory: {},
                    announceChanges: { told.changes.withLock { $0 += 1 } },
                    makesSound: { told.makesSound.withLock { $0 } }),
                in: ViewContext(machine: laptop.machine) { _ in operations })
        }
        let link = try await StagedPage.link(of: server, on: loop)
        port = link.port
        cookie = try StagedPage.cookie(from: link)
    }

    deinit {
        for _ in 0..<9 { operations.release() }
        loop.run { [server] in server.close() }
        loop.stop()
        loop.wait()
    }

    private static func on<Value: Sendable>(
        _ loop: EventLoop, _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            loop.run { continuation.resume(with: Result { try body() }) }
        }
    }

    /// A link that lets one browser in.
    struct Link {
        let port: UInt16
        let path: String
    }

    private static func link(of server: PageServer, on loop: EventLoop) async throws -> Link {
        let link = try await on(loop) { server.link() }
        guard case .link(let text) = link, let path = text.firstRange(of: "/open"),
            let port = UInt16(text[..<path.lowerBound].split(separator: ":").last ?? "")
        else { throw HTTPClient.Failure(description: "\(link)") }
        return Link(port: port, path: String(text[path.lowerBound...]))
    }

    /// Follows a link, and returns the cookie that it gives.
    private static func cookie(from link: Link) throws -> String {
        let answer = try HTTPClient(port: link.port).ask("GET", link.path, host: "127.0.0.1:\(link.port)")
        return String(try #require(answer.headers["set-cookie"]?.split(separator: ";").first))
    }

    /// Returns a new link.
    func link() async throws -> Link { try await StagedPage.link(of: server, on: loop) }

    /// Asks for a calendar feed, and returns the answer.
    func calendar(renewing isRenewing: Bool = false) async throws -> PageLink {
        try await StagedPage.on(loop) { [server] in server.calendarAddress(renewing: isRenewing) }
    }

    /// Signs out all browsers, and ends the calendar feed.
    func forget() async throws { try await StagedPage.on(loop) { [server] in try server.forgetBrowsers() } }

    /// Lets another browser in, and returns its cookie.
    func otherCookie() async throws -> String { try StagedPage.cookie(from: await link()) }

    var host: String { "127.0.0.1:\(port)" }

    /// The events of the agent's log, as texts.
    var log: [String] { told.events.withLock { $0 } }

    /// The number of changes that the agent was told about.
    var announcements: Int { told.changes.withLock { $0 } }

    /// Sets whether the agent makes the bell's sound.
    func agentMakesSound(_ makesSound: Bool) { told.makesSound.withLock { $0 = makesSound } }

    /// The output of `focus status --json` on the laptop.
    var status: String { laptop.run("status --json").output }

    func client() throws -> HTTPClient { try HTTPClient(port: port) }

    /// Sends a request and returns its answer.
    ///
    /// - Parameters:
    ///   - path: The address.
    ///   - body: The body of a POST; nil for a GET.
    ///   - headers: Additional headers. A header replaces the usual one of the same name; an empty one is
    ///     left out.
    ///   - client: The connection; a new one if it is nil.
    func ask(
        _ path: String, _ body: String? = nil, _ headers: [String: String] = [:], by client: HTTPClient? = nil
    ) throws -> HTTPClient.Answer {
        let usual = ["Cookie": cookie, "Content-Type": "application/json"].merging(headers) { $1 }
        return try (client ?? self.client()).ask(
            body == nil ? "GET" : "POST", path, host: headers["Host"] ?? host,
            usual.filter { !$0.value.isEmpty && $0.key != "Host" }, body: body)
    }

    /// Sends a request, and doesn't wait for the answer.
    func send(_ path: String, _ body: String, by client: HTTPClient) {
        client.send(
            "POST \(path) HTTP/1.1\r\nHost: \(host)\r\nCookie: \(cookie)\r\n"
                + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }

    /// Opens the stream of states for the browser with this cookie, and waits for the first state.
    ///
    /// - Parameter query: The query of the address, with its question mark.
    func follow(_ cookie: String, _ query: String = "") throws -> HTTPClient {
        let client = try client()
        client.send("GET /events\(query) HTTP/1.1\r\nHost: \(host)\r\nCookie: \(cookie)\r\n\r\n")
        #expect(try client.head().status == 200)
        _ = try client.text(upTo: "event: state\ndata: ")
        return client
    }

    /// The number of group operations that are under way.
    func underWay() async throws -> Int {
        try await StagedPage.on(loop) { [server] in server.pendingOperations.count }
    }

    /// Expects that `answer` is the server's answer for `failure`.
    func expect(_ answer: HTTPClient.Answer, _ failure: PageError) {
        let expected = PageAnswer(failure, home)
        #expect(answer.status == Int(expected.status))
        #expect(answer.body == String(decoding: expected.body, as: UTF8.self))
    }
}
