import IntegrationSupport
import TestSupport
import Testing

extension BrowserMemberTests {
    @Suite("Strangers at the page for browsers")
    struct StrangerTests {
        @Test("an invite to another server is refused with a reason, and changes nothing")
        func otherServer() throws {
            try BrowserMemberTests.with { world, browser, address in
                let other = Server("other", in: world.folder)
                try other.start()
                let member = Laptop("member", in: world.folder)
                try member.join(try other.invite())
                // One invite is into a group of the other server, and one is for a new group there.
                for invite in [try member.invite(), try other.invite()] {
                    try browser.open("\(address)#\(invite)")
                    try browser.shows("Paste an invite", in: "join-form")
                    try browser.until("the page has the invite") {
                        try browser.value("join-invite") == invite
                    }
                    try browser.click("#join")
                    try browser.shows("shows another key than", in: "problem")
                    try browser.shows("hasn't joined", in: "problem")
                    try browser.shows("Only in this browser", in: "sharing")
                    #expect(try browser.shown("outcome") == "")
                    #expect(try browser.deviceLog() == [])
                    try browser.reload()
                    try browser.shows("Only in this browser", in: "sharing")
                }
                #expect(try world.laptops[0].devices().count == 2)
                #expect(try member.devices().count == 1 && other.groups().count == 1)
                try BrowserMemberTests.join(browser, world, at: address)
                try eventually("the laptops list the browser") { try world.listedBrowsers().count == 1 }
            }
        }

        @Test("a page of another origin can't open the connection of devices")
        func otherOrigin() throws {
            try BrowserMemberTests.with { world, browser, address in
                let other = Server("other", in: world.folder)
                let otherAddress = try BrowserMemberTests.serve(other)
                let sync = "ws\(address.dropFirst("http".count))sync"
                try browser.open(address)
                #expect(try browser.opensSocket(sync), "the server's own page can")

                // The page's own policy would forbid it too.
                try browser.devTools("Page.setBypassCSP", ["enabled": true])
                try browser.open(otherAddress)
                _ = try browser.log()
                #expect(try !browser.opensSocket(sync))
                var lines: [String] = []
                try browser.until("the browser says that the server refuses it") {
                    lines += try browser.log()
                    return lines.contains { $0.contains(sync) && $0.contains("403") }
                }
                #expect(try browser.opensSocket("ws\(otherAddress.dropFirst("http".count))sync"))
            }
        }

        @Test("two hundred half-open WebSockets hinder no laptop that presses, and no browser that joins")
        func halfOpen() throws {
            try BrowserMemberTests.with { world, browser, address in
                let desk = world.laptops[0]
                let port = try BrowserMemberTests.port(of: address)
                let strangers = try (0..<200).map { _ in
                    let stranger = try HTTPClient(port: port)
                    stranger.send("GET /sync HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nUpgrade: websocket\r\n")
                    return stranger
                }
                try withExtendedLifetime(strangers) {
                    try desk.press("start", "Beside strangers")
                    try BrowserMemberTests.join(browser, world, at: address)
                    try browser.until("the browser has the start") { try browser.status == "running" }
                    try browser.pressLabel("Pressed beside strangers")
                    try world.agree(with: browser)
                }
            }
        }
    }
}

extension Browser {
    /// Whether the page in the current tab can open a WebSocket at this address.
    fileprivate func opensSocket(_ address: String) throws -> Bool {
        try text(
            """
            return await new Promise((resolve) => {
              const socket = new WebSocket(arguments[0]);
              socket.onopen = () => { socket.close(); resolve("open"); };
              socket.onerror = () => resolve("refused");
            });
            """, address) == "open"
    }
}
