import IntegrationSupport
import Testing

extension BrowserMemberTests {
    @Suite("A host between the browser and the server")
    struct RelayTests {
        @Test(
            "bytes that it changes, repeats and reorders cost no press, and nothing wrong is shown",
            arguments: [7])
        func harmed(seed: UInt64) throws {
            try BrowserMemberTests.with { world, browser, address in
                let (desk, home) = (world.laptops[0], world.laptops[1])
                let relay = try Relay(to: try BrowserMemberTests.port(of: address), seed: seed)
                defer { relay.end() }
                try BrowserMemberTests.join(browser, world, at: "http://127.0.0.1:\(relay.port)/")
                try desk.press("start", "Work")
                try browser.until("the browser has the start") { try browser.status == "running" }
                var labels = ["Work"]
                relay.harm(12)
                try eventually("12 messages are harmed, not \(relay.harmed)") {
                    labels.append("Phone \(labels.count)")
                    try browser.pressLabel(labels[labels.count - 1])
                    if labels.count.isMultiple(of: 10) {
                        labels.append("Desk \(labels.count)")
                        try desk.press("label", labels[labels.count - 1])
                    }
                    #expect(try browser.status == "running")
                    #expect(try labels.contains(browser.value("label")))
                    return relay.harmed >= 12
                }
                #expect(try home.isOnline && labels.contains(home.status().label))
                let log = try world.agree(with: browser)
                let lost = labels.dropFirst().filter { label in !log.contains { $0.contains("\"\(label)\"") }
                }
                #expect(lost == [])
                // TLS noticed it, and no harmed data reached the protocol's layer.
                #expect(try world.server.logLines("(tlsFailed)") != [])
                for complaint in ["malformed", "event=refused", "commit-failed"] {
                    #expect(try world.server.logLines(complaint) == [])
                }
            }
        }
    }
}
