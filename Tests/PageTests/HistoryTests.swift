import IntegrationSupport
import Testing

extension PageTests {
    @Suite("The history on the page")
    struct HistoryTests {
        @Test("the keys of an entry select one first, and say so where there is none")
        func selecting() throws {
            try PageTests.alone { laptop, browser in
                try browser.type("2")
                try browser.shows("Finished sessions appear here", in: "history-count")
                try browser.type("e")
                try browser.shows("There is no entry here.", in: "said")
                try laptop.press("log", "add", "Read", "--for", "25m")
                try browser.shows("Read", in: "days")
                try browser.type("d")
                try browser.shows("None was selected", in: "said")
                #expect(try browser.shown("ask-dialog") == "")
                try browser.type("d")
                try browser.shows("Take “Read”", in: "ask-question")
            }
        }
    }
}
