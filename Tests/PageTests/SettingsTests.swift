import IntegrationSupport
import Testing

extension PageTests {
    @Suite("The settings on the page")
    struct SettingsTests {
        @Test("why a value is wrong is said until it is changed")
        func wrongValue() throws {
            try PageTests.alone { _, browser in
                try browser.type("4")
                try browser.run("document.getElementById('setting-workLength').focus()")
                try browser.type("long\(Browser.Key.enter)")
                try browser.shows("Give 1s to 24h", in: "setting-workLength-problem")
                try browser.type("5")
                try browser.until("it isn't known to be wrong any more") {
                    try browser.shown("setting-workLength-problem") == ""
                }
                #expect(try browser.attribute("aria-invalid", of: "setting-workLength") == "null")
            }
        }

        @Test("the command for calendar programs is below the settings")
        func calendar() throws {
            try PageTests.alone { _, browser in
                try browser.type("4")
                try browser.shows("focus web --calendar", in: "calendar-hint")
            }
        }

        @Test("a profile with the values of another one is chosen after it is saved, and can be removed")
        func equalProfiles() throws {
            try PageTests.alone { laptop, browser in
                try laptop.press("profile", "save", "before")
                try browser.type("4")
                try browser.until("the built-in profile is chosen") {
                    try browser.value("setting-profile") == "classic"
                }
                try browser.run("document.getElementById('profile-name').focus()")
                try browser.type("\(String(repeating: "x", count: 41))\(Browser.Key.enter)")
                try browser.shows(
                    "The name of a profile has 1 to 40 characters.", in: "setting-profile-problem")
                try browser.run("document.getElementById('profile-name').select()")
                try browser.type("mine\(Browser.Key.enter)")
                try browser.until("it is chosen") { try browser.value("setting-profile") == "mine" }
                try browser.choose("before")
                #expect(try browser.value("setting-profile") == "before")
                #expect(try browser.canRemove())
                try browser.choose("classic")
                #expect(try !browser.canRemove())
                try browser.choose("before")
                try browser.click("#setting-profile + button")
                try browser.shows("Removed. Undo brings it back.", in: "said")
                try browser.until("it is gone") { try browser.value("setting-profile") == "classic" }
                try browser.choose("mine")
                #expect(try browser.canRemove())
            }
        }
    }
}

extension Browser {
    /// Chooses a profile, as the keyboard does.
    fileprivate func choose(_ profile: String) throws {
        try run(
            """
            const field = document.getElementById("setting-profile");
            field.value = arguments[0];
            field.dispatchEvent(new Event("change"));
            """, profile)
    }

    /// Whether the chosen profile has a button that removes it.
    fileprivate func canRemove() throws -> Bool {
        try text("return String(document.querySelector('#setting-profile + button').checkVisibility())")
            == "true"
    }
}
