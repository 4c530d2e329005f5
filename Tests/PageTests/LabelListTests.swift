import IntegrationSupport
import Testing

extension PageTests {
    @Suite("The list of recent labels")
    struct LabelListTests {
        /// Runs a test on a laptop with three entries and with the page in a browser.
        private func withEntries(_ body: (Laptop, Browser) throws -> Void) throws {
            try PageTests.alone { laptop, browser in
                for (label, hour) in [("Read #deep", 10), ("Mail", 11), ("Report #deep", 12)] {
                    try laptop.press("log", "add", label, "--from", "2025-11-20 \(hour):00", "--for", "25m")
                }
                try body(laptop, browser)
            }
        }

        @Test("a label or a name that is too long is said to be while it is typed, also after a time")
        func tooLong() throws {
            try PageTests.alone { laptop, browser in
                try laptop.press("log", "add", "Read", "--from", "2025-11-20 9:00", "--for", "1h")
                for (keys, field, form, before, sentence) in [
                    ("l", "label", "label-form", "", "A label has 200 characters at most"),
                    ("2", "text-field", "text-form", "9:30 ", "A label has 200 characters at most"),
                    ("5e", "rename", "rename-form", "", "A name has 200 characters at most"),
                ] {
                    try browser.type(keys)
                    if field == "text-field" {
                        try browser.shows("Read", in: "days")
                        try browser.type("jp")
                    }
                    try browser.until("it is typed into") { try browser.focus == field }
                    for (count, isSaid) in [(200, false), (201, true), (200, false), (201, true)] {
                        try browser.run(
                            """
                            const field = document.activeElement;
                            field.value = arguments[0] + "é".repeat(arguments[1]);
                            field.dispatchEvent(new Event("input", { bubbles: true }));
                            """, before, count)
                        #expect(try browser.shown(form).contains(sentence) == isSaid, "\(field), \(count)")
                    }
                    if field != "rename" { try browser.type(Browser.Key.escape) }
                }
                try browser.type(Browser.Key.enter)
                try browser.shows("called \(String(repeating: "é", count: 200)).", in: "said")
                #expect(try browser.value("rename").count == 200)
            }
        }

        @Test("it has the labels that match what is typed, and is used by keys, as a combobox is")
        func keys() throws {
            try withEntries { laptop, browser in
                try browser.type("l")
                #expect(try browser.offered("label") == "")
                #expect(try browser.attribute("aria-expanded", of: "label") == "false")
                try browser.type("DEEP")
                try browser.until("two match") {
                    try browser.offered("label") == "Report #deep\nRead #deep"
                }
                #expect(try browser.attribute("role", of: "label") == "combobox")
                #expect(try browser.attribute("aria-expanded", of: "label") == "true")
                #expect(try browser.chosen("label") == "")
                try browser.type(Browser.Key.down + Browser.Key.down)
                #expect(try browser.chosen("label") == "Read #deep")
                try browser.type(Browser.Key.down)
                #expect(try browser.chosen("label") == "")
                try browser.type(Browser.Key.up + Browser.Key.tab)
                #expect(try browser.value("label") == "Read #deep")
                #expect(try browser.focus == "label")
                #expect(try browser.offered("label") == "")
                try browser.type("?")
                #expect(try browser.offered("label") == "", "nothing matches")

                // Esc closes the list, and only then leaves the field.
                try browser.type(Browser.Key.down)
                #expect(try browser.offered("label") == "Report #deep\nMail\nRead #deep")
                #expect(try browser.faintTexts() == [])
                try browser.type(Browser.Key.escape)
                #expect(try browser.offered("label") == "")
                #expect(try browser.value("label") == "Read #deep?")
                #expect(try browser.focus == "label")
                try browser.type(Browser.Key.down + Browser.Key.down + Browser.Key.enter)
                try browser.until("it starts by the chosen name") { try laptop.status().label == "Mail" }
                #expect(try browser.focus != "label")
                #expect(try browser.offered("label") == "")

                // Without a choice, Enter takes what was typed.
                try browser.shows("Pause", in: "main-button")
                try browser.type("lre")
                try browser.until("two match") { try browser.offered("label") != "" }
                try browser.type(Browser.Key.enter)
                try browser.until("it has the typed name") { try laptop.status().label == "re" }
                #expect(try browser.log() == [])
            }
        }

