import Foundation
import IntegrationSupport
import TestSupport
import Testing

extension BrowserMemberTests {
    @Suite("A browser in a group with a long log")
    struct LongLogTests {
        /// The number of sessions, with two events each.
        private static let sessions = 50_000
        /// The length of each session in milliseconds.
        private static let length: Int64 = 300_000

        @Test("it gets 100,000 events, and shows the same totals as a laptop, also after it starts again")
        func joining() throws {
            try World.with { world in
                let address = try BrowserMemberTests.serve(world.server)
                let file = world.folder.file("log.jsonl")
                try LongLogTests.log().write(toFile: file, atomically: false, encoding: .utf8)
                let desk = world.laptop("desk")
                try desk.press("import", file)
                try desk.join(try world.server.invite())
                try desk.startAgent()
                let browser = try world.browser("phone")
                try BrowserMemberTests.join(browser, world, at: address)
                try browser.until("the browser and the laptop show the same totals") {
                    try browser.totals() == afterZone(desk.press("stats", "--json"))
                }
                let expected = "\"focusMs\":\(Int64(LongLogTests.sessions) * LongLogTests.length),"
                #expect(try browser.totals().contains(expected))

                try desk.press("start", "After all these")
                try browser.until("the browser has the start") { try browser.status == "running" }
                try browser.pressLabel("On the phone")
                try eventually("the laptop has the press") { try desk.status().label == "On the phone" }

                try desk.press("stop")
                try browser.reload()
                try browser.until("it has started again with all of it") {
                    try browser.status == "stopped"
                        && browser.totals() == afterZone(desk.press("stats", "--json"))
                }
                try browser.end()
            }
        }

        /// A log of sessions in the last 300 days as text.
        private static func log() -> String {
            var lines: [String] = []
            var (instant, last) = (wallClock() - 300 * 86_400_000, "null")
            func add(_ action: String, _ members: String) {
                lines.append(
                    """
                    {"replica":"0000000100000001","seq":\(lines.count + 1),"ms":\(instant),"counter":0,\
                    "action":"\(action)",\(members)}

                    """)
            }
            for session in 0..<sessions {
                add("start", "\"label\":\"Task \(session % 50)\",\"after\":\(last),\"offline\":false")
                last = "\"\(instant).0@0000000100000001\""
                instant += length
                add("stop", "\"run\":\(last)")
                instant += 200_000
            }
            return lines.joined()
        }
    }
}

/// The part of a document of statistics after the time and the zone in which it was made.
private func afterZone(_ document: String) -> String {
    document.components(separatedBy: "\"goals\":").last ?? ""
}

extension Browser {
    /// The statistics of the browser's device.
    fileprivate func totals() throws -> String { afterZone(try answer("/stats.json", in: Laptop.zone)) }
}
