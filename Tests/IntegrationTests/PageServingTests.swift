import Foundation
import Glibc
import IntegrationSupport
import TestSupport
import Testing

extension LaptopTests {
    /// What the agent serves, at the level of HTTP; Tests/PageTests looks at it with a browser.
    @Suite("Serving the page")
    struct PageServingTests {
        /// Runs a test on a laptop that is alone, with its agent.
        private func alone(_ body: (Laptop) throws -> Void) throws {
            try World.with { world in
                let laptop = world.laptop("work")
                try laptop.beginAgent()
                try eventually("the agent runs") { try laptop.agentStatus() != nil }
                try body(laptop)
            }
        }

        @Test("a link lets one browser in, once, and nobody comes in without")
        func links() throws {
            try alone { laptop in
                let link = try PageVisitor.link(laptop)
                let host = "127.0.0.1:\(link.port)"
                func open(_ path: String, _ headers: [String: String] = [:]) throws -> HTTPClient.Answer {
                    try HTTPClient(port: link.port).ask("GET", path, host: host, headers)
                }
                for path in ["/open", "/open?key=", "/open?key=00", link.path + "&key=1", link.path + "0"] {
                    #expect(try open(path).status == 403, "\(path)")
                }
                #expect(try open(link.path, ["Sec-Fetch-Site": "cross-site"]).status == 403)
                let answer = try open(link.path)
                #expect(answer.status == 303)
                #expect(answer.headers["location"] == "/")
                let cookie = try #require(answer.headers["set-cookie"])
                let parts = cookie.components(separatedBy: "; ")
                #expect(parts[0].wholeMatch(of: #/focus-\d+=[0-9a-f]{64}/#) != nil)
                #expect(
                    Set(parts.dropFirst()) == ["Path=/", "HttpOnly", "SameSite=Strict", "Max-Age=2592000"])
                #expect(try open(link.path).status == 403)

                #expect(try open("/", ["Cookie": parts[0]]).status == 200)
                #expect(try open("/", ["Cookie": "a=b; \(parts[0]); c=d"]).status == 200)
                let token = try #require(parts[0].split(separator: "=").last)
                for refused in [
                    "", "focus=\(token)", "focus-\(link.port)=", "focus-\(link.port)=\(token.dropLast())0",
                    "focus-\(link.port)=\(token)0", "focus-\(link.port + 1)=\(token)",
                ] where refused != parts[0] {
                    for path in ["/", "/events", "/log.json", "/stats.json", "/devices.json"] {
                        #expect(try open(path, ["Cookie": refused]).status == 403, "\(path) \(refused)")
                    }
                }
                // What is kept, and what is said, lets nobody in.
                for file in [laptop.agentLog, "\(laptop.home)/log.db", "\(laptop.home)/log.db-wal"] {
                    let kept = try Data(contentsOf: URL(fileURLWithPath: file))
                    #expect(kept.range(of: Data(token.utf8)) == nil, "\(file)")
                }
            }
        }

        @Test("other hosts and other pages are refused, wherever they ask")
        func strangers() throws {
            try alone { laptop in
                let visitor = try PageVisitor(laptop)
                let strange = [
                    ["Host": "rebound.example:\(visitor.port)"], ["Origin": "http://evil.example"],
                    ["Origin": "null"], ["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": "same-site"],
                ]
                for headers in strange {
                    for path in ["/", "/page.js", "/events", "/log.json", "/open"] {
                        let host = headers["Host"] ?? visitor.host
                        let answer = try HTTPClient(port: visitor.port).ask(
                            "GET", path, host: host,
                            headers.filter { $0.key != "Host" }.merging(["Cookie": visitor.cookie]) { $1 })
                        #expect(answer.status == 403, "\(path) \(headers)")
                    }
                }
                for headers in strange.dropFirst() {
                    #expect(try visitor.post("/press", #"{"press":"start"}"#, headers).status == 403)
                }
                #expect(try visitor.post("/press", #"{"press":"start"}"#, ["Cookie": ""]).status == 403)
                #expect(
                    try visitor.post("/press", #"{"press":"start"}"#, ["Content-Type": "text/plain"]).status
                        == 415)
                #expect(try laptop.status().status == "stopped")
                let own = ["Origin": "http://\(visitor.host)", "Sec-Fetch-Site": "same-origin"]
                #expect(try visitor.post("/press", #"{"press":"start"}"#, own).status == 204)
                #expect(try laptop.status().status == "running")
            }
        }

