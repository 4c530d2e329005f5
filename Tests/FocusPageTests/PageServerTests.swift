import ClientSupport
import CommandLineKit
import FocusCore
import FocusDevice
import FocusFront
import FocusHTTP
import FocusLink
import FocusNet
import FocusSeal
import FocusText
import Foundation
import Glibc
import TestSupport
import TestTraits
import Testing

@testable import FocusContact
@testable import FocusPage

/// The answers of the page's server to requests that it refuses, over HTTP.
@Suite("Refusals of the page's server", .ends(within: .seconds(120)))
struct PageServerTests {
    @Test("a state says whether the agent rings at a phase's end, so that one of both rings")
    func bell() async throws {
        let page = try await StagedPage()
        for makesSound in [false, true] {
            page.agentMakesSound(makesSound)
            let state = try page.follow(page.cookie).text(upTo: "\n\n")
            #expect(state.contains("\"agentRings\":\(makesSound)"))
        }
    }

    @Test("the agent is told about a changed setting of this laptop, because it may have to warn earlier")
    func ownSetting() async throws {
        let page = try await StagedPage()
        let change = #"{"press":"set","setting":"warnBefore","value":"2m"}"#
        #expect(try page.ask("/press", change).status == 204)
        #expect(page.announcements == 1)
    }

    @Test("the page is served in the chosen colours, so that it never shows others first")
    func appearance() async throws {
        let page = try await StagedPage()
        #expect(try page.ask("/", nil).body.contains(#"data-background="system" data-accent="red""#))
        for (setting, value) in [("theme", "dark"), ("accent", "violet")] {
            let change = #"{"press":"set","setting":"\#(setting)","value":"\#(value)"}"#
            #expect(try page.ask("/press", change).status == 204)
        }
        #expect(try page.ask("/", nil).body.contains(#"data-background="dark" data-accent="violet""#))
    }

