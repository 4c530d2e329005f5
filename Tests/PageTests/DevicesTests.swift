import IntegrationSupport
import Testing

extension PageTests {
    @Suite("Who is in, and who is out")
    struct DevicesTests {
        @Test(
            "a page shows who waits, who is new, who was shut out by whom and what nobody named, and decides about each"
        )
        func deciding() throws {
            try World.with(["desk", "home", "lost"]) { world in
                let browser = try world.laptops[0].browser()
                try browser.type("5")
                let sleeper = try world.sleeper("sleeper")
                let hidden = try world.sleeper("hidden")
                try world.laptops[0].press("sync")
                try browser.reload()
                try browser.shows("only listed by the server", in: "device-list")
                #expect(
                    try browser.shown("unnamed-hint").contains("A laptop that was shut out may have added it")
                )

                // Keys that no laptop has named stay, as the person chooses.
                try browser.act("Shut out", on: "lost")
                try browser.until("it asks about the others too") {
                    try browser.shown("ask-choice").contains("which only the server lists")
                }
                try browser.pictures("devices-asking")
                try browser.click("#ask-choice-on")
                try browser.click("#ask-yes")
                try browser.shows("lost is shut out: the server refuses it", in: "said")
                try browser.shows("shut out by this laptop just now", in: "device-list")
                #expect(try browser.row("lost").contains("Take back"))
                let outside = try world.laptops[2].browser()
                try outside.type("5")
                try outside.shows("“Leave the group” on Devices", in: "troubles")
                try outside.until("only leaving is left") {
                    try outside.shown("rename-form") == "" && outside.shown("invite-card") == ""
                }
                #expect(try outside.shown("leave-card") != "")
                #expect(try outside.accessibilityFindings() == [], "shut out")
                try outside.end()

                try sleeper.press("sync")
                try browser.shows("waiting to be accepted", in: "troubles")
                try browser.until("the row says so") {
                    try browser.row("sleeper").contains("waiting to be accepted")
                }
                #expect(try browser.shown("late-hint").contains("Accept it if you know whose it is"))
                try browser.pictures("devices-waiting")
                try browser.act("Accept", on: "sleeper")
                try browser.until("it asks whether it may read on") {
                    try browser.shown("ask-question").hasPrefix("Let sleeper (")
                }
                try browser.click("#ask-yes")
                try browser.shows("sleeper is accepted", in: "said")
                try browser.until("it is new") {
                    try browser.row("sleeper").contains("new, got the group’s key just now")
                }
                #expect(try browser.shown("troubles") == "")

                // This time they are revoked too.
                try browser.act("Shut out", on: "home")
                try browser.shows("which only the server lists", in: "ask-choice")
                try browser.click("#ask-yes")
                // The device that was accepted came later and may stay.
                try browser.until("it asks about who may have come in by it") {
                    try browser.shown("ask-question").hasPrefix("sleeper came after home")
                }
                // Cancel does nothing.
                try browser.type(Browser.Key.escape)
                try browser.until("the question is gone") { try browser.shown("ask-question").isEmpty }
                #expect(try !browser.row("home").contains("shut out by"))
                try browser.act("Shut out", on: "home")
                try browser.shows("which only the server lists", in: "ask-choice")
                // It asks again before the browser tells that the question has closed.
                try browser.act(
                    "Shut out", on: "home", after: "document.getElementById('ask-dialog').close();")
                try browser.click("#ask-yes")
                try browser.shows("Only the 2 chosen", in: "ask-other")
                try browser.click("#ask-other")
                try browser.shows("are shut out: the server refuses them", in: "said")
                #expect(try browser.shown("unnamed-hint") == "")
                #expect(try hidden.run("sync").status == 5)

                try browser.act("Take back", on: "lost")
                try browser.until("it is taken back") {
                    try browser.row("lost").contains("readmitted, not accepted yet")
                }
                let key = try #require(try sleeper.devices().first { $0.this }?.key)
                try world.server.runSuccessfully(["devices", "revoke", String(key.prefix(12))])
                try browser.until("the server's deed is named") {
                    try browser.reload()
                    return try browser.row("sleeper").contains("shut out by the server")
                }
                try browser.pictures("devices-decided")
                #expect(try browser.log() == [])
                try browser.end()
            }
        }

