import IntegrationSupport
import Testing

extension PageTests {
    @Suite("An agent that is gone")
    struct LostAgentTests {
        @Test("a history that doesn't come whole in time is complained of, and comes with the next change")
        func late() throws {
            try PageTests.alone { laptop, browser in
                try laptop.press("log", "add", "Read", "--for", "25m")
                try browser.run(
                    """
                    const fetch = window.fetch;
                    const late = { ok: true, json: () => Promise.reject(new DOMException("late", "TimeoutError")) };
                    window.fetch = (path, options) => path.startsWith("/log.json") ? Promise.resolve(late) : fetch(path, options);
                    window.onTime = () => { window.fetch = fetch; };
                    """)
                try browser.type("2")
                try browser.shows("The agent doesn’t answer.", in: "problem")
                try browser.run("window.onTime()")
                try laptop.press("start")
                try browser.shows("Read", in: "days")
            }
        }

        @Test("a press without an answer in time may still be done, and the page says so")
        func latePress() throws {
            try PageTests.alone { _, browser in
                try browser.run(
                    """
                    window.fetch = () => Promise.reject(new DOMException("late", "TimeoutError"));
                    """)
                try browser.type(" ")
                try browser.shows("It may still do this: look before you press again.", in: "problem")
            }
        }

        @Test("an answer to a press that breaks off is complained of, and the next press works")
        func broken() throws {
            try PageTests.alone { _, browser in
                try browser.run(
                    """
                    const fetch = window.fetch;
                    window.fetch = async () => new Response("{");
                    window.mend = () => { window.fetch = fetch; };
                    """)
                try browser.type(" ")
                try browser.shows("The agent is gone", in: "problem")
                try browser.run("window.mend()")
                try browser.type(" ")
                try browser.shows("Pause", in: "main-button")
            }
        }

        @Test("the page says so in a sentence, and goes on by itself when it is back")
        func comingBack() throws {
            try PageTests.alone { laptop, browser in
                try browser.type(" ")
                try browser.shows("Pause", in: "main-button")
                try laptop.killAgent()
                try browser.shows("The agent is gone: run “focus web” again.", in: "lost")
                try browser.type("x")
                try browser.shows("The agent is gone", in: "problem")
                try browser.shows("The agent is gone", in: "sharing")
                #expect(try browser.accessibilityFindings() == [])
                // A press made meanwhile shows when the agent is back.
                try laptop.press("pause")
                try laptop.startAgent(until: nil)
                try browser.shows("Work paused", in: "status")
                #expect(try browser.shown("lost") == "")
                #expect(try browser.shown("sharing") == "Only on this laptop")
                try browser.type("x")
                try browser.shows("Start", in: "main-button")
                try browser.until("nothing is complained of any more") { try browser.shown("problem") == "" }
            }
        }
    }
}
