import Foundation
import Glibc
import IntegrationSupport
import TestSupport
import Testing

extension BrowserMemberTests {
    @Suite("Tabs of a browser that is a member")
    struct TabTests {
        @Test("tabs show one session, and another one takes over from a tab that is closed")
        func owners() throws {
            try BrowserMemberTests.with { world, browser, address in
                let desk = world.laptops[0]
                try BrowserMemberTests.join(browser, world, at: address)
                try browser.type("1")
                try browser.shows("Start", in: "main-button")
                let first = try browser.tab
                #expect(try browser.ownsDevice())
                try browser.openTab()
                try browser.open(address)
                try browser.shows("Start", in: "main-button")
                let second = try browser.tab
                #expect(try !browser.ownsDevice())

                try waitUntilPressesAreAccepted()
                try browser.click("#main-button")
                try browser.shows("Pause", in: "main-button")
                try browser.switchTo(first)
                try browser.shows("Pause", in: "main-button")
                try waitUntilPressesAreAccepted()
                try browser.click("#main-button")
                try browser.shows("Work paused", in: "status")
                try browser.switchTo(second)
                try browser.shows("Work paused", in: "status")

                try browser.switchTo(first)
                try browser.closeTab()
                try browser.switchTo(second)
                try browser.until("the second tab takes over") { try browser.ownsDevice() }
                try waitUntilPressesAreAccepted()
                try browser.click("#main-button")
                try browser.shows("Pause", in: "main-button")
                try eventually("the laptop has the press") { try desk.status().status == "running" }

                try world.agree(with: browser)
            }
        }

        @Test("five tabs press at once, and then all of them and the laptops show the same")
        func five() throws {
            try BrowserMemberTests.with { world, browser, address in
                try BrowserMemberTests.join(browser, world, at: address)
                try world.laptops[0].press("start", "Work")
                var tabs = [try browser.tab]
                for _ in 2...5 {
                    try browser.openTab()
                    try browser.open(address)
                    tabs.append(try browser.tab)
                }
                for (index, tab) in tabs.enumerated() {
                    try browser.switchTo(tab)
                    try browser.until("the tab has the start") { try browser.status == "running" }
                    try pressAtSignal("Press \(index + 1)", in: browser)
                }
                try browser.run("new BroadcastChannel('test-of-tabs').postMessage('press')")
                for tab in tabs {
                    try browser.switchTo(tab)
                    try browser.until("all presses of the tab are answered") {
                        try browser.text("return String(window.answers.length)") == "10"
                    }
                    let statuses = try browser.text("return window.answers.join()").split(separator: ",")
                    #expect(statuses.allSatisfy { ["200", "204"].contains($0) }, "\(statuses)")
                }
                let log = try world.agree(with: browser)
                for label in (1...5).flatMap({ tab in (1...10).map { "Press \(tab).\($0)" } }) {
                    #expect(log.contains { $0.contains("\"text\":\"\(label)\"") }, "\(label)")
                }
                let label = try world.laptops[0].status().label
                for tab in tabs {
                    try browser.switchTo(tab)
                    try browser.until("the tab shows \(label)") {
                        try browser.value("label") == label && browser.status == "running"
                    }
                }
            }
        }

        /// Lets the front tab press ten times, at a signal to all tabs.
        private func pressAtSignal(_ label: String, in browser: Browser) throws {
            try browser.run(
                """
                const { send } = await import(`${location.origin}/source.js`);
                const label = arguments[0];
                window.answers = [];
                window.signal = new BroadcastChannel("test-of-tabs");
                window.signal.onmessage = async () => {
                  for (let number = 1; number <= 10; number += 1) {
                    const body = JSON.stringify({ press: "label", label: `${label}.${number}` });
                    const { status } = await send("/press", { method: "POST", body });
                    window.answers.push(status);
                  }
                };
                """, label)
        }

