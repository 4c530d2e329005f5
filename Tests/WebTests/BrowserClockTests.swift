import Foundation
import IntegrationSupport
import TestSupport
import Testing

extension BrowserMemberTests {
    @Suite("A browser on a machine with a wrong clock")
    struct BrowserClockTests {
        @Test(
            "presses from a clock three hours ahead or behind get the right time, also those made offline",
            arguments: [3, -3])
        func wrongClock(hours: Int) throws {
            try World.with { world in
                let address = try BrowserMemberTests.serve(
                    world.server, files: try filesWithClock(hours, in: world.folder))
                let desk = try world.join("desk")
                try world.join("home")
                let browser = try world.browser("phone")
                try BrowserMemberTests.join(browser, world, at: address)
                try browser.type("1")
                try desk.press("start", "Work")
                try browser.until("the browser has the start") { try browser.status == "running" }
                let error = try #require(Int64(try browser.text("return String(Date.now())"))) - wallClock()
                #expect(abs(error - Int64(hours) * 3_600_000) < 60_000)

                var presses: [(label: String, instants: ClosedRange<Int64>)] = []
                func press(_ label: String) throws {
                    let began = wallClock()
                    try browser.pressLabel(label)
                    presses.append((label, began - 1000...wallClock() + 1000))
                }
                try press("Online")
                try eventually("the laptop has the press") { try desk.status().label == "Online" }
                try world.server.stop()
                try browser.shows("Offline", in: "sharing")
                try press("Offline")
                try browser.reload()
                try browser.until("the page shows the session") { try browser.status == "running" }
                try press("After a start")
                try world.server.start()
                let log = try world.agree(with: browser)
                for (label, instants) in presses {
                    #expect(try instants.contains(instant(of: label, in: log)), "\(label)")
                }
                // The page shows the same time as the laptop.
                let shown = try browser.shown("clock").split(separator: ":").compactMap { Int64($0) }
                let seconds = shown.reduce(0) { $0 * 60 + $1 }
                #expect(try abs(seconds * 1000 - desk.status().remainingMs) < 3000)
                try browser.end()
            }
        }

        /// The instant of the press with this label, in milliseconds since the Unix epoch.
        private func instant(of label: String, in log: [String]) throws -> Int64 {
            let line = try #require(log.first { $0.contains("\"text\":\"\(label)\"") })
            let event = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return Int64(try #require(event?["ms"] as? Int))
        }

        /// Copies the page's files, with another clock for the page and its device, and returns their folder.
        ///
        /// Chromium doesn't run with libfaketime, so only the scripts' clock is wrong.
        private func filesWithClock(_ hours: Int, in folder: TemporaryFolder) throws -> String {
            let files = folder.file("web")
            try BrowserMemberTests.copyFiles(
                to: files, beginning: ["page.js", "device-worker.js"],
                with: "{ const right = Date.now; Date.now = () => right() + \(hours) * 3_600_000; }")
            return files
        }
    }
}