    @Test("a question about time away is answered once, and only the one that was shown")
    func answer() async throws {
        let page = try await StagedPage()
        func answer(_ until: Int64) throws -> HTTPClient.Answer {
            try page.ask(
                "/press",
                #"{"press":"idle","answer":"drop","from":1763661600000,"until":\#(until)}"#)
        }
        page.expect(try answer(1_763_662_200_000), .perform(.notNow(.nothingAsked)))
        page.laptop.play(("start", 600), ("idle begin --ago 10m", 0), ("idle end", 0))
        page.expect(try answer(1_763_662_200_001), .perform(.notNow(.nothingAsked)))
        let done = try answer(1_763_662_200_000)
        #expect(done.status == 200 && done.body.contains("isn't counted"))
        #expect(page.laptop.run("status").output.hasPrefix("Work  25:00"))
        page.expect(try answer(1_763_662_200_000), .perform(.notNow(.nothingAsked)))
    }

    @Test("foreign, malformed and impossible requests get the answer of their failure")
    func asked() async throws {
        let page = try await StagedPage()
        let noInvite = try #require(throws: CommandFailure.self) { try Invite(handedIn: "x") }
        let nobody = try #require(throws: CommandFailure.self) {
            try page.operations.accept("x", of: try Device(page.laptop.machine))
        }
        let gone = #"{"press":"remove","record":"zzz"}"#
        let cases: [(String, String?, [String: String], PageError)] = [
            ("/", nil, ["Origin": "http://evil.example"], .foreignOrigin),
            ("/log.json", nil, ["Cookie": ""], .notSignedIn),
            ("/press", "{}", ["Content-Type": "text/plain"], .notJSON),
            ("/press", "{}", [:], .malformed(.lacks("press"))),
            ("/log.json?from=never", nil, [:], .invalidDay("from")),
            ("/log.json?label=a&tag=b", nil, [:], .labelAndTag),
            ("/stats.json?tag=", nil, [:], .invalidTag),
            ("/log.json?to=today&to=today", nil, [:], .duplicateParameter("to")),
            ("/log.json?zone=", nil, [:], .invalidZone),
            ("/press", gone, [:], .noEntry(.none("zzz"))),
            ("/press", #"{"press":"pause"}"#, [:], .perform(.notNow(.nothingRuns))),
            ("/leave", #"{"sure":true}"#, [:], .device(.inNoGroup)),
            ("/join", #"{"invite":"x"}"#, [:], .command(noInvite)),
            ("/device", #"{"accept":"x"}"#, [:], .command(nobody)),
        ]
        for (path, body, headers, failure) in cases {
            page.expect(try page.ask(path, body, headers), failure)
        }
        try StagedServer(VirtualTime(page.laptop)).admit(Device(page.laptop.machine))
        page.expect(
            try page.ask("/leave", "{}"), .needsConfirmation(.leave(isOnlyMember: true, isServer: false)))
    }

    @Test("the question before a laptop leaves says that the server that it shares goes on")
    func leavingServer() async throws {
        let page = try await StagedPage()
        try Device(page.laptop.machine).shareGroup()
        let asked = try page.ask("/leave", "{}")
        page.expect(asked, .needsConfirmation(.leave(isOnlyMember: true, isServer: true)))
        #expect(asked.body.contains("The group's server goes on running here."), "\(asked.body)")
    }

    @Test("a laptop leaves without telling its server only after a second yes")
    func untold() async throws {
        let page = try await StagedPage()
        try StagedServer(VirtualTime(page.laptop)).admit(Device(page.laptop.machine))
        page.operations.release()
        let trouble = StagedPage.Operations.trouble.asCommandFailure().message
        page.expect(
            try page.ask("/leave", #"{"sure":true}"#),
            .needsConfirmation(.leaveUntold("\(trouble) Leave anyway?")))
        let left = try page.ask("/leave", #"{"sure":true,"untold":true}"#)
        #expect(left.status == 200)
        #expect(left.body.contains("This laptop has left the group"), "\(left.body)")
    }

    @Test("a laptop that was shut out leaves without the advice to shut it out")
    func shutOutBefore() async throws {
        let page = try await StagedPage()
        let device = try Device(page.laptop.machine)
        try StagedServer(VirtualTime(page.laptop)).admit(device)
        try device.record(.revoked)
        let left = try page.ask("/leave", #"{"sure":true,"untold":true}"#)
        #expect(left.body.contains("This laptop has left the group"), "\(left.body)")
        #expect(!left.body.contains("still list this laptop"), "\(left.body)")
    }

    @Test("a page may press at once after its own press, but not after one on another page")
    func pages() async throws {
        let page = try await StagedPage()
        // The agent has a model while a page is open.
        let stream = try page.follow(page.cookie)
        defer { withExtendedLifetime(stream) {} }
        let stopped = #"{"press":"start","shown":{"status":"stopped"}}"#
        let started = try page.ask("/press?page=a", stopped)
        #expect(started.status == 200)
        let shown = try #require(try JSON(parsing: Array(started.body.utf8))["shown"])
        let toggle = #"{"press":"toggle","shown":\#(shown)}"#
        let refused = try page.ask("/press?page=b", toggle)
        #expect(refused.status == 409, "\(refused.body)")
        #expect(refused.body.contains("The timer changed just now"))
        // That page was told what is shown, so its next press is meant for it.
        #expect(try page.ask("/press?page=b", toggle).status == 200)
    }

    @Test("a page's own presses need no second between them")
    func ownPresses() async throws {
        let page = try await StagedPage()
        let stream = try page.follow(page.cookie)
        defer { withExtendedLifetime(stream) {} }
        let started = try page.ask("/press?page=a", #"{"press":"start","shown":{"status":"stopped"}}"#)
        let shown = try #require(try JSON(parsing: Array(started.body.utf8))["shown"])
        #expect(try page.ask("/press?page=a", #"{"press":"toggle","shown":\#(shown)}"#).status == 200)
    }

    @Test("an invalid or impossible press says why and changes nothing")
    func refusals() async throws {
        let page = try await StagedPage()
        let gone =
            #"{"press":"toggle","shown":{"status":"running","run":"0.0@0000000000000001","ordinal":7}}"#
        let cases: [(String, Int, String)] = [
            (#"{"press":"pause"}"#, 409, "Nothing is running."),
            (#"{"press":"undo"}"#, 409, "There is nothing to undo."),
            (#"{"press":"set","setting":"workLength","value":0}"#, 409, "between 1s and 24h"),
            (#"{"press":"set","setting":"workLength","value":"long"}"#, 400, "Give 1s to 24h."),
            (#"{"press":"set","setting":"sound","value":"loud"}"#, 400, "Give on or off."),
            (#"{"press":"set","setting":"theme","value":"on"}"#, 400, "Give system, light or dark."),
            (#"{"press":"relabel","record":"zzz","label":""}"#, 400, "no entry 'zzz'"),
            (#"{"press":"addPast","startedAt":0,"endedAt":9223372036854775807}"#, 400, "endedAt"),
            (#"{"press":"addPast","startedAt":1,"endedAt":99999999999999}"#, 400, "24 hours"),
            (#"{"press":"dance"}"#, 400, "'dance'"),
            (#"{"press":"toggle","shown":"running"}"#, 400, "must be an object"),
            (#"{"press":"toggle","shown":{"status":"gone"}}"#, 400, "no status 'gone'"),
            (#"{"press":"toggle","shown":{"status":"waiting","run":"x"}}"#, 400, "the id of a session"),
            (gone, 409, "The timer changed just now: the session has ended. Press again if you mean that."),
            (#"{"press":"add","seconds":1.5}"#, 400, "whole number"),
            ("{}", 400, "lacks"), ("", 400, "isn't JSON"), ("{", 400, "isn't JSON"),
            (String(repeating: "[", count: 60_000), 400, "too deep"),
        ]
        for (body, status, words) in cases {
            let answer = try page.ask("/press", body)
            #expect(answer.status == status, "\(body.prefix(80))")
            #expect(answer.body.contains(words), "\(body.prefix(80)): \(answer.body)")
            #expect(answer.headers["content-type"] == "application/json")
        }
        #expect(page.status.contains(#""events":0"#))
        for body in ["{}", #"{"rename":""}"#, #"{"rename":7}"#, "x"] {
            #expect(try page.ask("/device", body).status == 400, "\(body)")
        }
        for path in ["/join", "/leave"] { #expect(try page.ask(path, "[").status == 400) }
        let queries = [
            "from=today&from=today", "label=a&tag=b", "tag=a&tag=b", "tag=", "from=2025-02&to=2025-01",
            "zone=", "zone=../../etc/passwd", "zone=%2Fetc%2Fpasswd", "zone=UTC&zone=UTC", "zone=%00",
            "label=%00&to=%ff",
        ]
        for query in queries {
            #expect(try page.ask("/log.json?\(query)").status == 400, "\(query)")
            #expect(try page.ask("/stats.json?\(query)").status == 400, "\(query)")
        }
        #expect(try page.ask("/join", #"{"giveUp":true}"#).status == 204, "there is nothing to give up")
        for text in ["hello", "lockstep1-x", String(repeating: "a", count: 60_000)] {
            let answer = try page.ask("/join", #"{"invite":"\#(text)"}"#)
            #expect(answer.status == 503 && !answer.body.contains(text), "\(answer)")
        }
    }

    @Test(
        "days are those of the reader's zone, or the laptop's if that zone is unknown",
        .enabled(if: FileManager.default.fileExists(atPath: "/usr/share/zoneinfo/Asia/Tokyo")))
    func zones() async throws {
        let page = try await StagedPage()
        // 23:30 in Tokyo, which is another day in Honolulu.
        let past = #"{"press":"addPast","startedAt":1763562600000,"endedAt":1763562900000}"#
        #expect(try page.ask("/press", past).status == 204)
        func day(_ query: String) throws -> String {
            let body = try page.ask("/log.json\(query)").body
            return body.split(separator: "\"date\":\"").last.map { String($0.prefix(10)) } ?? ""
        }
        #expect(try day("?zone=Asia/Tokyo") == "2025-11-19")
        #expect(try day("?zone=Pacific/Kiritimati") == "2025-11-20")
        #expect(try day("?zone=Nowhere/Here") == day(""))
        let statistics = try page.ask("/stats.json?zone=Asia/Tokyo").body
        #expect(statistics.contains(#""zone":{"name":"JST","offset":"+09:00"}"#))
        #expect(statistics.contains(#""date":"2025-11-19""#))
    }

    @Test("a press says what its effect doesn't show, in the page's words, and names the wrong field")
    func answers() async throws {
        let page = try await StagedPage()
        func press(_ body: String) throws -> String { try page.ask("/press", body).body }
        #expect(try press(#"{"press":"start","length":"abc"}"#).contains(#""field":"length""#))
        let past = #"{"press":"addPast","startedAt":1763658000000,"length":"abc"}"#
        #expect(try press(past).contains(#""field":"length""#))
        #expect(try press(#"{"press":"start","begins":253402300799999}"#).contains(#""field":"begins""#))
        #expect(try press(#"{"press":"start","begins":1763665200000}"#) == "")
        let givenUp = try press(#"{"press":"break"}"#)
        #expect(givenUp.contains("is given up. “Undo” brings it back."))
        #expect(try press(#"{"press":"undo"}"#) == #"{"did":"Took back the break."}"#)
        let state = try page.follow(page.cookie).text(upTo: "\n\n")
        #expect(state.contains(#""undo","redo"]"#))
    }

    @Test("a yes to an undo is for the event of the question, and the undo of another event asks again")
    func undoOfAnother() async throws {
        let page = try await StagedPage()
        func undo(_ consent: String = "null") throws -> HTTPClient.Answer {
            try page.ask("/press", #"{"press":"undo","sure":\#(consent)}"#)
        }
        func event(_ answer: HTTPClient.Answer) throws -> JSON {
            #expect(answer.status == 409, "\(answer.body)")
            return try #require(try JSON(parsing: Array(answer.body.utf8))["event"])
        }
        page.laptop.play(("start", 600), ("stop", 7200))
        let first = try event(try undo())
        page.laptop.play(("start", 600), ("stop", 7200))
        let second = try event(try undo("\(first)"))
        #expect(second != first)
        let done = try undo("\(second)")
        #expect(done.status == 200 && done.body.contains("Took back the stop"), "\(done.body)")
    }

    @Test("a stop as of a while ago has the command's limits, and each of its consequences is asked about")
    func backdatedStop() async throws {
        let page = try await StagedPage()
        page.laptop.play(("set idleLimit=1h", 0), ("start", 2 * 3600))
        func stop(_ agreed: String...) throws -> HTTPClient.Answer {
            try page.ask(
                "/press", #"{"press":"stop","ago":"10h"\#(agreed.map { ",\"\($0)\":true" }.joined())}"#)
        }
        let lost =
            "The session had ended by itself. As of 10h ago, 2 work phases don't count as completed."
        page.expect(try stop(), .needsConfirmation(.backdating(lost, .lostWork)))
        // A yes to one question is none to the other.
        page.expect(try stop("short"), .needsConfirmation(.backdating(lost, .lostWork)))
        let short =
            "It would count from 2h ago instead of 10h ago: not before the start pressed on this laptop."
        let asked = try stop("uncounted")
        page.expect(asked, .needsConfirmation(.backdating(short, .shortReach)))
        #expect(asked.body.hasSuffix(#""ask":true,"agree":"short"}"#), "\(asked.body)")
        let done = try stop("short", "uncounted")
        #expect(done.status == 200 && done.body.contains("It counts from 2h ago"), "\(done.body)")
        page.expect(try page.ask("/press", #"{"press":"stop"}"#), .perform(.notNow(.nothingRuns)))
        let wrong = try page.ask("/press", #"{"press":"stop","ago":"soon"}"#)
        #expect(wrong.status == 400 && wrong.body.contains(#""field":"ago""#))
    }

    @Test("a start at a time that is too far back asks first, and one within reach doesn't")
    func backdatedStart() async throws {
        let page = try await StagedPage()
        func start(_ begins: Int, _ more: String = "") throws -> HTTPClient.Answer {
            try page.ask("/press", #"{"press":"start","begins":\#(begins)\#(more)}"#)
        }
        let asked = try start(1_763_654_400_000)
        let short =
            "It would count from 25m ago instead of 2h ago: a start reaches back one work phase at most."
        page.expect(asked, .needsConfirmation(.backdating(short, .shortReach)))
        #expect(page.status.contains(#""events":0"#))
        let done = try start(1_763_654_400_000, #","short":true"#)
        #expect(done.status == 200 && done.body.contains("It counts from 25m ago"), "\(done.body)")
        let within = #"{"press":"start","begins":1763661000000}"#
        #expect(try await StagedPage().ask("/press", within).status == 204)
    }

    @Test(
        "the times in the answer to a press are by the reader's clocks",
        .enabled(if: FileManager.default.fileExists(atPath: "/usr/share/zoneinfo/Asia/Tokyo")))
    func answeredTimes() async throws {
        let page = try await StagedPage()
        // From 23:30 to 23:35 in Tokyo.
        let (start, end) = (1_763_562_600_000, 1_763_562_900_000)
        func add(_ start: Int, _ end: Int) throws -> String {
            let entry = #"{"press":"addPast","startedAt":\#(start),"endedAt":\#(end)}"#
            return try page.ask("/press?zone=Asia/Tokyo", entry).body
        }
        #expect(try add(start, end) == "")
        let again = "The history has an entry of these times already: Wed 19 Nov 2025, 23:30-23:35, work."
        #expect(try add(start, end) == #"{"error":"\#(again)"}"#)
        let overlap = "overlaps with the entry of Wed 19 Nov 2025, 23:30-23:35"
        #expect(try add(start + 60_000, end).contains(overlap))
        #expect(try add(end, start).contains("23:30"))
        #expect(try page.ask("/press?zone=..", #"{"press":"start"}"#).status == 400)
    }

    @Test(
        "the end of the phase is by the reader's clocks, or by the laptop's if that zone is unknown",
        .enabled(if: FileManager.default.fileExists(atPath: "/usr/share/zoneinfo/Asia/Tokyo")))
    func phaseEnd() async throws {
        BerlinTime.set()
        let page = try await StagedPage()
        #expect(try page.ask("/press", #"{"press":"start"}"#).status == 204)
        for (query, clock) in [("?zone=Asia/Tokyo", "03:25"), ("", "19:25"), ("?zone=", "19:25")] {
            let state = try page.follow(page.cookie, query).text(upTo: "\n\n")
            #expect(state.contains(#""endText":"until \#(clock)""#), "\(query)")
        }
    }

    @Test("the recent labels are those of the history, each once, the most recent first")
    func labels() async throws {
        let page = try await StagedPage()
        #expect(try page.ask("/labels.json").body == "{\"labels\":[]}\n")
        for (label, hour) in [("Read", 1), ("Mail #\u{201C}x\"", 2), ("", 3), ("Read", 4)] {
            let from = 1_763_600_000_000 + hour * 3_600_000
            let entry = JSON.object([
                JSON.Member("press", .string("addPast")), JSON.Member("label", .string(label)),
                JSON.Member("startedAt", .integer(Int64(from))),
                JSON.Member("endedAt", .integer(Int64(from + 1_500_000))),
            ])
            #expect(try page.ask("/press", "\(entry)").status == 204)
        }
        let labels = try JSON(parsing: page.ask("/labels.json").body.utf8)["labels"]
        #expect(labels == .array([.string("Read"), .string("Mail #\u{201C}x\"")]))
    }

    @Test("failed group operations, and one beyond the limit, get the answer of their failure")
    func operations() async throws {
        let page = try await StagedPage()
        let clients = try (0..<4).map { _ in try page.client() }
        for (count, client) in clients.enumerated() {
            page.send("/invite", "{}", by: client)
            try await waitUntil("the operation is under way") { try await page.underWay() == count + 1 }
        }
        page.expect(try page.ask("/invite", "{}"), .tooManyOperations)
        for client in clients {
            page.operations.release()
            page.expect(try client.answer(), .command(StagedPage.Operations.trouble.asCommandFailure()))
        }

        let invite = try Invite(
            kind: .joinGroup(GroupMark(of: StagedServer.group)), addresses: ["server.example"],
            server: ServerPin(Digest(InlineArray(repeating: 3))), secret: .random())
        let body = #"{"invite":"\#(try invite.text())","takeAlong":false}"#
        page.send("/join", body, by: clients[0])
        try await waitUntil("the laptop is joining") { try await page.underWay() == 1 }
        page.expect(try page.ask("/join", body), .isJoining)
        page.operations.release()
        page.expect(try clients[0].answer(), .command(StagedPage.Operations.trouble.asCommandFailure()))
    }

    @Test("a document gets a failure if the process has no free file descriptor")
    func noDescriptors() async {
        await #expect(processExitsWith: .success) {
            let page = try await StagedPage()
            let client = try page.client()
            #expect(try page.ask("/", by: client).status == 200)
            var limit = rlimit(rlim_cur: 0, rlim_max: 0)
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            var none = limit
            none.rlim_cur = 0
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none)
            let error = try #require(throws: NetError.self) { try EventLoop() }
            page.expect(try page.ask("/log.json", by: client), .network(error.sentence))
            // A sanitizer needs descriptors when the process ends.
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        }
    }
}
