import IntegrationSupport
import Testing

extension PageTests {
    @Suite("An agent that is gone")
    struct LostAgentTests {
        @Test("the page says so in a sentence, and goes on by itself when it is back")
        func comingBack() throws {
            try PageTests.alone { laptop, browser in
                try browser.type(" ")
                try browser.shows("Pause", in: "main-button")
                try laptop.killAgent()
                try browser.shows("The agent is gone: run “focus web” again.", in: "lost")
                try browser.type("x")
                try browser.shows("The agent is gone", in: "problem")
                try browser.screenshot("agent-gone")
                // What is pressed meanwhile is there when it is back.
                try laptop.press("pause")
                try laptop.beginAgent()
                try browser.shows("Work paused", in: "status")
                #expect(try browser.shown("lost") == "")
                try browser.type("x")
                try browser.shows("Start", in: "main-button")
                try browser.until("nothing is complained of any more") { try browser.shown("problem") == "" }
            }
        }
    }
}
