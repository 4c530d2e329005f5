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
                try browser.shows("Remove “Read”", in: "ask-question")
                try browser.type(Browser.Key.escape)
                try browser.until("nothing is asked") { try browser.shown("ask-dialog") == "" }
                try browser.type("d")
                try browser.shows("Remove “Read”", in: "ask-question")
                try browser.click("#ask-yes")
                try browser.shows("Removed from the history. Undo brings it back.", in: "said")
                try browser.until("it is gone") { try browser.shown("days") == "" }
                try browser.run("document.querySelector('#said button').focus()")
                try browser.type(Browser.Key.enter)
                try browser.shows("Took back", in: "said")
                #expect(try browser.focus == "main", "the button has gone")
                try browser.shows("Read", in: "days")
                try browser.type("/x")
                try browser.shows("Nothing in the history matches.", in: "history-count")
                try browser.type(Browser.Key.escape)
                let isInList = "return String(document.activeElement.closest('#days') !== null)"
                #expect(try browser.text(isInList) == "true", "Esc leads from the field to the list")
            }
        }

        @Test(
            "an entry is given other times, and split, by keys alone, and what is wrong with a line is said")
        func changing() throws {
            try PageTests.alone { laptop, browser in
                try laptop.press("log", "add", "Read", "--from", "2025-11-20 9:00", "--for", "1h")
                try browser.type("2")
                try browser.shows("09:00-10:00", in: "days")
                for (key, line, result) in [
                    ("jt", "12:00", "12:00-13:00"), ("t", "12:00-12:30", "12:00-12:30"),
                    ("t", "50m", "12:00-12:50"),
                    ("p", "12:40 Write", "12:40-12:50"),
                ] {
                    try browser.type(key)
                    try browser.until("a line is asked for") { try browser.focus == "text-field" }
                    try browser.type(line)
                    try browser.type(Browser.Key.enter)
                    try browser.shows(result, in: "days")
                }
                try browser.shows("Write", in: "days")
                try browser.type("t")
                try browser.until("a line is asked for") { try browser.focus == "text-field" }
                try browser.type("later")
                try browser.type(Browser.Key.enter)
                try browser.shows("'later' is neither a time nor a duration.", in: "text-problem")
                #expect(try browser.value("text-field") == "later", "it can be mended there")
            }
        }

        @Test("the entries of a day are listed by their beginning, the newest first")
        func order() throws {
            try PageTests.alone { laptop, browser in
                for (label, start, length) in [("Long", "9:00", "2h"), ("Short", "9:30", "25m")] {
                    try laptop.press("log", "add", label, "--from", "2025-11-20 \(start)", "--for", length)
                }
                try browser.type("2")
                try browser.shows("09:30-09:55", in: "days")
                let labels = "[...document.querySelectorAll('#days bdi')].map((label) => label.textContent)"
                #expect(try browser.text("return \(labels).join()") == "Short,Long")
            }
        }

        @Test("a day's sums are said to be of the whole day while only some of its entries are shown")
        func sums() throws {
            try PageTests.alone { laptop, browser in
                for (label, start) in [("Read", "9:00"), ("Write", "10:00")] {
                    try laptop.press("log", "add", label, "--from", "2025-11-20 \(start)", "--for", "1h")
                }
                try browser.type("2")
                try browser.shows("2h of focus time", in: "days")
                #expect(try !browser.shown("days").contains("Whole day"))
                try browser.type("/Read")
                try browser.shows("Whole day: 2h of focus time, 2 of 8 work phases", in: "days")
                #expect(try !browser.shown("days").contains("Write"))
            }
        }

        @Test("an entry is work or a break, with an end or a length, and one that overlaps is said to")
        func adding() throws {
            try PageTests.alone { laptop, browser in
                try browser.type("2a")
                try browser.until("an entry is asked for") { try browser.focus == "entry-label" }
                try browser.type("Walk")
                try browser.run(
                    """
                    document.getElementById("entry-activity").value = "longBreak";
                    document.getElementById("entry-day").value = "2025-11-20";
                    document.getElementById("entry-from").value = "09:00";
                    """)
                try browser.type(Browser.Key.enter)
                try browser.shows("Say two of the three", in: "entry-problem")
                try browser.run(
                    """
                    document.getElementById("entry-to").value = "09:00";
                    document.getElementById("entry-to").dispatchEvent(new Event("input", { bubbles: true }));
                    """)
                #expect(try browser.shown("entry-problem") == "", "it was changed")
                try browser.type(Browser.Key.enter)
                try browser.shows("It has no length", in: "entry-problem")
                try browser.run("document.getElementById('entry-to').value = '08:30'")
                try browser.type(Browser.Key.enter)
                try browser.shows("It ends before it begins.", in: "entry-problem")
                try browser.run("document.getElementById('entry-to').value = ''")
                try browser.run("document.getElementById('entry-length').value = 'x'")
                try browser.type(Browser.Key.enter)
                try browser.shows("A duration is written", in: "entry-problem")
                try browser.run("document.getElementById('entry-length').value = '1h 30m'")
                try browser.type(Browser.Key.enter)
                try browser.shows("09:00-10:30", in: "days")
                try browser.shows("long break", in: "days")
                try browser.shows("It is in the history.", in: "said")

                try browser.type("a")
                try browser.until("an entry is asked for") { try browser.focus == "entry-label" }
                #expect(try browser.value("entry-activity") == "work")
                try browser.run(
                    """
                    document.getElementById("entry-day").value = "2025-11-20";
                    document.getElementById("entry-to").value = "09:10";
                    document.getElementById("entry-length").value = "30";
                    """)
                try browser.type(Browser.Key.enter)
                try browser.shows("08:40-09:10", in: "days")
                try browser.shows(
                    "overlaps with the entry of Thu 20 Nov 2025, 09:00-10:30, long break, Walk.", in: "said")
                #expect(try laptop.press("log").contains("30m"))
            }
        }
    }
}
