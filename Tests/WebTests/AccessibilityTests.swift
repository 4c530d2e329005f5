import IntegrationSupport
import Testing

extension BrowserMemberTests {
    @Suite("What axe-core finds on the page for browsers")
    struct AccessibilityTests {
        @Test("axe-core finds nothing before and after joining, on each screen, and when the data is deleted")
        func member() throws {
            try BrowserMemberTests.with { world, browser, address in
                let desk = world.laptops[0]
                try browser.open(address)
                try browser.until("the page shows the session") { try browser.status == "stopped" }
                #expect(try browser.accessibilityFindings() == [], "a timer in no group")
                try browser.type("5")
                try browser.shows("Paste an invite", in: "join-form")
                #expect(try browser.accessibilityFindings() == [], "the form for joining")
                try BrowserMemberTests.join(browser, world, at: address)
                #expect(try browser.accessibilityFindings() == [], "what is said about joining")

                try desk.press("log", "add", "Report #paper", "--for", "25m")
                try desk.press("start", "Report")
                try browser.until("the browser has the start") { try browser.status == "running" }
                let screens = [
                    ("main-button", "Pause"), ("days", "Report"), ("labels", "Report"),
                    ("settings-form", "This browser"), ("device-list", "desk"),
                ]
                for (index, (part, text)) in screens.enumerated() {
                    try browser.type("\(index + 1)")
                    try browser.shows(text, in: part)
                    #expect(try browser.accessibilityFindings() == [], "\(part)")
                }

                try browser.devTools(
                    "Storage.clearDataForOrigin",
                    ["origin": String(address.dropLast()), "storageTypes": "indexeddb"])
                try desk.press("pause")
                try browser.shows("This browser’s data was deleted", in: "device-trouble")
                #expect(try browser.accessibilityFindings() == [], "data that was deleted")
            }
        }

        @Test("a browser with damaged data starts over by keys alone, and axe-core finds nothing meanwhile")
        func startingOver() throws {
            try BrowserMemberTests.with { _, browser, address in
                try browser.open(address)
                try browser.until("the page shows the session") { try browser.status == "stopped" }
                try browser.damage()
                try browser.reload()
                let trouble = "return document.getElementById('device-trouble')?.innerText ?? ''"
                try browser.until("the page says it") { try browser.text(trouble).contains("is damaged") }
                #expect(try browser.accessibilityFindings() == [], "damaged data")
                try browser.run("document.querySelector('#device-trouble button:last-child').focus()")
                try browser.type(Browser.Key.enter)
                try browser.shows("start over in no group?", in: "ask-question")
                #expect(try browser.accessibilityFindings() == [], "the question")
                try browser.type(Browser.Key.escape)
                try browser.until("the focus is on the button again") {
                    try browser.text("return document.activeElement.textContent") == "Start over here…"
                }
                try browser.type(Browser.Key.enter)
                try browser.shows("start over in no group?", in: "ask-question")
                // The first button cancels.
                try browser.type(Browser.Key.tab + Browser.Key.enter)
                try browser.until("the trouble is over") { try browser.text(trouble) == "" }
                #expect(try browser.text("return document.activeElement.id") == "main", "the button has gone")
                try browser.shows("Only in this browser", in: "sharing")
            }
        }
    }
}

extension Browser {
    /// Writes over the contents of the device's files.
    fileprivate func damage() throws {
        try run(
            """
            const opening = indexedDB.open("lockstep", 1);
            return new Promise((resolve) => {
              opening.onsuccess = () => {
                const transaction = opening.result.transaction("records", "readwrite");
                const records = transaction.objectStore("records");
                const keys = records.getAllKeys();
                keys.onsuccess = () => {
                  const blocks = keys.result.filter((key) => key.includes("\\0"));
                  for (const block of blocks) records.put(new Uint8Array(4096).fill(7), block);
                };
                transaction.oncomplete = () => {
                  opening.result.close();
                  resolve();
                };
              };
            });
            """)
    }
}
