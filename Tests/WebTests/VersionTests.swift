import IntegrationSupport
import TestSupport
import Testing

extension BrowserMemberTests {
    @Suite("A new version of the page for browsers")
    struct VersionTests {
        @Test("it is offered and waits, also offline; when it is taken, each tab loads once, and all is kept")
        func newVersion() throws {
            try World.with { world in
                let files = world.folder.file("web")
                try VersionTests.write(1, to: files)
                let address = try BrowserMemberTests.serve(world.server, files: files)
                let desk = try world.join("desk")
                let browser = try world.browser("phone")
                try BrowserMemberTests.join(browser, world, at: address)
                try desk.press("start", "Report")
                try browser.until("the browser has the start") { try browser.status == "running" }
                try browser.waitUntilKept()

                // The server reads the files when it starts.
                try world.server.stop()
                try VersionTests.write(2, to: files)
                try world.server.start()
                try browser.reload()
                try browser.until("the new version is offered") { try browser.isOffered }
                #expect(try browser.version == "1")

                // Nobody takes it.
                try world.server.stop()
                try browser.reload()
                try browser.until("it is still offered") { try browser.isOffered }
                try browser.pressLabel("In the former version")
                #expect(try browser.version == "1")
                let first = try browser.tab
                try browser.openTab()
                try browser.open(address)
                try browser.until("another tab has the former version too") {
                    try browser.version == "1" && browser.value("label") == "In the former version"
                }
                let second = try browser.tab
                try browser.switchTo(first)
                let loads = try browser.loads

                try world.server.start()
                try browser.shows("Online", in: "sharing")
                try browser.click(".news button")
                for (tab, count) in [(first, loads + 1), (second, 2)] {
                    try browser.switchTo(tab)
                    // A script fails while the page is being replaced.
                    try browser.until("the tab has the new version") { (try? browser.version) == "2" }
                    try browser.until("it shows the session") {
                        try browser.value("label") == "In the former version"
                    }
                    let log = try world.agree(with: browser)
                    #expect(log.contains { $0.contains("\"In the former version\"") })
                    #expect(try browser.loads == count && !browser.isOffered)
                }
                try browser.end()
            }
        }

        /// Writes the page's files as the version with this number. Its page counts how often a tab loads it.
        private static func write(_ version: Int, to folder: String) throws {
            try BrowserMemberTests.copyFiles(
                to: folder, beginning: ["page.js"],
                with: """
                    document.documentElement.dataset.version = "\(version)";
                    sessionStorage.loads = Number(sessionStorage.loads ?? 0) + 1;
                    """)
        }
    }
}

extension Browser {
    /// The version of the page.
    fileprivate var version: String {
        get throws { try text("return document.documentElement.dataset.version ?? ''") }
    }

    /// The number of times that the tab has loaded the page.
    fileprivate var loads: Int {
        get throws { Int(try text("return sessionStorage.loads")) ?? 0 }
    }

    /// Whether the page offers another version.
    fileprivate var isOffered: Bool {
        get throws {
            try text(
                """
                const news = document.querySelector(".news");
                return news?.checkVisibility() ? news.innerText : "";
                """
            ).contains("A new version is ready.")
        }
    }
}
