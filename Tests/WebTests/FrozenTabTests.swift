import Glibc
import IntegrationSupport
import Testing

extension BrowserMemberTests {
    @Suite("A tab that stands still, of a browser that is a member")
    struct FrozenTabTests {
        @Test("of five tabs, the visible one takes over if the browser freezes the others, which follow then")
        func frozen() throws {
            try FrozenTabTests.with { world, browser, address in
                let desk = world.laptops[0]
                let tabs = try (1...5).map { _ in try BareTab.page(address, in: browser) }
                let (owner, visible) = (tabs[0], tabs[4])
                #expect(try owner.ownsDevice())
                // The owner is the last one, so that no other hidden tab takes its place.
                for tab in tabs.dropLast().reversed() { try tab.freeze() }
                try eventually("the visible tab takes over", within: .seconds(30)) {
                    try visible.ownsDevice()
                }
                try visible.pressLabel("While the others are frozen")
                try eventually("the laptop has the press") {
                    try desk.status().label == "While the others are frozen"
                }

                for tab in tabs.dropLast() { try tab.thaw() }
                try owner.bringToFront()
                try eventually("the thawed tab shows the press") {
                    try owner.label == "While the others are frozen"
                }
                #expect(try !owner.ownsDevice())
                try owner.pressLabel("After that")
                try eventually("the laptop has the press") { try desk.status().label == "After that" }
                try owner.waitUntilRunning()
                let log = try world.agree()
                try eventually("the browser has the same log") { try owner.deviceLog() == log }
            }
        }

        @Test("a browser that stands still while the group gets another key reads and writes with it then")
        func key() throws {
            try FrozenTabTests.with { world, browser, address in
                let (desk, home) = (world.laptops[0], world.laptops[1])
                let tab = try BareTab.page(address, in: browser)
                try eventually("the laptop lists the browser") { try world.listedBrowsers().count == 1 }
                let process = try tab.process(in: world.folder)
                kill(process, SIGSTOP)
                defer { kill(process, SIGCONT) }
                let key = try #require(try desk.devices().first { $0.name == home.name }?.key)
                try desk.press("devices", "revoke", String(key.prefix(8)), "--yes")
                try desk.press("label", "Under the new key")
                try eventually("the server has the press") { try desk.status().sync.pending == 0 }

                kill(process, SIGCONT)
                try eventually("the browser shows the press") { try tab.label == "Under the new key" }
                try tab.pressLabel("Of the browser")
                try eventually("the laptop has the press") { try desk.status().label == "Of the browser" }
                try desk.press("label", "After that")
                try eventually("the browser shows the press") { try tab.label == "After that" }
                let log = try world.agree([desk])
                try eventually("the browser has the same log") { try tab.deviceLog() == log }
                #expect(try !home.log().contains { $0.contains("Under the new key") })
                try tab.waitUntilRunning()
            }
        }

        /// Runs a test with a browser that has joined, a session that runs, and a tab of the driver's without
        /// the page, because the driver can't command a tab that stands still.
        private static func with(_ body: (World, Browser, _ address: String) throws -> Void) throws {
            try BrowserMemberTests.with { world, browser, address in
                try BrowserMemberTests.join(browser, world, at: address)
                try world.laptops[0].press("start", "Work")
                try browser.until("the browser has the start") { try browser.status == "running" }
                try browser.open("chrome://version")
                try body(world, browser, address)
            }
        }
    }
}
