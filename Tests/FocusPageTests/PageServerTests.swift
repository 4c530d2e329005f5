import ClientSupport
import CommandLineKit
import Dispatch
import FocusCore
import FocusDevice
import FocusFront
import FocusHTTP
import FocusLink
import FocusNet
import FocusSeal
import FocusWords
import Glibc
import TestSupport
import TestTraits
import Testing

@testable import FocusAgent
@testable import FocusPage

/// What the page's server answers where it doesn't do what it is asked for, over HTTP.
@Suite("What isn't done for a page", .ends(within: .seconds(120)))
struct PageServerTests {
    /// What is asked of a group that can't do it, and takes its time until it may say so.
    private final class Errands: GroupErrands {
        static let trouble = ErrandTrouble(.timedOut)
        private let mayEnd = DispatchSemaphore(value: 0)

        func release() { mayEnd.signal() }

        private func fail() throws(ErrandTrouble) -> Never {
            mayEnd.wait()
            throw Errands.trouble
        }

        func join(
            _ invite: Invite, called name: String?, _ choice: AloneHistory.Choice, giving: GivingUp
        ) throws(ErrandTrouble) -> Joined { try fail() }
        func invite() throws(ErrandTrouble) -> MadeInvite { try fail() }
        func sync() throws(ErrandTrouble) -> ErrandOutcome { try fail() }
        func check() throws(ErrandTrouble) -> [String] { try fail() }
        func revoke(_ keys: [Digest]) throws(ErrandTrouble) -> ErrandOutcome { try fail() }
        func accept(_ key: Digest) throws(ErrandTrouble) -> ErrandOutcome { try fail() }
        func part() throws(ErrandTrouble) -> Bool { try fail() }
        func logChanged(on device: Device) -> [SyncNotice] { [] }
    }

    /// A page's server on a laptop of its own, and a browser that was let in.
    private final class Page: Sendable {
        let errands: Errands
        private let folder = TemporaryHome()
        let laptop: TestContext
        let home: Home
        private let loop: EventLoop
        private let server: PageServer
        private let port: UInt16
        private let cookie: String

