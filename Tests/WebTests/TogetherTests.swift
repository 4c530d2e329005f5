import FocusText
import Foundation
import IntegrationSupport
import Testing

extension BrowserMemberTests {
    @Suite("A browser and laptops in step")
    struct TogetherTests {
        @Test("everything that a person does in a browser is on the laptops, and the other way round")
        func everything() throws {
            try BrowserMemberTests.with { world, browser, address in
                let (desk, home) = (world.laptops[0], world.laptops[1])
                try BrowserMemberTests.join(browser, world, at: address)
                try browser.type("1")
                for press in TogetherTests.presses {
                    try browser.type(press.keys)
                    try press.waitUntilShown(world, browser, by: "the browser")
                }
                try browser.type("x")
                try waitUntilStopped(world, browser)
                try changeHistory(by: browser, world)
                try world.agree(with: browser)

                for press in TogetherTests.presses {
                    try desk.press(press.command)
                    try press.waitUntilShown(world, browser, by: "a laptop")
                }
                try home.press("stop")
                try waitUntilStopped(world, browser)
                try changeHistory(by: world, browser)

                try desk.press("start", "At the end")
                try home.until("the start") { $0.status == "running" }
                try home.press("pause")
                try browser.until("the pause") { try browser.status == "paused" }
                try world.agree(with: browser)
                try compareStatus(browser, desk)
            }
        }

        /// A press, by keys on the page and as a command, and the timer after it.
        private struct Press {
            let keys: String
            let command: [String]
            let status: String
            let activity: String
            let label: String
            let ordinal: Int64

            init(
                _ keys: String, _ command: [String], _ status: String, _ phase: (String, Int64),
                _ label: String
            ) {
                self.keys = keys
                self.command = command
                self.status = status
                (activity, ordinal) = phase
                self.label = label
            }

            private func isShown(_ shown: Status?) -> Bool {
                shown?.status == status && shown?.activity == activity && shown?.ordinal == ordinal
                    && shown?.label == label
            }

            func waitUntilShown(_ world: World, _ browser: Browser, by presser: String) throws {
                let what = "'\(command.joined(separator: " "))' by \(presser) is shown"
                try browser.until("\(what) on the page") {
                    try isShown(browser.shownStatus()) && browser.status == status
                        && browser.value("label") == label
                }
                for laptop in world.laptops {
                    try eventually("\(what) on \(laptop.name)") { try isShown(laptop.status()) }
                }
            }
        }

        private static let presses: [Press] = [
            Press("lWrite\(Browser.Key.enter)", ["start", "Write"], "running", ("work", 0), "Write"),
            Press(" ", ["pause"], "paused", ("work", 0), "Write"),
            Press(" ", ["resume"], "running", ("work", 0), "Write"),
            Press("lPaper\(Browser.Key.enter)", ["label", "Paper"], "running", ("work", 0), "Paper"),
            Press("s", ["skip"], "running", ("shortBreak", 1), "Paper"),
            Press("u", ["undo"], "running", ("work", 0), "Paper"),
            Press("D", ["done"], "running", ("shortBreak", 1), "Paper"),
            Press("s", ["skip"], "running", ("work", 2), "Paper"),
            Press("B", ["break"], "running", ("shortBreak", 3), "Paper"),
        ]

        private func waitUntilStopped(_ world: World, _ browser: Browser) throws {
            try browser.until("the page is stopped") { try browser.status == "stopped" }
            for laptop in world.laptops { try laptop.until("the stop") { $0.status == "stopped" } }
        }

