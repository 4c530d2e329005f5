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
                try laptop.beginAgent()
                try eventually("the agent runs") { try laptop.agentStatus() != nil }
                try body(laptop)
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

                // No event announces the end of a phase.
                try work.press("start")
                let running = try page.state { $0.status == "running" }
                #expect(try visitor.post("/press", #"{"press":"add","seconds":-1498}"#).status == 204)
                let next = try page.state { $0.status == "running" && $0.remainingMs > 200_000 }
                #expect(next.now > running.now)
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