        @Test("a killed tab loses no press whose answer was seen, and the next one shows no older state")
        func killing() throws {
            let variables = ProcessInfo.processInfo.environment
            let kills = variables["TAB_KILLS"].flatMap(Int.init) ?? 200
            let seed = variables["TAB_KILLING_SEED"].flatMap(UInt64.init) ?? .random(in: 0...9_999)
            let repeating: Comment =
                "TAB_KILLING_SEED=\(seed) repeats the numbers of presses and the pauses, not the instants"
            print("killing \(kills) tabs: \(repeating)")
            var random = SeededGenerator(seed: seed)
            try BrowserMemberTests.with { world, browser, address in
                try BrowserMemberTests.join(browser, world, at: address)
                try world.laptops[0].press("start", "Begun")
                try browser.until("the browser has the start") { try browser.status == "running" }
                // A press of its own also stores the start.
                try browser.pressLabel("0")
                // A page with a process of its own, because the driver would end the browser after a crash.
                try browser.open("chrome://version")
                let tab = try BareTab(in: browser)
                let seen = try killTabs(kills, in: tab, at: address, &random, repeating)
                try tab.open("about:blank")
                try browser.open(address)
                try browser.until("the page shows the session") { try browser.status == "running" }
                #expect(try browser.text(BareTab.complaints) == "", repeating)
                let log = try world.agree(with: browser)
                let lost = seen.filter { label in !log.contains { $0.contains("\"text\":\"\(label)\"") } }
                #expect(lost == [], repeating)
            }
        }

        /// Opens the device in a tab, presses and kills the tab, `kills` times.
        ///
        /// - Returns: The labels of the presses with an answer.
        private func killTabs(
            _ kills: Int, in tab: BareTab, at address: String, _ random: inout SeededGenerator,
            _ repeating: Comment
        ) throws -> [Int] {
            var seen: [Int] = []
            // The session's label is between these.
            var (oldest, newest) = (0, 0)
            for round in 1...kills {
                try openDevice(in: tab, at: address)
                let count = Int.random(in: 0...2, using: &random)
                let shown = try press(round * 100, count, in: tab)
                let label = try #require(Int(shown), repeating)
                #expect((oldest...newest).contains(label), "\(oldest)...\(newest); \(repeating)")
                oldest = count == 0 ? label : round * 100 + count
                newest = round * 100 + count + 20
                seen += (0..<count).map { round * 100 + $0 + 1 }
                // A random pause, so that the kill happens at any point of the next presses.
                poll(nil, 0, Int32.random(in: 0...30, using: &random))
                try tab.crash()
            }
            return seen
        }

        /// Opens an image of the page's site, which can have the device too, and loads faster than the page.
        private func openDevice(in tab: BareTab, at address: String) throws {
            try tab.open("\(address)icon.svg")
            try eventually("the image is loaded") {
                // A script fails while the page is being replaced.
                let state = "return document.documentElement.localName + document.readyState"
                return (try? tab.text(state)) == "svgcomplete"
            }
        }

        /// Starts the device, presses, and waits for `count` answers. Further presses follow. The labels are
        /// the numbers after `start`.
        ///
        /// - Returns: The label that the device showed when it started.
        private func press(_ start: Int, _ count: Int, in tab: BareTab) throws -> String {
            try tab.text(
                """
                const { openDevice } = await import(`${location.origin}/tabs.js`);
                const device = openDevice();
                const shown = await new Promise((resolve) => {
                  device.follow("UTC", ({ label }) => resolve(label), () => resolve("the device has stopped"));
                });
                const press = async (number) => {
                  const body = JSON.stringify({ press: "label", label: String(\(start) + number) });
                  const { status } = await device.request("/press", { method: "POST", body });
                  if (status !== 200 && status !== 204) throw new Error(`${number}: ${status}`);
                };
                for (let number = 1; number <= \(count); number += 1) await press(number);
                (async () => {
                  for (let number = \(count + 1); number <= \(count + 20); number += 1) await press(number);
                })();
                return shown;
                """)
        }
    }
}
