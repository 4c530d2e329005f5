import IntegrationSupport
import Testing

extension BrowserMemberTests {
    @Suite("The page and the browser that it runs in")
    struct BrowserServicesTests {
        @Test("it asks to keep its data as it joins, and keeps the screen on by choice, while it is seen")
        func requests() throws {
            try BrowserMemberTests.with { world, browser, address in
                let desk = world.laptops[0]
                try browser.recordRequests()
                try BrowserMemberTests.join(browser, world, at: address)
                try desk.press("start", "Work")
                try browser.until("the browser has the start") { try browser.status == "running" }
                #expect(try browser.requests == ["persist"])

                var expected = ["persist"]
                func becomes(_ request: String) throws {
                    expected.append(request)
                    try browser.until("the screen is \(request)") { try browser.requests.last == request }
                }
                try browser.type("4")
                try browser.click("#setting-awake")
                try becomes("kept on")
                try browser.hideWindow()
                try becomes("let go")
                try browser.showWindow()
                try becomes("kept on")
                try desk.press("pause")
                try becomes("let go")
                try desk.press("resume")
                try becomes("kept on")
                try browser.click("#setting-awake")
                try becomes("let go")

                // The person changes their mind before the browser answers.
                try browser.run("window.answer = new Promise((resolve) => { window.giveAnswer = resolve; })")
                try browser.click("#setting-awake")
                try becomes("kept on")
                try browser.click("#setting-awake")
                try browser.run("window.giveAnswer()")
                try becomes("let go")
                #expect(try browser.requests == expected)
            }
        }

        @Test("it connects again when the browser is online again, and when it is seen again")
        func reconnecting() throws {
            try BrowserMemberTests.with { world, browser, address in
                let desk = world.laptops[0]
                try BrowserMemberTests.join(browser, world, at: address)
                try desk.press("start", "Work")
                try browser.until("the browser has the start") { try browser.status == "running" }
                func connectsAgain(_ what: String, _ event: () throws -> Void) throws {
                    // Of several such events within a second, only the first one counts.
                    try waitUntilPressesAreAccepted()
                    let connections = try world.server.connectionCount()
                    try event()
                    try browser.until(what) {
                        try world.server.connectionCount() > connections
                            && browser.shown("sharing").contains("Online")
                    }
                    try desk.press("label", what)
                    try browser.until("the browser has the label") { try browser.value("label") == what }
                }

                try connectsAgain("online again") {
                    for isOffline in [true, false] { try browser.pretend(offline: isOffline) }
                }
                // The connection that seems alive may be dead.
                try connectsAgain("seen again after a moment") {
                    try browser.hideWindow()
                    try browser.showWindow()
                }

                try browser.hideWindow()
                try world.server.kill()
                try desk.press("label", "Named meanwhile")
                try world.server.start()
                try browser.showWindow()
                try browser.shows("Online", in: "sharing")
                try world.agree(with: browser)
            }
        }
    }
}

extension Browser {
    /// Records on the next pages that they ask to keep their data and to keep the screen on. There is no
    /// screen here.
    fileprivate func recordRequests() throws {
        let script = """
            window.requests = [];
            if (isSecureContext) {
              const { persist } = StorageManager.prototype;
              StorageManager.prototype.persist = function () {
                window.requests.push("persist");
                return persist.call(this);
              };
              WakeLock.prototype.request = async () => {
                window.requests.push("kept on");
                await window.answer;
                const sentinel = { released: false };
                sentinel.release = async () => {
                  sentinel.released = true;
                  window.requests.push("let go");
                };
                return sentinel;
              };
            }
            """
        try devTools("Page.addScriptToEvaluateOnNewDocument", ["source": script])
    }

    /// The requests of the page so far.
    fileprivate var requests: [String] {
        get throws { try run("return window.requests") as? [String] ?? [] }
    }

    /// Whether the page is visible.
    fileprivate var isVisible: Bool {
        get throws { try text("return document.visibilityState") == "visible" }
    }

    /// Hides the browser's window, and waits until the page knows.
    fileprivate func hideWindow() throws {
        try minimizeWindow()
        try until("the page is hidden") { try !isVisible }
    }

    /// Shows the window again, and waits until the page knows.
    fileprivate func showWindow() throws {
        try restoreWindow()
        try until("the page is seen") { try isVisible }
    }

    /// Lets the page believe that the machine has no network, or has it again.
    fileprivate func pretend(offline isOffline: Bool) throws {
        // Without a latency, the machine's own state would count again.
        try devTools(
            "Network.overrideNetworkState",
            ["offline": isOffline, "latency": 1, "downloadThroughput": -1, "uploadThroughput": -1])
    }
}
