import IntegrationSupport
import Testing

extension PageTests {
    @Suite("The timer's screen")
    struct TimerTests {
        @Test("a phase that runs out goes over to the break by itself, is spoken once, and counts today")
        func runningOut() throws {
            try PageTests.alone { laptop, browser in
                try laptop.press("set", "workLength=3s", "dailyGoal=4")
                try browser.shows("00:03", in: "clock")
                try browser.run(
                    """
                    window.spoken = [];
                    for (const region of document.querySelectorAll("[aria-live=polite], [role=status], [role=alert]")) {
                      new MutationObserver(() => window.spoken.push(region.textContent))
                        .observe(region, { childList: true, characterData: true, subtree: true });
                    }
                    """)
                try browser.type(" ")
                try browser.shows("00:02", in: "clock")
                try browser.until("the ring runs down") {
                    try browser.text(
                        "return String(document.getElementById('ring').getAttribute('stroke-dashoffset') > 200)"
                    )
                        == "true"
                }
                try browser.shows("Break", in: "status")
                #expect(try browser.title.contains("Break"))
                try browser.shows("1 of 4 work phases", in: "today")
                try browser.until("the phases are spoken, and no second is") {
                    try browser.run("return window.spoken") as? [String]
                        == ["Work, 3 seconds left", "Break, 5 minutes left"]
                }
            }
        }

        @Test("an undo that would add to the history asks first")
        func asking() throws {
            try World.with { world in
                let laptop = world.laptop("desk")
                laptop.clock = try WrongClock("-3h")
                try laptop.press("start", "Long ago")
                try laptop.press("stop")
                laptop.clock = nil
                try laptop.beginAgent()
                try eventually("the agent runs") { try laptop.agentStatus() != nil }
                let browser = try laptop.browser()
                try browser.type("u")
                try browser.shows("adds", in: "ask-question")
                try browser.type(Browser.Key.escape)
                try browser.until("the question is gone") { try browser.shown("ask-question").isEmpty }
                #expect(try laptop.status().status == "stopped")
                try browser.type("u")
                try browser.shows("adds", in: "ask-question")
                try browser.click("#ask-yes")
                try browser.shows("Took back the stop", in: "said")
                #expect(try laptop.status().status == "running")
                try browser.end()
            }
        }
    }
}
