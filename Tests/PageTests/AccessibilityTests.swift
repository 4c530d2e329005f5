import IntegrationSupport
import Testing

extension PageTests {
    /// `Browser.pictures` checks what the tests of joining and of devices show in the same way.
    @Suite("What axe-core finds on the page")
    struct AccessibilityTests {
        @Test("axe-core finds nothing in work and breaks, a list of labels, a complaint and a question")
        func timer() throws {
            try PageTests.alone { laptop, browser in
                try laptop.press("log", "add", "Read", "--for", "25m")
                try browser.shows("of focus time", in: "today")
                #expect(try browser.accessibilityFindings() == [], "stopped")
                try browser.type("lr")
                try browser.until("a label is offered") { try browser.shown("label-labels") == "Read" }
                #expect(try browser.accessibilityFindings() == [], "a list of labels")
                try browser.type(Browser.Key.escape + Browser.Key.escape + "U")
                try browser.shows("There is no undo to take back", in: "problem")
                #expect(try browser.accessibilityFindings() == [], "a complaint")
                try laptop.press("start", "--ago", "20m")
                try browser.shows("Pause", in: "main-button")
                try laptop.press("idle", "begin", "--ago", "10m")
                try laptop.press("idle", "end")
                try browser.shows("Nobody was here from", in: "away-text")
                #expect(try browser.accessibilityFindings() == [], "a question about time away")
                try laptop.press("skip")
                try browser.shows("Break", in: "status")
                #expect(try browser.accessibilityFindings() == [], "a break")
            }
        }

        @Test("axe-core finds nothing in the history and in each dialog about an entry")
        func history() throws {
            try PageTests.alone { laptop, browser in
                try laptop.press("log", "add", "Read", "--from", "2025-11-20 9:00", "--for", "1h")
                try browser.type("2")
                try browser.shows("Read", in: "days")
                #expect(try browser.accessibilityFindings() == [], "the history")
                let dialogs = [
                    ("j", "e", "text-dialog"), ("", "t", "text-dialog"), ("", "p", "text-dialog"),
                    ("", "d", "ask-dialog"), ("", "a", "entry-dialog"),
                ]
                for (before, key, dialog) in dialogs {
                    try browser.type(before + key)
                    try browser.until("\(key) opens a dialog") { try browser.shown(dialog) != "" }
                    if key == "t" {
                        try browser.type("later\(Browser.Key.enter)")
                        try browser.shows("is neither a time nor a duration", in: "text-problem")
                    }
                    #expect(try browser.accessibilityFindings() == [], "the dialog of \(key)")
                    try browser.type(Browser.Key.escape)
                    try browser.until("the dialog of \(key) is closed") { try browser.shown(dialog) == "" }
                }
                try browser.type("/x")
                try browser.shows("Nothing in the history matches.", in: "history-count")
                #expect(try browser.accessibilityFindings() == [], "a search that finds nothing")
            }
        }

        @Test("axe-core finds nothing in the statistics, in the settings and in the list of keys")
        func others() throws {
            try PageTests.alone { laptop, browser in
                try laptop.press("log", "add", "Read #paper", "--for", "25m")
                try browser.type("3")
                let charts = [
                    ("days", "chart-hint", "marks a day"), ("weeks", "chart-hint", "marks a week"),
                    ("year", "chart", "Up to today"),
                ]
                for (chart, part, text) in charts {
                    try browser.click("[data-chart=\(chart)]")
                    try browser.shows(text, in: part)
                    #expect(try browser.accessibilityFindings() == [], "the chart of \(chart)")
                }
                try browser.run(
                    """
                    document.getElementById("range").value = "days";
                    document.getElementById("range").dispatchEvent(new Event("change"));
                    """)
                try browser.until("days can be chosen") { try browser.shown("range-days") != "" }
                #expect(try browser.accessibilityFindings() == [], "days to choose")
                try browser.type("4?")
                try browser.shows("Keys", in: "keys-dialog")
                #expect(try browser.accessibilityFindings() == [], "the list of keys")
                try browser.type(Browser.Key.escape)
                try browser.until("the keys are closed") { try browser.shown("keys-dialog") == "" }
                try browser.run("document.getElementById('setting-workLength').focus()")
                try browser.type("long\(Browser.Key.enter)")
                try browser.shows("Give 1s to 24h", in: "setting-workLength-problem")
                #expect(try browser.accessibilityFindings() == [], "a setting with a wrong value")
            }
        }
    }
}
