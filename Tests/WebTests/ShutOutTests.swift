import IntegrationSupport
import Testing

extension BrowserMemberTests {
    @Suite("A browser that loses its place in the group")
    struct ShutOutTests {
        @Test("a browser that a laptop shuts out says so, and gets no later change")
        func revoked() throws {
            try BrowserMemberTests.with { world, browser, address in
                let desk = world.laptops[0]
                try BrowserMemberTests.join(browser, world, at: address)
                try desk.press("start", "Seen by all")
                try browser.until("the browser has the start") { try browser.status == "running" }
                try world.agree(with: browser)
                let key = try #require(try world.listedBrowsers().first?.key)
                try desk.press("devices", "revoke", String(key.prefix(8)), "--yes")
                try browser.shows("was shut out of its group", in: "troubles")
                try browser.type("5")
                try browser.until("only leaving is left") {
                    try browser.shown("rename-form") == "" && browser.shown("invite-card") == ""
                        && browser.shown("leave-card") != ""
                }
                #expect(try desk.devices().contains { $0.key == key && $0.revoked })

                try desk.press("label", "Not for the phone")
                #expect(try world.agree().contains { $0.contains("Not for the phone") })
                // A new start asks the server again.
                try browser.reload()
                try browser.shows("was shut out of its group", in: "troubles")
                let log = try browser.deviceLog()
                #expect(log.contains { $0.contains("Seen by all") })
                #expect(!log.contains { $0.contains("Not for the phone") })
                #expect(try browser.value("label") == "Seen by all")
                // A press in the browser stays there.
                try browser.pressLabel("Only on the phone")
                #expect(try browser.deviceLog().contains { $0.contains("Only on the phone") })
                #expect(try !world.agree().contains { $0.contains("Only on the phone") })
            }
        }

        @Test(
            "a browser that lost its data is in no group, joins again, and offers to shut out its former self"
        )
        func wiped() throws {
            try BrowserMemberTests.with { world, browser, address in
                let desk = world.laptops[0]
                try BrowserMemberTests.join(browser, world, at: address)
                try eventually("the laptops list the browser") { try world.listedBrowsers().count == 1 }
                let former = try #require(try world.listedBrowsers().first)
                try browser.type("1")
                try browser.shows("Start", in: "main-button")

                try browser.devTools(
                    "Storage.clearDataForOrigin",
                    ["origin": String(address.dropLast()), "storageTypes": "all"])
                try browser.reload()
                try browser.shows("Only in this browser", in: "sharing")
                #expect(try browser.deviceLog() == [])
                try BrowserMemberTests.join(browser, world, at: address)
                try browser.shows("Another laptop of the group is called", in: "outcome")
                try browser.shows("Shut the former \(former.name) (", in: "ask-question")
                #expect(try browser.shown("ask-no") == "Not now")
                try eventually("the laptop lists both by the same name") {
                    let listed = try world.listedBrowsers()
                    return listed.count == 2 && listed.allSatisfy { $0.name == former.name }
                }

                try browser.click("#ask-yes")
                try browser.shows("is shut out: the server refuses it", in: "said")
                let key = try #require(former.key)
                try eventually("the laptop lists only the new self") {
                    let left = try world.listedBrowsers()
                    return left.count == 1 && left.allSatisfy { $0.key != key }
                }
                try desk.press("start", "Again")
                try browser.until("the new self goes on") { try browser.status == "running" }
                try browser.pressLabel("Pressed by the new self")
                try world.agree(with: browser)
            }
        }

        @Test("a browser that loses its data while it runs says that it is in no group, until it joins again")
        func wipedWhileRunning() throws {
            try BrowserMemberTests.with { world, browser, address in
                let desk = world.laptops[0]
                try BrowserMemberTests.join(browser, world, at: address)
                try desk.press("start", "Before")
                try browser.until("the browser has the start") { try browser.status == "running" }
                try browser.devTools(
                    "Storage.clearDataForOrigin",
                    ["origin": String(address.dropLast()), "storageTypes": "indexeddb"])
                // The browser can't store this change.
                try desk.press("pause")
                try browser.shows("This browser’s data was deleted", in: "device-trouble")
                try browser.shows("Only in this browser", in: "sharing")
                #expect(try browser.deviceLog() == [])
                try BrowserMemberTests.join(browser, world, at: address)
                try browser.until("the page says it no more") { try browser.shown("device-trouble") == "" }
                try world.agree(with: browser)
            }
        }
    }
}
