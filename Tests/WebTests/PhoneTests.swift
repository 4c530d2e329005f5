import IntegrationSupport
import Testing

extension BrowserMemberTests {
    @Suite("A browser on a phone")
    struct PhoneTests {
        @Test("keys let it join, each screen fits into 360 pixels, and it is dark if the system is")
        func phone() throws {
            try BrowserMemberTests.with { world, browser, address in
                let desk = world.laptops[0]
                try browser.resize(width: 360, height: 740, hasTouchScreen: true)
                try browser.open(address)
                try browser.until("the page shows the session") { try browser.status == "stopped" }
                try browser.type("5")
                try browser.shows("Paste an invite", in: "join-form")
                try browser.type("J")
                try browser.until("the field for the invite has the focus") {
                    try browser.text("return document.activeElement.id") == "join-invite"
                }
                try browser.type("\(try desk.invite())\(Browser.Key.enter)")
                try browser.shows("is in the group now", in: "outcome")

                let label = "Letters to all who asked about the move in spring, one after the other"
                try desk.press("log", "add", label, "--for", "25m")
                try desk.press("start", label)
                try browser.until("the browser has the start") { try browser.status == "running" }
                let screens = [
                    ("timer", "main-button", "Pause"), ("history", "days", "Letters"),
                    ("statistics", "labels", "Letters"), ("settings", "settings-form", "Work"),
                    ("devices", "device-list", "desk"),
                ]
                for (index, (screen, part, text)) in screens.enumerated() {
                    try browser.type("\(index + 1)")
                    try browser.shows(text, in: part)
                    let width = "String(Math.max(innerWidth, document.documentElement.scrollWidth))"
                    #expect(try browser.text("return \(width)") == "360", "\(screen)")
                    #expect(try browser.shown("calendar-hint") == "", "only an agent serves a calendar")
                }

                let colour = "return getComputedStyle(document.documentElement).backgroundColor"
                try browser.prefer(["prefers-color-scheme": "light"])
                try browser.until("it is light") { try browser.text(colour) == "rgb(250, 248, 246)" }
                try browser.prefer(["prefers-color-scheme": "dark"])
                try browser.until("it is dark") { try browser.text(colour) == "rgb(22, 20, 25)" }
                try browser.type("1")
                try browser.screenshot("browser-phone")
            }
        }
    }
}
