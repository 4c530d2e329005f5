import IntegrationSupport
import Testing

extension PageTests {
    @Suite("The statistics on the page")
    struct StatisticsTests {
        @Test("goals that are set are shown beside the work, and the daily one not on a day off")
        func goals() throws {
            try PageTests.alone { laptop, browser in
                try laptop.press("log", "add", "Read", "--for", "2s")
                try browser.shows("Today: 1 of 8 work phases, 2s of focus time", in: "today")
                try laptop.press("set", "dailyFocus=1s")
                try browser.shows("Today: 1 of 8 work phases, 2s of focus time (goal 1s)", in: "today")
                try laptop.press("set", "dailyFocus=4h", "weeklyGoal=30")
                try browser.shows(
                    "Today: 1 of 8 work phases, 2s of 4h of focus time. This week: ", in: "today")
                try browser.type("3")
                try browser.shows("2s of 4h", in: "figures")
                try browser.shows("of 30 work phases", in: "figures")
                try laptop.press("set", "daysOff=mon,tue,wed,thu,fri,sat,sun")
                try browser.until("no daily goal is shown") {
                    try !browser.shown("figures").contains("2s of 4h")
                }
                try browser.type("1")
                try browser.shows("Today: 1 work phase, 2s of focus time (a day off)", in: "today")
                // So that it doesn't cover the other entry.
                let now = try laptop.status().now
                try eventually("three seconds pass") { try laptop.status().now > now + 3000 }
                try laptop.press("log", "add", "Mail", "--for", "1s")
                try laptop.press("set", "daysOff=none", "dailyGoal=1", "dailyFocus=off")
                try browser.shows("Today: 2 work phases (goal 1), ", in: "today")
            }
        }

        @Test("hours, labels and tags are of the days that are chosen, also after a reload")
        func ranges() throws {
            try PageTests.alone { laptop, browser in
                try laptop.press("log", "add", "Read #deep", "--from", "2025-11-20 9:30", "--for", "1h")
                try laptop.press("log", "add", "Now", "--for", "1m")
                try browser.type("3")
                try browser.shows("Now", in: "labels")
                let choose = """
                    document.getElementById("range").value = "days";
                    document.getElementById("range").dispatchEvent(new Event("change"));
                    document.getElementById("range-from").value = "2025-11-19";
                    document.getElementById("range-to").value = "2025-11-21";
                    document.getElementById("range-to").dispatchEvent(new Event("change"));
                    """
                try browser.run(choose)
                try browser.shows("On average 1h and 1 work phase a day, over 1 day", in: "range-text")
                try browser.shows("The same days a week before: none", in: "range-text")
                try browser.shows("10:00", in: "hours")
                try browser.until("only labels of these days are listed") {
                    try browser.shown("labels").contains("Read") && !browser.shown("labels").contains("Now")
                }
                try browser.shows("#deep", in: "tags")
                try browser.reload()
                try browser.shows("On average 1h and 1 work phase a day", in: "range-text")
                try browser.run(choose.replacing("2025-11-21", with: "2025-11-18"))
                try browser.shows("The second can’t be before the first", in: "range-text")
            }
        }
    }
}
