import IntegrationSupport
import Testing

extension PageTests {
    @Suite("Joining and leaving on the page")
    struct JoiningTests {
        @Test(
            "a laptop joins by an invite that is pasted, is asked what comes along, invites the next one, and leaves"
        )
        func membership() throws {
            try World.with(["home"]) { world in
                let home = world.laptops[0]
                let desk = world.laptop("desk")
                try desk.press("log", "add", "Alone", "--for", "30m")
                try desk.press("devices", "rename", "home")
                try desk.startAgent(until: .answering)
                let browser = try desk.browser()
                try browser.type("5")
                try browser.shows("Paste an invite", in: "join-form")
                #expect(try browser.shown("invite-card") == "" && browser.shown("leave-card") == "")
                try browser.pictures("joining")

                let invite = try home.invite()
                try browser.type("J")
                #expect(try browser.focus == "join-invite")
                try browser.type("\(invite.prefix(60))\(Browser.Key.enter)")
                try browser.shows("mistyped or cut short", in: "problem")
                #expect(try browser.value("join-invite") == String(invite.prefix(60)), "it can be mended")

                // The invite as copied from a display with two lines.
                try browser.enter("\(invite.prefix(60))\n  \(invite.dropFirst(60))\n")
                try browser.click("#join")
                try browser.shows("Recorded here without a group: 30m of focus time", in: "ask-question")
                #expect(
                    try browser.text("return String(document.getElementById('ask-choice-on').checked)")
                        == "false",
                    "what was recorded alone stays here unless somebody says otherwise")
                #expect(try desk.status().group == nil)
                try browser.pictures("joining-asking")
                try browser.click("#ask-yes")
                try browser.shows(
                    "This laptop is in the group now, as home, with home (", in: "outcome")
                try browser.shows("Another laptop of the group is called home too.", in: "outcome")
                try browser.shows("What was recorded here without a group was left behind", in: "outcome")
                try browser.shows("online", in: "device-list")
                #expect(try browser.shown("join-form") == "")
                #expect(try browser.value("join-invite") == "")
                try browser.until("the name can be typed anew") { try browser.focus == "rename" }
                try browser.pictures("joined")
                try browser.type("desk\(Browser.Key.enter)")
                try eventually("home knows its name") { try home.devices().contains { $0.name == "desk" } }
                #expect(try !world.agree().contains { $0.contains("\"label\":\"Alone\"") })
                #expect(try browser.hidesInvites())

                // The second invite is made before the devices were read for the first.
                try browser.run(
                    """
                    const fetch = window.fetch;
                    const gate = new Promise((open) => { window.letGo = open; });
                    window.reads = 0;
                    window.fetch = async (path, options) => {
                      if (path !== "/devices.json") return fetch(path, options);
                      window.reads += 1;
                      await gate;
                      const answer = await fetch(path, options);
                      setTimeout(() => { window.reads -= 1; }, 100);
                      return answer;
                    };
                    """)
                try browser.click("#invite")
                try browser.shows("It ends at ", in: "invite-shown")
                try browser.pictures("inviting")
                let (earlier, other) = (try browser.value("invite-text"), world.laptop("other"))
                try browser.click("#invite")
                try browser.until("there is another invite") {
                    try !["", earlier].contains(browser.value("invite-text"))
                }
                try browser.run("window.letGo()")
                try browser.until("the devices are read") {
                    try browser.text("return String(window.reads)") == "0"
                }
                try other.join(earlier)
                try browser.shows("other is in the group now.", in: "said")
                #expect(try browser.shown("outcome") == "")
                #expect(try browser.shown("invite-shown") != "", "the shown one is still open")
                try world.laptop("late").join(try browser.value("invite-text"))
                try browser.shows("late is in the group now.", in: "said")
                try browser.until("the invite was used, and is gone") {
                    try browser.value("invite-text") == "" && browser.shown("invite-shown") == ""
                }
                try browser.reload()
                try browser.shows("late", in: "device-list")
                #expect(try browser.value("invite-text") == "" && browser.hidesInvites())

                try browser.type("p")
                try browser.shows("Leave the group?", in: "ask-question")
                try browser.pictures("leaving")
                try browser.type("\(Browser.Key.escape)")
                try browser.until("nothing is asked") { try browser.shown("ask-dialog") == "" }
                #expect(try desk.status().group != nil)
                try browser.click("#leave")
                try browser.shows("Leave the group?", in: "ask-question")
                try browser.click("#ask-yes")
                try browser.shows(
                    "This laptop has left the group and starts over, in no group.", in: "outcome")
                try browser.shows("FOCUS_HOME=", in: "outcome")
                try browser.shows("Paste an invite", in: "join-form")
                try browser.pictures("left")
                #expect(try desk.status().group == nil)
                #expect(
                    try browser.log().allSatisfy {
                        $0.contains("status of 409") || $0.contains("status of 503")
                    })
                try browser.end()
            }
        }

        @Test("a server that says nothing holds nothing up, and joining can be given up and tried again")
        func givingUp() throws {
            try World.with { world in
                try world.server.start()
                let invite = try world.server.invite()
                try world.server.stop()
                let deaf = try world.server.silentSocket()
                let desk = world.laptop("desk")
                try desk.startAgent(until: .answering)
                let browser = try desk.browser()
                try browser.type("5J\(invite)\(Browser.Key.enter)")
                try browser.shows("Asking the server to let this laptop in", in: "join-underway")
                try browser.pictures("joining-underway")
                try browser.click(".screens a[href='#timer']")
                try browser.click("#main-button")
                try browser.shows("Pause", in: "main-button")
                try browser.type("5")
                try browser.openTab()
                try browser.open(try desk.pageLink())
                try browser.shows("Asking the server to let this laptop in", in: "join-underway")
                #expect(try browser.value("join-invite") == "")
                try browser.closeTab()
                // A second press continues the same join attempt.
                try browser.click("#join")
                #expect(try browser.shown("problem") == "")
                try browser.click("#give-up")
                try browser.shows("Given up before the server had answered.", in: "problem")
                try browser.shows("This laptop hasn't joined.", in: "problem")
                #expect(try browser.shown("give-up") == "" && browser.shown("join-underway") == "")
                #expect(try browser.focus == "join-invite")
                #expect(try desk.status().group == nil)
                #expect(try browser.hidesInvites())

                _ = consume deaf
                try world.server.start()
                #expect(try browser.value("join-invite") == invite)
                try browser.click("#join")
                try browser.shows("This laptop is in the group now", in: "outcome")
                try browser.shows("with no other laptop yet", in: "outcome")
                #expect(try desk.status().status == "running", "who brings a group brings all of it")
                try browser.end()
            }
        }
    }
}

extension Browser {
    /// Enters a text in the field for invites, as pasting does.
    fileprivate func enter(_ text: String) throws {
        try run(
            """
            const field = document.getElementById("join-invite");
            field.focus();
            field.select();
            document.execCommand("insertText", false, arguments[0]);
            """, text)
    }

    /// Whether the page's address and its storage contain no invite.
    fileprivate func hidesInvites() throws -> Bool {
        let kept =
            "return JSON.stringify([location.href, document.cookie, {...localStorage}, {...sessionStorage}, history.state])"
        return try !text(kept).contains("lockstep1")
    }
}
