import IntegrationSupport
import Testing

extension PageTests {
    @Suite("The keyboard")
    struct KeyboardTests {
        @Test("everything goes by keys alone, and it comes back where it was")
        func keysAlone() throws {
            try PageTests.alone { laptop, browser in
                try browser.type("?")
                try browser.shows("skip to the next phase", in: "keys-dialog")
                // While the dialog is open, it receives all keys.
                try browser.type(" \(Browser.Key.escape)")
                #expect(try laptop.status().status == "stopped")

                try browser.type(" ")
                try browser.shows("Pause", in: "main-button")
                let end = try #require(try browser.endsAt())
                try browser.type("++-")
                try browser.until("a minute more") { try browser.endsAt() == end + 60_000 }
                try browser.type("s")
                try browser.shows("Break", in: "status")
                try browser.type("u")
                try browser.shows("Work", in: "status")
                for (index, screen) in PageTests.screens.enumerated().reversed() {
                    try browser.type("\(index + 1)")
                    #expect(try browser.screen == screen)
                }

                // Letters typed in a field are text.
                try browser.type("lsux 12")
                #expect(try browser.value("label") == "sux 12")
                #expect(try laptop.status().label == "")
                try browser.type(Browser.Key.enter)
                try browser.until("the label is taken") { try laptop.status().label == "sux 12" }
                #expect(try browser.focus != "label", "the next key is no text any more")
                try browser.type(Browser.Key.escape)

                // Tab reaches the buttons, Enter presses the focused one, and the focus stays on it.
                try browser.until("Tab reaches Stop") {
                    try browser.type(Browser.Key.tab)
                    return try browser.focus == "stop"
                }
                try browser.type(Browser.Key.enter)
                try browser.shows("Start", in: "main-button")
                try browser.until("the focus goes to a button that is there") {
                    try browser.focus == "main-button"
                }
                try browser.type("lHalf a la")
                try browser.reload()
                try browser.until("the label is as it was half typed") {
                    try browser.value("label") == "Half a la"
                }
                try browser.shows("Enter starts with this name", in: "label-hint")
                // The page from before the reload stopped the session.
                try waitUntilPressesAreAccepted()
                try browser.type(" ")
                try browser.until("it starts by that name") { try laptop.status().label == "Half a la" }

                try browser.type("3ll")
                try browser.shows("Up to today", in: "chart")
                try browser.shows("time zone, now UTC", in: "zone")
                try browser.reload()
                try browser.shows("Up to today", in: "chart")
                #expect(try browser.screen == "statistics")
                // On this screen 'l' belongs to the chart, and 'L' edits the label.
                try browser.type("L")
                #expect(try browser.screen == "timer")
                #expect(try browser.focus == "label")
            }
        }

        @Test("Enter in a field of the start begins work so, and a length that can't be read is said")
        func startOptions() throws {
            try PageTests.alone { laptop, browser in
                try browser.type("lRead\(Browser.Key.tab)soon\(Browser.Key.enter)")
                try browser.shows("A duration is written 25m", in: "problem")
                #expect(try browser.focus == "start-length", "it can be mended there")
                #expect(try laptop.status().status == "stopped")
                try browser.run("document.getElementById('start-length').select()")
                try browser.type("7m\(Browser.Key.enter)")
                try browser.shows("Pause", in: "main-button")
                let status = try laptop.status()
                #expect(status.label == "Read" && status.remainingMs <= 7 * 60_000)
                #expect(try browser.focus == "main-button", "the field is gone")
                try browser.type("lPlan\(Browser.Key.enter)")
                try browser.until("it has the other name") { try laptop.status().label == "Plan" }
            }
        }

        @Test("a key that doesn't apply to the selected laptop says so")
        func notThis() throws {
            try PageTests.alone { _, browser in
                try browser.type("5")
                try browser.shows("this laptop", in: "device-list")
                try browser.type("a")
                try browser.shows("No laptop here waits to be accepted.", in: "said")
                try browser.type("ja")
                try browser.shows("The selected laptop isn’t waiting to be accepted.", in: "said")
                try browser.type("b")
                try browser.shows("The selected laptop isn’t shut out.", in: "said")
                try browser.type("d")
                try browser.shows("The selected laptop can’t be shut out.", in: "said")
            }
        }

        @Test("keys without Ctrl can be switched off")
        func switchedOff() throws {
            try PageTests.alone { laptop, browser in
                try browser.type("4")
                try browser.click("#setting-keys")
                try browser.click("h1")
                try browser.type(" s2")
                try browser.type("?")
                try browser.shows("Keys", in: "keys-dialog")
                #expect(try laptop.status().status == "stopped")
                #expect(try browser.screen == "timer")
            }
        }
    }
}
