import IntegrationSupport
import Testing

extension BrowserMemberTests {
    @Suite("A browser that loses the server")
    struct CutOffTests {
        @Test("presses on both sides of a cut lead to one log, one state and one history everywhere")
        func bothSides() throws {
            try BrowserMemberTests.with { world, browser, address in
                let (desk, home) = (world.laptops[0], world.laptops[1])
                try BrowserMemberTests.join(browser, world, at: address)
                try desk.press("start", "Report")
                try browser.type("1")
                try browser.shows("Pause", in: "main-button")
                try eventually("the other laptop has the start") { try home.status().status == "running" }

                try world.server.stop()
                try browser.shows("Offline", in: "sharing")
                try desk.press("label", "Named at the desk")
                try desk.press("log", "add", "Read at the desk", "--for", "25m")
                try home.press("add", "2m")
                try waitUntilPressesAreAccepted()
                try browser.type("lNamed on the phone\(Browser.Key.enter)")
                try browser.until("the label is taken") {
                    try browser.text("return document.activeElement.id") != "label"
                        && browser.deviceLog().contains { $0.contains("Named on the phone") }
                }
                try waitUntilPressesAreAccepted()
                try browser.click("#main-button")
                try browser.shows("Work paused", in: "status")
                try browser.shows("to be sent", in: "sharing")
                #expect(try !browser.deviceLog().contains { $0.contains("at the desk") })
                #expect(try desk.status().status == "running")

                try world.server.start()
                try browser.shows("Online", in: "sharing")
                let log = try world.agree(with: browser)
                for text in ["Named at the desk", "Read at the desk", "Named on the phone"] {
                    #expect(log.contains { $0.contains("\"\(text)\"") }, "\(text)")
                }
                #expect(try desk.press("log").contains("Read at the desk"))
                try browser.type("2")
                try browser.shows("Read at the desk", in: "days")
            }
        }

        @Test("it comes back by itself each time the server is killed, and nothing is lost")
        func killedServer() throws {
            try BrowserMemberTests.with { world, browser, address in
                let desk = world.laptops[0]
                try BrowserMemberTests.join(browser, world, at: address)
                try desk.press("start", "Report")
                try browser.until("the browser has the start") { try browser.status == "running" }
                var labels: [String] = []
                for round in 1...3 {
                    // The server is killed while it handles these.
                    for number in 1...5 { try browser.pressLabel("Phone \(round).\(number)") }
                    try world.server.kill()
                    try browser.shows("Offline", in: "sharing")
                    try browser.pressLabel("Phone \(round), offline")
                    try desk.press("label", "Desk \(round)")
                    try world.server.start()
                    try browser.shows("Online", in: "sharing")
                    labels += (1...5).map { "Phone \(round).\($0)" }
                    labels += ["Phone \(round), offline", "Desk \(round)"]
                }
                let log = try world.agree(with: browser)
                let lost = labels.filter { label in !log.contains { $0.contains("\"text\":\"\(label)\"") } }
                #expect(lost == [])
                #expect(try world.server.eventCount() == log.count)
            }
        }
    }
}