        @Test("the key that shares says in a group with a server elsewhere that it has one")
        func sharingInGroup() throws {
            try World.with(["desk"]) { world in
                let browser = try world.laptops[0].browser()
                try browser.type("5")
                try browser.shows("this laptop", in: "device-list")
                try browser.type("S")
                try browser.shows("“Make an invite” lets another laptop in there.", in: "problem")
                try browser.end()
            }
        }

        @Test("a laptop that has the server says how to end that")
        func endOfSharing() throws {
            try World.with(["desk"]) { world in
                let browser = try world.laptops[0].browser()
                try browser.type("5")
                try browser.shows("this laptop", in: "device-list")
                try browser.run(
                    """
                    const fetch = window.fetch;
                    window.fetch = async (path, options) => {
                      const answer = await fetch(path, options);
                      if (path !== "/devices.json") return answer;
                      const list = await answer.json();
                      list.devices[0].server = "reachable";
                      return Response.json(list);
                    };
                    """)
                try world.laptops[0].press("start")
                try browser.shows("the server until “focus share --stop” in a terminal", in: "device-list")
                try browser.end()
            }
        }

        @Test("an answer about the devices that comes late doesn't replace a newer one")
        func lateAnswer() throws {
            try World.with(["desk", "home"]) { world in
                let browser = try world.laptops[0].browser()
                try browser.type("5")
                try browser.until("home is in") { try browser.row("home").contains("Shut out") }
                try browser.run(
                    """
                    const fetch = window.fetch;
                    const gate = new Promise((open) => { window.letGo = open; });
                    window.lists = [];
                    window.fetch = async (path, options) => {
                      if (path !== "/devices.json") return fetch(path, options);
                      const list = document.getElementById("device-list").textContent;
                      const isFirst = window.lists.push(list) === 1;
                      const answer = await fetch(path, options);
                      if (isFirst) {
                        window.isHeld = true;
                        await gate;
                      }
                      return answer;
                    };
                    """)
                try world.laptops[0].press("start")
                try browser.until("an answer is held back") {
                    try browser.text("return String(window.isHeld)") == "true"
                }
                try browser.act("Shut out", on: "home")
                try browser.shows("Shut home out", in: "ask-question")
                try browser.click("#ask-yes")
                try browser.until("home is shut out") { try browser.row("home").contains("Take back") }
                try browser.run("window.letGo()")
                // The screen reads again because of the new state.
                try browser.until("it is read again") {
                    try browser.text("return String(window.lists.length > 2)") == "true"
                }
                let stays = "return String(window.lists.slice(2).every((list) => list.includes('Take back')))"
                #expect(try browser.text(stays) == "true")
                try browser.end()
            }
        }
    }
}

extension Browser {
    /// The text of a device's row with its buttons; empty if there is no row.
    fileprivate func row(_ name: String) throws -> String {
        try text(
            """
            const rows = [...document.querySelectorAll("#device-list .row")];
            return rows.find((row) => row.querySelector(".name").textContent === arguments[0])?.textContent ?? "";
            """, name)
    }

    /// Presses a button in a device's row.
    fileprivate func act(_ action: String, on name: String, after script: String = "") throws {
        try until("\(action) on \(name)") { try self.row(name).contains(action) }
        try run(
            script
                + """
                const rows = [...document.querySelectorAll("#device-list .row")];
                rows.find((row) => row.querySelector(".name").textContent === arguments[0])
                  .querySelector(`[data-action="${arguments[1]}"]`).click();
                """, name, action)
    }

    /// Saves screenshots for people to look at: light and dark, wide and on a phone. Checks the page, too.
    func pictures(_ what: String) throws {
        for scheme in ["light", "dark"] {
            try prefer(["prefers-color-scheme": scheme, "prefers-reduced-motion": "reduce"])
            for (width, name) in [(1100, ""), (360, "-phone")] {
                try resize(width: width, height: 900)
                let isWithin =
                    "return String(document.documentElement.scrollWidth <= document.documentElement.clientWidth)"
                #expect(try text(isWithin) == "true", "\(what) is wider than \(width)")
                try screenshot("\(what)-\(scheme)\(name)")
            }
            #expect(try faintTexts() == [], "on \(what), \(scheme)")
        }
        #expect(try accessibilityFindings() == [], "\(what)")
    }
}
