import IntegrationSupport
import Testing

extension PageTests {
    @Suite("Reloading and signing out")
    struct ReloadTests {
        @Test("what is half typed in a dialog survives a reload, until it is sent or left")
        func drafts() throws {
            try PageTests.alone { laptop, browser in
                try browser.type("2")
                try browser.click("#add-entry")
                try browser.type("Half an entry")
                try browser.run("document.getElementById('entry-from').value = '09:15'")
                try browser.type("!")
                try browser.reload()
                try browser.shows("Add an entry", in: "entry-dialog")
                #expect(try browser.value("entry-label") == "Half an entry!")
                #expect(try browser.value("entry-from") == "09:15")
                try browser.type(Browser.Key.escape)
                try browser.reload()
                try browser.shows("Finished sessions appear here", in: "history-count")
                #expect(try browser.shown("entry-dialog") == "")

                try laptop.press("log", "add", "Read", "--for", "25m")
                try browser.shows("Read", in: "days")
                try browser.click("[data-action=Relabel]")
                try browser.type("Write it")
                try browser.reload()
                try browser.shows("Relabel an entry", in: "text-dialog")
                #expect(try browser.value("text-field") == "Write it")
                try browser.type(Browser.Key.enter)
                try browser.shows("Write it", in: "days")
                try browser.reload()
                try browser.shows("Write it", in: "days")
                #expect(try browser.shown("text-dialog") == "")
                #expect(try laptop.press("log").contains("Write it"))
            }
        }

        @Test("a setting that is half typed survives a reload, until it is saved or left")
        func setting() throws {
            try PageTests.alone { laptop, browser in
                let field = "setting-workLength"
                try browser.type("4")
                try browser.until("it shows what it is") { try browser.value(field) == "25m" }
                for (end, value) in [(Browser.Key.escape, "25m"), (Browser.Key.enter, "40m")] {
                    try browser.click("#\(field)")
                    try browser.run("document.activeElement.select()")
                    try browser.type("40")
                    try browser.reload()
                    try browser.until("a state has come") {
                        try browser.text("return document.getElementById('\(field)').dataset.value") == "25m"
                    }
                    #expect(try browser.value(field) == "40")
                    try browser.shows("Not saved yet", in: "\(field)-problem")
                    #expect(try browser.focus == field)
                    #expect(try laptop.setting("workLength") == "25m")
                    try browser.type(end)
                    try browser.until("it is \(value)") {
                        try laptop.setting("workLength") == value && browser.shown("\(field)-problem") == ""
                    }
                    try browser.reload()
                    try browser.until("the field shows it") { try browser.value(field) == value }
                }
            }
        }

        @Test("signing out leaves nothing of the session to see, nor does forgetting all browsers")
        func signingOut() throws {
            try PageTests.alone { laptop, browser in
                try browser.type("lHalf")
                try browser.click("h1")
                try browser.type("4")
                try browser.click("#sign-out")
                try browser.shows("Sign this browser out", in: "ask-dialog")
                try browser.click("#ask-yes")
                try browser.until("it says how to come back") {
                    try browser.text("return document.body.innerText").contains("Run focus web in a terminal")
                }
                #expect(try browser.text("return String(localStorage.length)") == "0")

                try browser.open(try laptop.pageLink())
                try browser.shows("Start", in: "main-button")
                try laptop.press("web", "--forget")
                try browser.until("it is told by itself") {
                    try browser.text("return document.body.innerText").contains("Run focus web in a terminal")
                }
            }
        }
    }
}

extension Laptop {
    /// The value of a setting, as `focus set` prints it.
    fileprivate func setting(_ name: String) throws -> String? {
        try press("set").split(separator: "\n").first { $0.hasPrefix("\(name)=") }
            .map { String($0.dropFirst(name.count + 1)) }
    }
}
