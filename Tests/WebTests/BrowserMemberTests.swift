import Foundation
import IntegrationSupport
import TestSupport
import Testing

@Suite("A browser as a member of the group", .serialized)
struct BrowserMemberTests {
    @Test("it joins by a link, presses, works offline and after a reload, and agrees with the laptops")
    func member() throws {
        try BrowserMemberTests.with { world, browser, address in
            let desk = world.laptops[0]
            try BrowserMemberTests.join(browser, world, at: address)
            try browser.shows("desk", in: "device-list")
            try eventually("the laptops list the browser") { try desk.devices().count == 3 }
            try browser.type("1")

            try waitUntilPressesAreAccepted()
            try browser.click("#main-button")
            try eventually("the laptop has the start") { try desk.status().status == "running" }
            try desk.press("pause")
            try browser.shows("Work paused", in: "status")

            try world.server.stop()
            try browser.shows("Offline", in: "sharing")
            try desk.press("stop")
            try waitUntilPressesAreAccepted()
            try browser.click("#main-button")
            try browser.shows("to be sent", in: "sharing")
            try browser.shows("Pause", in: "main-button")
            try browser.reload()
            try browser.shows("Pause", in: "main-button")
            try world.server.start()
            try browser.shows("Online", in: "sharing")
            try browser.until("the browser and the laptop show the same") {
                let shown = try browser.text("return document.documentElement.dataset.status")
                return try shown == desk.status().status
            }
            _ = try world.agree()
            // The device says in the console how it is connected; the browser, that the server was gone, and that the
            // page offers by itself to be installed.
            let expected = ["device.js", "/sync", "Banner not shown"]
            let complaints = try browser.log().filter { line in !expected.contains { line.contains($0) } }
            #expect(complaints == [])
            try browser.screenshot("browser-member")
        }
    }

    @Test("through Caddy, with HTTPS, it joins, presses, and starts without the network")
    func behindCaddy() throws {
        try BrowserMemberTests.with { world, browser, address in
            let caddy = try Caddy(world.folder, to: try BrowserMemberTests.port(of: address))
            try BrowserMemberTests.join(browser, world, at: caddy.address)
            try browser.waitUntilKept()
            try browser.type("1")
            try waitUntilPressesAreAccepted()
            try browser.click("#main-button")
            try eventually("the laptop has the start") {
                try world.laptops[0].status().status == "running"
            }
            try caddy.end()
            try browser.reload()
            try browser.shows("Pause", in: "main-button")
            try browser.shows("Offline", in: "sharing")
        }
    }

    @Test("through nginx, set as the documentation says, it joins and presses, also while nginx is reloaded")
    func behindNginx() throws {
        try BrowserMemberTests.with { world, browser, address in
            let desk = world.laptops[0]
            let port = try BrowserMemberTests.port(of: address)
            // It has a certificate that the browser trusts.
            let caddy = try Caddy(world.folder, to: port)
            let nginx = try Nginx(world.folder, to: port, certificate: caddy.certificate, key: caddy.key)
            defer { nginx.end() }
            try BrowserMemberTests.join(browser, world, at: nginx.address)
            try browser.waitUntilKept()
            try desk.press("start", "Report")
            try browser.until("the browser has the start") { try browser.status == "running" }
            for round in 1...2 {
                try nginx.reload(round)
                // The service worker passes this request on.
                let header = "return (await fetch('/', { method: 'HEAD' })).headers.get('Round') ?? ''"
                try browser.until("nginx has its new settings") { try browser.text(header) == "\(round)" }
                try browser.pressLabel("Phone \(round)")
                try eventually("the laptop has the press") { try desk.status().label == "Phone \(round)" }
                try desk.press("label", "Desk \(round)")
                try browser.until("the browser has the press") {
                    try browser.value("label") == "Desk \(round)"
                }
            }
            let connections = try world.server.connectionCount()
            try browser.reload()
            try browser.until("the page has a connection by way of the new settings") {
                try world.server.connectionCount() > connections
                    && browser.shown("sharing").contains("Online")
            }
            try world.agree(with: browser)
            try caddy.end()
        }
    }

    @Test("when Caddy gets other settings, it is connected again by itself, and nothing is lost")
    func reloadedCaddy() throws {
        try BrowserMemberTests.with { world, browser, address in
            let desk = world.laptops[0]
            let caddy = try Caddy(world.folder, to: try BrowserMemberTests.port(of: address))
            try BrowserMemberTests.join(browser, world, at: caddy.address)
            try desk.press("start", "Report")
            try browser.until("the browser has the start") { try browser.status == "running" }
            for round in 1...3 {
                let connections = try world.server.connectionCount()
                try caddy.reload("Round \(round)")
                try browser.pressLabel("Phone \(round)")
                try desk.press("label", "Desk \(round)")
                try browser.until("the browser is connected again") {
                    try world.server.connectionCount() > connections
                        && browser.shown("sharing").contains("Online")
                }
            }
            let log = try world.agree(with: browser)
            for label in (1...3).flatMap({ ["Phone \($0)", "Desk \($0)"] }) {
                #expect(log.contains { $0.contains("\"\(label)\"") }, "\(label)")
            }
            try caddy.end()
        }
    }
}