        /// Adds two entries on the page, gives one of them another label, and removes the other.
        private func changeHistory(by browser: Browser, _ world: World) throws {
            try browser.type("2")
            for (label, from, to) in [("Walk", "09:00", "09:40"), ("Read", "10:00", "10:30")] {
                try browser.type("a")
                try browser.until("an entry is asked for") { try browser.focus == "entry-label" }
                try browser.type(label)
                try browser.run(
                    """
                    document.getElementById("entry-day").value = "2025-11-20";
                    document.getElementById("entry-from").value = arguments[0];
                    document.getElementById("entry-to").value = arguments[1];
                    """, from, to)
                try browser.type(Browser.Key.enter)
                try browser.shows("\(from)-\(to)", in: "days")
                for laptop in world.laptops { try laptop.lists(label) }
            }
            try browser.type("/read\(Browser.Key.enter)e")
            try browser.until("a label is asked for") { try browser.focus == "text-field" }
            try browser.type("Letters\(Browser.Key.enter)")
            for laptop in world.laptops { try laptop.lists("Letters") }
            try browser.type("/\(Browser.Key.escape)")
            try browser.shows("Letters", in: "days")
            try browser.type("/walk\(Browser.Key.enter)d")
            try browser.shows("Remove “Walk”", in: "ask-question")
            try browser.click("#ask-yes")
            for laptop in world.laptops { try laptop.lists("Walk", false) }
            try browser.type("/\(Browser.Key.escape)")
            try browser.until("the page has only the other entry") {
                let days = try browser.shown("days")
                return days.contains("Letters") && !days.contains("Walk")
            }
        }

        /// The same on laptops: one adds the entries, the other changes them.
        private func changeHistory(by world: World, _ browser: Browser) throws {
            let (desk, home) = (world.laptops[0], world.laptops[1])
            for (label, start) in [("Errands", "9:00"), ("Sorting", "10:00")] {
                try desk.press("log", "add", label, "--from", "2025-11-21 \(start)", "--for", "30m")
                try browser.shows(label, in: "days")
                try home.lists(label)
            }
            try home.press("log", "label", try home.entry("Sorting"), "Tidying up")
            try browser.shows("Tidying up", in: "days")
            try desk.lists("Tidying up")
            try home.press("log", "remove", try home.entry("Errands"))
            try browser.until("the entry is gone") { try !browser.shown("days").contains("Errands") }
            try desk.lists("Errands", false)
        }

        /// Compares the page's state with `focus status --json`, except for members about the device itself.
        private func compareStatus(_ browser: Browser, _ laptop: Laptop) throws {
            let own: Set = ["now", "device", "sync", "online", "lastPress", "idle"]
            guard case .object(let members) = try JSON(parsing: laptop.statusText().utf8.dropLast()) else {
                throw Unmet("'focus status --json' prints no object")
            }
            let shared = members.filter { !own.contains($0.name) }
            #expect(shared.count > 15)
            var others: [String] = []
            try eventually("the page shows the same as the laptop, except for \(others)") {
                let page = try JSON(parsing: browser.shownState().utf8)
                others = shared.filter { page[$0.name] != $0.value }.map(\.name)
                return others.isEmpty
            }
        }
    }
}

extension Browser {
    /// The id of the element with the focus.
    fileprivate var focus: String { get throws { try text("return document.activeElement.id") } }

    /// The last state that the device has given the page, as JSON.
    fileprivate func shownState() throws -> String {
        try text(
            """
            const { lastState } = await import(`${location.origin}/storage.js`);
            return (await lastState())?.json ?? "";
            """)
    }

    /// The same in parts; nil if there is none.
    fileprivate func shownStatus() throws -> Status? {
        let state = try shownState()
        return try state.isEmpty ? nil : JSONDecoder().decode(Status.self, from: Data(state.utf8))
    }
}

extension Laptop {
    /// Waits until the laptop's status is as `holds` says.
    fileprivate func until(_ what: String, _ holds: (Status) -> Bool) throws {
        try eventually("\(name) shows \(what)") { try holds(status()) }
    }

    /// Waits until an entry with this label is in the laptop's history, or none is.
    fileprivate func lists(_ label: String, _ isListed: Bool = true) throws {
        try eventually("\(isListed ? "an" : "no") entry \(label) on \(name)") {
            try press("log").contains(label) == isListed
        }
    }

    /// The word that names the entry with this label.
    fileprivate func entry(_ label: String) throws -> String {
        let log = try JSONDecoder().decode(Log.self, from: Data(press("log", "--json").utf8))
        guard let record = log.history.first(where: { $0.label == label }) else {
            throw Unmet("there is no entry \(label)")
        }
        return record.entry
    }
}

private struct Log: Decodable {
    struct Record: Decodable {
        let label: String
        let entry: String
    }

    let history: [Record]
}
