import Foundation
import Glibc
import IntegrationSupport
import TestSupport
import Testing

extension LaptopTests {
    /// Tests the page as a real agent serves it over HTTP. Tests/FocusPageTests tests each answer, and
    /// Tests/PageTests tests the page in a browser.
    @Suite("Serving the page")
    struct PageServingTests {
        /// Runs a test on a laptop in no group, with its agent.
        private func alone(_ body: (Laptop) throws -> Void) throws {
            try World.with { world in
                let laptop = world.laptop("work")
                try laptop.startAgent(until: .answering)
                try body(laptop)
            }
        }

        @Test("all browsers are forgotten at once, with the agent and without, and new links let in")
        func forgetting() throws {
            try alone { laptop in
                let first = try PageVisitor(laptop)
                let page = try first.follow()
                _ = try page.text(upTo: "event: state\ndata: ")
                let unused = try PageVisitor.link(laptop)
                #expect(try laptop.press("web", "--forget").hasPrefix("All browsers are signed out."))
                try page.waitForEndOfStream()
                #expect(try first.get("/").status == 403)
                #expect(
                    try HTTPClient(port: unused.port).ask("GET", unused.path, host: first.host).status == 403)

                let second = try PageVisitor(laptop)
                #expect(try second.get("/").status == 200)
                try laptop.stopAgent()
                try laptop.press("web", "--forget")
                try laptop.startAgent(until: .answering)
                let third = try PageVisitor(laptop)
                #expect(third.port == second.port)
                #expect(try second.get("/").status == 403)
                #expect(try third.get("/").status == 200)
            }
        }

        @Test("a calendar feed comes back with the agent, and ends when it is renewed or forgotten")
        func calendar() throws {
            try alone { laptop in
                func status(_ address: String) throws -> Int {
                    let url = try #require(URL(string: address.trimmingCharacters(in: .newlines)))
                    let port = try #require(url.port.flatMap(UInt16.init(exactly:)))
                    return try HTTPClient(port: port).ask("GET", url.path, host: "127.0.0.1:\(port)").status
                }
                let first = try laptop.press("web", "--calendar")
                #expect(first.wholeMatch(of: #/http:\/\/127\.0\.0\.1:\d+\/calendar\/\w{64}\.ics\n/#) != nil)
                #expect(try status(first) == 200)
                let again = try laptop.run("web", "--calendar")
                #expect(again.status == 3 && again.output == "")
                #expect(again.messages.contains("--renew"))
                try laptop.stopAgent()
                try laptop.startAgent(until: .answering)
                #expect(try status(first) == 200)
                let second = try laptop.press("web", "--calendar", "--renew")
                #expect(try status(first) == 404)
                #expect(try status(second) == 200)
                let forgotten = try laptop.press("web", "--forget")
                #expect(forgotten.hasSuffix("The calendar's address has ended.\n"))
                #expect(try status(second) == 404)
                #expect(try laptop.press("web", "--forget").hasSuffix("signs one in.\n"))
            }
        }

        @Test("nothing listens before somebody asks for the page, and its process is named where it can't be")
        func beginning() throws {
            try alone { laptop in
                #expect(try !String(contentsOfFile: laptop.agentLog, encoding: .utf8).contains("page"))
                // There is no desktop on this machine.
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
    }
}