        @Test("every answer keeps to the page's own files, and is kept by nobody")
        func policy() throws {
            try alone { laptop in
                let visitor = try PageVisitor(laptop)
                for path in ["/", "/page.js", "/icon.svg", "/log.json", "/nowhere", "/open?key=1"] {
                    let headers = try visitor.get(path).headers
                    #expect(headers["content-security-policy"]?.hasPrefix("default-src 'none'; ") == true)
                    #expect(headers["x-content-type-options"] == "nosniff")
                    #expect(headers["referrer-policy"] == "no-referrer")
                    #expect(headers["cache-control"] == "no-store")
                    #expect(headers["cross-origin-opener-policy"] == "same-origin")
                    #expect(headers["cross-origin-resource-policy"] == "same-origin")
                    #expect(headers["access-control-allow-origin"] == nil)
                }
                #expect(try visitor.get("/nowhere").status == 404)
                #expect(try visitor.get("/press").headers["allow"] == "POST")
                #expect(try visitor.post("/events", "{}").status == 405)
                let client = try HTTPClient(port: visitor.port)
                #expect(
                    try client.ask("DELETE", "/", host: visitor.host, ["Cookie": visitor.cookie]).status
                        == 405)
                let long = "{\"press\":\"" + String(repeating: "x", count: 65_536) + "\"}"
                #expect(try visitor.post("/press", long).status == 413)
            }
        }

        @Test("a page is told the state at once, then each change, whichever laptop it was pressed on")
        func events() throws {
            try World.with(["work", "home"]) { world in
                let (work, home) = (world.laptops[0], world.laptops[1])
                let visitor = try PageVisitor(work)
                let page = try visitor.follow()
                let first = try page.state()
                #expect(first.status == "stopped")
                #expect(first.remainingMs == 1_500_000)
                #expect(first.offers == ["main"])
                #expect(first.settingTexts["workLength"] == "25m")
                #expect(first.laptopSettings == ["notifications": "on", "sound": "on", "sleep": "pause"])
                #expect(first.notice == nil)
                if !first.online.contains("home") { _ = try page.state { $0.online.contains("home") } }

                try home.press("start", "Report")
                let started = try page.state { $0.status == "running" }
                #expect(started.label == "Report")
                #expect(started.mainButton == "Pause")
                #expect(started.phaseMs == 1_500_000)
                #expect((0...0.1).contains(started.progress))

                #expect(try visitor.post("/press", #"{"press":"toggle"}"#).status == 204)
                #expect(try page.state { $0.status == "paused" }.label == "Report")
                try eventually("home shows it") { try home.status().status == "paused" }
                try work.press("stop")
                _ = try page.state { $0.status == "stopped" }

                // Nobody tells of what runs down.
                try work.press("start")
                let running = try page.state { $0.status == "running" }
                #expect(try visitor.post("/press", #"{"press":"add","seconds":-1498}"#).status == 204)
                let next = try page.state { $0.status == "running" && $0.remainingMs > 200_000 }
                #expect(next.now > running.now)
            }
        }

        @Test("what can't be done, and what is no press, is said and changes nothing")
        func refusals() throws {
            try alone { laptop in
                let visitor = try PageVisitor(laptop)
                let cases: [(String, Int, String)] = [
                    (#"{"press":"pause"}"#, 409, "Nothing is running."),
                    (#"{"press":"undo"}"#, 409, "There is nothing to undo."),
                    (#"{"press":"set","setting":"workLength","value":0}"#, 409, "between 1s and 24h"),
                    (#"{"press":"set","setting":"workLength","value":"long"}"#, 400, "between 1s and 24h"),
                    (#"{"press":"set","setting":"sound","value":"loud"}"#, 400, "sound is on or off."),
                    (#"{"press":"relabel","record":"zzz","label":""}"#, 400, "no entry 'zzz'"),
                    (#"{"press":"addPast","startedAt":5,"endedAt":5}"#, 400, "isn't after its beginning"),
                    (#"{"press":"addPast","startedAt":0,"endedAt":9223372036854775807}"#, 400, "endedAt"),
                    (#"{"press":"addPast","startedAt":1,"endedAt":99999999999999}"#, 400, "24 hours"),
                    (#"{"press":"dance"}"#, 400, "'dance'"),
                    (#"{"press":"toggle","shown":"running"}"#, 400, "is to be an object"),
                    (#"{"press":"toggle","shown":{"status":"gone"}}"#, 400, "no status 'gone'"),
                    (
                        #"{"press":"toggle","shown":{"status":"running","run":"0.0@0000000000000001","ordinal":7}}"#,
                        409,
                        "The timer changed just now: the session has ended. Press again if you mean that."
                    ),
                    (#"{"press":7}"#, 400, "is to be a text"),
                    (#"{"press":"add","seconds":1.5}"#, 400, "whole number"),
                    (#"{"press":"add","seconds":90000}"#, 409, "Nothing is running."),
                    ("{}", 400, "lacks"), ("[]", 400, "lacks"), ("", 400, "no JSON"), ("{", 400, "no JSON"),
                    (String(repeating: "[", count: 60_000), 400, "too deep"),
                ]
                for (body, status, words) in cases {
                    let answer = try visitor.post("/press", body)
                    #expect(answer.status == status, "\(body.prefix(80))")
                    #expect(answer.body.contains(words), "\(body.prefix(80)): \(answer.body)")
                    #expect(answer.headers["content-type"] == "application/json")
                }
                #expect(try laptop.status().events == 0)
                for body in ["{}", #"{"rename":""}"#, #"{"rename":7}"#, "x"] {
                    #expect(try visitor.post("/device", body).status == 400, "\(body)")
                }
                let never = try visitor.get("/log.json?from=never")
                #expect(never.status == 400)
                #expect(
                    never.body.contains(#"\"from\" is not a day. A day is written today"#), "\(never.body)")
                for query in [
                    "from=today&from=today", "label=a&tag=b", "tag=a&tag=b", "from=2025-02&to=2025-01",
                ] {
                    #expect(try visitor.get("/log.json?\(query)").status == 400, "\(query)")
                    #expect(try visitor.get("/stats.json?\(query)").status == 400, "\(query)")
                }
                #expect(try visitor.get("/stats.json?label=%00&to=%ff").status == 400)
                for zone in ["", "../../etc/passwd", "%2Fetc%2Fpasswd", "UTC&zone=UTC", "%00"] {
                    #expect(try visitor.get("/stats.json?zone=\(zone)").status == 400, "\(zone)")
                }
                #expect(try visitor.post("/invite", "{}").body.contains("in no group"))
            }
        }

        @Test(
            "days are those of who reads, where the zone is known, and else the laptop's",
            .enabled(if: FileManager.default.fileExists(atPath: "/usr/share/zoneinfo/Asia/Tokyo")))
        func zones() throws {
            try alone { laptop in
                let visitor = try PageVisitor(laptop)
                let now = try laptop.status().now
                // Within an hour of midnight there: another day than in Honolulu.
                let midnight = now - (now + 9 * 3_600_000) % 86_400_000
                let past =
                    #"{"press":"addPast","startedAt":\#(midnight - 86_400_000),"endedAt":\#(midnight - 86_100_000)}"#
                #expect(try visitor.post("/press", past).status == 204)
                func day(_ query: String) throws -> String {
                    let body = try visitor.get("/log.json\(query)").body
                    return body.split(separator: "\"date\":\"").last.map { String($0.prefix(10)) } ?? ""
                }
                let (tokyo, honolulu) = (try day("?zone=Asia/Tokyo"), try day("?zone=Pacific/Honolulu"))
                #expect(honolulu < tokyo)
                #expect(try day("?zone=Nowhere/Here") == day(""))
                let statistics = try visitor.get("/stats.json?zone=Asia/Tokyo").body
                #expect(statistics.contains(#""zone":{"name":"JST","offset":"+09:00"}"#))
                #expect(statistics.contains(#""date":"\#(tokyo)""#))
            }
        }

        @Test("a browser that signs out is let in no more, in any tab, and the others stay")
        func signingOut() throws {
            try alone { laptop in
                let (leaving, staying) = (try PageVisitor(laptop), try PageVisitor(laptop))
                let page = try leaving.follow()
                _ = try page.state()
                let other = try staying.follow()
                _ = try other.state()
                #expect(try leaving.post("/sign-out", "{}", ["Sec-Fetch-Site": "cross-site"]).status == 403)
                let answer = try leaving.post("/sign-out", "{}")
                #expect(answer.status == 204)
                #expect(
                    answer.headers["set-cookie"]
                        == "focus-\(leaving.port)=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0")
                try page.waitForEndOfStream()
                for path in ["/", "/events", "/log.json"] { #expect(try leaving.get(path).status == 403) }
                #expect(try leaving.post("/sign-out", "{}").status == 403)
                try laptop.press("start")
                _ = try other.state { $0.status == "running" }
            }
        }

        @Test("all browsers are forgotten at once, with the agent and without, and new links let in")
        func forgetting() throws {
            try alone { laptop in
                let first = try PageVisitor(laptop)
                let page = try first.follow()
                _ = try page.state()
                let unused = try PageVisitor.link(laptop)
                #expect(try laptop.press("web", "--forget").hasPrefix("No browser is let in"))
                try page.waitForEndOfStream()
                #expect(try first.get("/").status == 403)
                #expect(
                    try HTTPClient(port: unused.port).ask("GET", unused.path, host: first.host).status == 403)

                let second = try PageVisitor(laptop)
                #expect(try second.get("/").status == 200)
                try laptop.stopAgent()
                try laptop.press("web", "--forget")
                try laptop.beginAgent()
                try eventually("the agent runs again") { try laptop.agentStatus() != nil }
                let third = try PageVisitor(laptop)
                #expect(third.port == second.port)
                #expect(try second.get("/").status == 403)
                #expect(try third.get("/").status == 200)
            }
        }

        @Test("nothing listens before somebody asks for the page, and its process is named where it can't be")
        func beginning() throws {
            try alone { laptop in
                #expect(try !String(contentsOfFile: laptop.agentLog, encoding: .utf8).contains("page"))
                // There is no desktop here.
                let outcome = try laptop.run("web")
                #expect(outcome.status == 1)
                #expect(outcome.output.hasPrefix("http://127.0.0.1:"))
                #expect(outcome.messages.contains("No browser could be opened."))
                try laptop.stopAgent()
                let refused = try laptop.run("web", "--print")
                #expect(refused.status == 3)
                #expect(refused.messages.contains("FOCUS_NO_AGENT"))
                laptop.startsAgentByItself = true
                #expect(try laptop.run("web", "--print").status == 0)
            }
        }

        @Test("joining and leaving are refused to who isn't let in and to other pages, and asked about first")
        func membership() throws {
            try World.with(["work"]) { world in
                let work = world.laptops[0]
                let visitor = try PageVisitor(work)
                for path in ["/join", "/leave"] {
                    for headers in [
                        ["Cookie": ""], ["Origin": "http://evil.example"], ["Sec-Fetch-Site": "cross-site"],
                    ] {
                        #expect(try visitor.post(path, #"{"sure":true}"#, headers).status == 403, "\(path)")
                    }
                    #expect(try visitor.post(path, "{}", ["Content-Type": "text/plain"]).status == 415)
                    #expect(try visitor.get(path).status == 405)
                    #expect(try visitor.post(path, "[").status == 400)
                }
                let asked = try visitor.post("/leave", "{}")
                #expect(asked.status == 409 && asked.body.contains(#""ask":true"#), "\(asked)")
                let invite = try work.invite()
                let member = try visitor.post("/join", #"{"invite":"\#(invite)"}"#)
                #expect(member.status == 409 && member.body.contains("in a group already"), "\(member)")
                #expect(try work.status().group != nil)

                let alone = world.laptop("alone")
                try alone.press("log", "add", "Alone", "--for", "30m")
                try alone.beginAgent()
                try eventually("the agent runs") { try alone.agentStatus() != nil }
                let other = try PageVisitor(alone)
                #expect(try other.post("/leave", #"{"sure":true}"#).status == 409)
                #expect(
                    try other.post("/join", #"{"giveUp":true}"#).status == 204, "there is nothing to give up")
                for text in ["hello", "\(invite.dropLast())", String(repeating: "a", count: 60_000)] {
                    let answer = try other.post("/join", #"{"invite":"\#(text)"}"#)
                    #expect(answer.status == 503 && !answer.body.contains(text), "\(answer)")
                }
                let question = try other.post("/join", #"{"invite":"\#(invite)"}"#)
                #expect(question.status == 409 && question.body.contains(#""ask":true"#), "\(question)")
                #expect(question.body.contains("Recorded here alone: 30m"))
                #expect(try alone.status().group == nil)
                let done = try other.post("/join", #"{"invite":"\#(invite)","takeAlong":false}"#)
                #expect(
                    done.status == 200 && done.body.contains("This laptop is in the group now"), "\(done)")
                try eventually("its agent is connected") { try alone.isOnline }
                #expect(try !world.agree().contains { $0.contains("\"label\":\"Alone\"") })
                let again = try other.post("/join", #"{"invite":"\#(invite)","takeAlong":true}"#)
                #expect(again.status == 409)
                let log = try String(contentsOfFile: alone.agentLog, encoding: .utf8)
                #expect(!log.contains("lockstep1-"))
            }
        }
    }
}