        @Test("a click takes a label, on the timer and in the dialogs for entries, but not in other dialogs")
        func clicks() throws {
            try withEntries { laptop, browser in
                try browser.click("#label")
                try browser.until("all are offered in the empty field") {
                    try browser.offered("label") == "Report #deep\nMail\nRead #deep"
                }
                try browser.click("#label-labels li:nth-child(2)")
                try browser.until("it starts by that name") { try laptop.status().label == "Mail" }

                try browser.type("2")
                try browser.shows("Report #deep", in: "days")
                try browser.type("je")
                try browser.until("a label is asked for") { try browser.focus == "text-field" }
                try browser.type("mai")
                try browser.until("one matches") { try browser.offered("text-field") == "Mail" }
                try browser.type(Browser.Key.escape)
                #expect(try browser.offered("text-field") == "")
                #expect(try browser.shown("text-dialog") != "", "Esc closes only the list")
                try browser.type("l")
                try browser.click("#text-field-labels li")
                try browser.until("the entry has the label") {
                    try !laptop.press("log").contains("Report #deep")
                }
                try browser.until("the history shows it") {
                    try !browser.shown("days").contains("Report #deep")
                }
                try browser.type("t")
                try browser.until("times are asked for") { try browser.focus == "text-field" }
                #expect(try browser.attribute("role", of: "text-field") == "null")
                try browser.type(Browser.Key.down)
                let lists = "return String(document.querySelectorAll('#text-dialog [role=listbox]').length)"
                #expect(try browser.text(lists) == "0")
                try browser.type(Browser.Key.escape)

                try browser.type("p")
                try browser.until("a split is asked for") { try browser.focus == "text-field" }
                try browser.type("2025-11-20 12:10")
                #expect(try browser.offered("text-field") == "")
                try browser.type(" deep")
                try browser.until("one matches") { try browser.offered("text-field") == "Read #deep" }
                try browser.click("#text-field-labels li")
                #expect(try browser.value("text-field") == "2025-11-20 12:10 Read #deep")
                #expect(try browser.shown("text-dialog") != "", "the person may want another time")
                try browser.type(Browser.Key.escape)

                try browser.type("a")
                try browser.until("an entry is asked for") { try browser.focus == "entry-label" }
                try browser.type("deep")
                try browser.until("one matches") { try browser.offered("entry-label") == "Read #deep" }
                try browser.click("#entry-label-labels li")
                #expect(try browser.value("entry-label") == "Read #deep")
                #expect(try browser.shown("entry-dialog") != "", "the rest of the entry is missing")
                #expect(try browser.log() == [])
            }
        }
    }
}

extension Browser {
    /// The labels that are offered below a field, one on each line.
    fileprivate func offered(_ field: String) throws -> String { try shown("\(field)-labels") }

    /// The offered label that is chosen; empty if there is none.
    fileprivate func chosen(_ field: String) throws -> String {
        try text(
            """
            const active = document.getElementById(arguments[0]).getAttribute("aria-activedescendant");
            const option = active === null ? null : document.getElementById(active);
            const selected = document.querySelectorAll("[role=option][aria-selected=true]");
            if (option === null) return selected.length === 0 ? "" : "one is selected only by its looks";
            const isSelected = selected.length === 1 && selected[0] === option;
            return isSelected ? option.textContent : "another is selected";
            """, field)
    }

    /// An attribute of the element with this id, or `null`.
    func attribute(_ name: String, of id: String) throws -> String {
        try text("return String(document.getElementById(arguments[0]).getAttribute(arguments[1]))", id, name)
    }
}
