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

        @Test("in Safari on an iPhone it says to install it first, and the installed page joins as an iPhone")
        func installing() throws {
            try BrowserMemberTests.with { world, browser, address in
                try browser.resize(width: 390, height: 844, hasTouchScreen: true)
                try browser.devTools("Emulation.setUserAgentOverride", ["userAgent": PhoneTests.iPhone])
                let inTab = try browser.setStandalone(false)
                let invite = try world.laptops[0].invite()
                try browser.open("\(address)#\(invite)")
                try browser.shows("On an iPhone or iPad, install this page first", in: "join-form")
                // The installed page doesn't know the invite, so it can be copied.
                try browser.until("the page has the invite") { try browser.value("join-invite") == invite }
                try browser.type("4")
                try browser.shows("Share, then “Add to Home Screen”", in: "setting-install-hint")
                #expect(try browser.shown("setting-install") == "", "Safari offers no button for it")

                try browser.devTools("Page.removeScriptToEvaluateOnNewDocument", ["identifier": inTab])
                try browser.setStandalone(true)
                try browser.open("about:blank")
                try BrowserMemberTests.join(browser, world, at: address)
                #expect(try browser.text("return String(navigator.standalone)") == "true")
                #expect(try !browser.text("return document.body.textContent").contains("Add to Home Screen"))
                try eventually("the laptop lists it") {
                    try world.listedBrowsers().map(\.name) == ["Safari on an iPhone"]
                }
            }
        }

        /// The words with which Safari on an iPhone names itself.
        private static let iPhone = """
            Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) \
            Version/17.5 Mobile/15E148 Safari/604.1
            """
    }
}

extension Browser {
    /// Gives the next pages the member with which Safari says whether they are installed.
    ///
    /// - Returns: The name of the script that does that.
    @discardableResult
    fileprivate func setStandalone(_ isInstalled: Bool) throws -> String {
        let script = "Object.defineProperty(navigator, 'standalone', { value: \(isInstalled) })"
        let added = try devTools("Page.addScriptToEvaluateOnNewDocument", ["source": script])
        return added["identifier"] as? String ?? ""
    }
}
