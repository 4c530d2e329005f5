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

        @Test(
            "slow requests, and frames of a wrong length or without an end, hinder no laptop, and end in time"
        )
        func slow() throws {
            try World.with { world in
                let address = try BrowserMemberTests.serve(world.server, settings: "handshake-timeout = 4s\n")
                let (desk, home) = (try world.join("desk"), try world.join("home"))
                let connections = try world.server.connectionCount()
                let port = try BrowserMemberTests.port(of: address)
                func opened(_ bytes: [UInt8]) throws -> HTTPClient {
                    let client = try HTTPClient(port: port)
                    #expect(try client.openWebSocket("/sync", host: "127.0.0.1:\(port)").status == 101)
                    client.send(bytes: bytes)
                    return client
                }

                var slow = try (0..<200).map { number in
                    let client = try HTTPClient(port: port)
                    client.send("GET /sync HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nUpgrade: websocket\r\n")
                    // Every other one sends nothing more.
                    return SlowClient(
                        client, number.isMultiple(of: 2) ? [] : Array(repeating: 0x78, count: 60))
                }
                // The beginning of a TLS record of 16 KiB.
                let frame = HTTPClient.masked([22, 3, 1, 0x40, 0] + Array(repeating: 0, count: 300))
                slow.append(SlowClient(try opened(Array(frame.prefix(9))), Array(frame.dropFirst(9))))
                slow.append(SlowClient(try opened(Array(frame.prefix(9))), []))
                // A TiB, a longer form than needed, 64 bits, and no mask.
                for (bytes, code) in [
                    ([0x82, 0xFF, 0, 0, 1, 0, 0, 0, 0, 0], 0xF1), ([0x82, 0xFE, 0, 5], 0xEA),
                    ([0x82, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 0], 0xEA), ([0x82, 5], 0xEA),
                ] as [([UInt8], UInt8)] {
                    let client = try opened(bytes)
                    #expect(try client.frame() == HTTPClient.Frame(0x88, [0x03, code]), "\(bytes)")
                    try client.waitForHangUp()
                }

                try desk.press("start", "Beside strangers")
                try eventually("the press is on the other laptop") {
                    try home.status().label == "Beside strangers"
                }
                try eventually("the server hangs up on all slow clients", within: .seconds(30)) {
                    for client in slow { client.sendByte() }
                    // They send a byte a second.
                    _ = try slow.first?.client.hasHungUp(within: .seconds(1))
                    slow = try slow.filter { try !$0.client.hasHungUp(within: .zero) }
                    return slow.isEmpty
                }
                try home.press("label", "After them")
                try eventually("the press is on the other laptop") {
                    try desk.status().label == "After them"
                }
                try world.agree()
                #expect(try world.server.connectionCount() == connections, "the laptops stayed connected")
            }
        }

        /// A client that sends one byte after the other.
        private final class SlowClient {
            let client: HTTPClient
            private var rest: ArraySlice<UInt8>

            init(_ client: HTTPClient, _ bytes: [UInt8]) {
                self.client = client
                rest = bytes[...]
            }

            func sendByte() { if let byte = rest.popFirst() { client.send(bytes: [byte]) } }
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