        init() async throws {
            let laptop = TestContext(home: folder.path, now: 1_763_661_600_000)
            let errands = Errands()
            (self.laptop, self.errands) = (laptop, errands)
            home = try Home(laptop.machine.environment)
            let loop = try EventLoop()
            self.loop = loop
            let link: PageLink
            (server, link) = try await withCheckedThrowingContinuation { continuation in
                loop.run {
                    continuation.resume(
                        with: Result {
                            let server = PageServer(
                                PageSurroundings(
                                    device: try Device(laptop.machine), loop: loop, log: { _ in },
                                    lookForSleep: {}, someoneLooks: {}, returnMemory: {}, tellOthers: {}),
                                in: ViewContext(machine: laptop.machine) { _ in errands })
                            return (server, server.link())
                        })
                }
            }
            guard case .link(let text) = link, let path = text.firstRange(of: "/open") else {
                throw HTTPClient.Failure(description: "\(link)")
            }
            port = try #require(UInt16(text[..<path.lowerBound].split(separator: ":").last ?? ""))
            let answer = try HTTPClient(port: port).ask(
                "GET", String(text[path.lowerBound...]), host: "127.0.0.1:\(port)")
            cookie = String(try #require(answer.headers["set-cookie"]?.split(separator: ";").first))
        }

        deinit {
            for _ in 0..<9 { errands.release() }
            loop.run { [server] in server.close() }
            loop.stop()
            loop.wait()
        }

        func client() throws -> HTTPClient { try HTTPClient(port: port) }

        /// Asks for something; a header that is empty is left out.
        func ask(
            _ path: String, _ body: String? = nil, _ headers: [String: String] = [:],
            by client: HTTPClient? = nil
        ) throws -> HTTPClient.Answer {
            let usual = ["Cookie": cookie, "Content-Type": "application/json"]
            return try (client ?? self.client()).ask(
                body == nil ? "GET" : "POST", path, host: "127.0.0.1:\(port)",
                usual.merging(headers) { $1 }.filter { !$0.value.isEmpty }, body: body)
        }

        /// Asks for something, and doesn't wait for the answer.
        func send(_ path: String, _ body: String, by client: HTTPClient) {
            client.send(
                "POST \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nCookie: \(cookie)\r\n"
                    + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        }

        /// How many errands are on their way.
        func underWay() async -> Int {
            await withCheckedContinuation { continuation in
                loop.run { [server] in continuation.resume(returning: server.errands.count) }
            }
        }

        func expect(_ answer: HTTPClient.Answer, _ failure: PageFailure) {
            let expected = HTTPResponse(failure, home)
            #expect(answer.status == Int(expected.status))
            #expect(answer.body == String(decoding: expected.body, as: UTF8.self))
        }
    }

    @Test("what is asked by the wrong one or in the wrong form, or names what isn't there")
    func asked() async throws {
        let page = try await Page()
        let noInvite = try #require(throws: CommandFailure.self) { try Invite(handedIn: "x") }
        let nobody = try #require(throws: GroupFailure.self) {
            try page.errands.accept("x", of: try Device(page.laptop.machine))
        }
        let gone = #"{"press":"remove","record":"zzz"}"#
        let cases: [(String, String?, [String: String], PageFailure)] = [
            ("/", nil, ["Origin": "http://evil.example"], .foreign),
            ("/log.json", nil, ["Cookie": ""], .notSignedIn),
            ("/press", "{}", ["Content-Type": "text/plain"], .otherForm),
            ("/press", "{}", [:], .malformed(.lacks("press"))),
            ("/log.json?from=never", nil, [:], .noDay("from")),
            ("/log.json?label=a&tag=b", nil, [:], .labelAndTag),
            ("/log.json?to=today&to=today", nil, [:], .givenTwice("to")),
            ("/log.json?zone=", nil, [:], .noZone),
            ("/press", gone, [:], .noEntry(.none("zzz"))),
            ("/press", #"{"press":"pause"}"#, [:], .perform(.notNow(.nothingRuns))),
            ("/leave", #"{"sure":true}"#, [:], .device(.inNoGroup)),
            ("/join", #"{"invite":"x"}"#, [:], .command(noInvite)),
            ("/device", #"{"accept":"x"}"#, [:], .group(nobody)),
        ]
        for (path, body, headers, failure) in cases {
            page.expect(try page.ask(path, body, headers), failure)
        }
        try StagedServer(VirtualTime(page.laptop)).admit(Device(page.laptop.machine))
        page.expect(try page.ask("/leave", "{}"), .asks(.leave(isLast: true)))
    }

    @Test("what comes to nothing at the server, and what is one too many meanwhile")
    func errands() async throws {
        let page = try await Page()
        let clients = try (0..<4).map { _ in try page.client() }
        for (count, client) in clients.enumerated() {
            page.send("/invite", "{}", by: client)
            try await waitUntil("the errand is under way") { await page.underWay() == count + 1 }
        }
        page.expect(try page.ask("/invite", "{}"), .tooMuch)
        for client in clients {
            page.errands.release()
            page.expect(try client.answer(), .errand(Errands.trouble))
        }

        let invite = try Invite(
            kind: .joinGroup(GroupMark(of: StagedServer.group)), addresses: ["server.example"],
            server: ServerPin(Digest(InlineArray(repeating: 3))), secret: .random())
        let body = #"{"invite":"\#(try invite.text())","takeAlong":false}"#
        page.send("/join", body, by: clients[0])
        try await waitUntil("the laptop is joining") { await page.underWay() == 1 }
        page.expect(try page.ask("/join", body), .isJoining)
        page.errands.release()
        page.expect(try clients[0].answer(), .joining(Errands.trouble))
    }

    @Test("what would take a thread, where the process can open nothing more")
    func noDescriptors() async {
        await #expect(processExitsWith: .success) {
            let page = try await Page()
            let client = try page.client()
            #expect(try page.ask("/", by: client).status == 200)
            var limit = rlimit(rlim_cur: 0, rlim_max: 0)
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            var none = limit
            none.rlim_cur = 0
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none)
            let error = try #require(throws: NetError.self) { try EventLoop() }
            page.expect(try page.ask("/log.json", by: client), .network(error))
            // A sanitizer looks through the process as it ends.
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        }
    }
}
