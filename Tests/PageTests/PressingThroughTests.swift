import IntegrationSupport
import Testing

extension PageTests {
    @Suite("A press as the timer changes")
    struct PressingThroughTests {
        @Test(
            "keys pressed at once one after the other are all carried out, each on what the one before led to"
        )
        func own() throws {
            try PageTests.alone { laptop, browser in
                // All in one turn, before any answer or state can arrive.
                let press = """
                    for (const key of arguments[0]) {
                      document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
                    }
                    """
                try browser.run(press, "   ")
                try browser.until("it was started, paused and resumed") {
                    try laptop.status().status == "running" && laptop.status().events == 5
                }
                try browser.shows("Pause", in: "main-button")
                try browser.run(press, "ssusu ")
                try browser.until("it was skipped twice, of which one was undone, and again, and paused") {
                    try laptop.status().status == "paused"
                }
                #expect(try laptop.status().ordinal == 1)
                #expect(try browser.shown("problem") == "")
            }
        }

        @Test("a double click on a button presses it once, and on a minute more twice")
        func doubleClicks() throws {
            try PageTests.alone { laptop, browser in
                let doubleClick = """
                    for (const detail of [1, 2]) {
                      document.getElementById(arguments[0]).dispatchEvent(new MouseEvent("click", { detail }));
                    }
                    """
                try browser.run(doubleClick, "main-button")
                try browser.shows("Pause", in: "main-button")
                // Presses arrive in order, so a pause would be there before these minutes.
                try browser.run(doubleClick, "more")
                try browser.shows("+2m", in: "added")
                #expect(try laptop.status().status == "running")
                try browser.run(doubleClick, "skip")
                try browser.shows("Break", in: "status")
                try browser.run(doubleClick, "more")
                try browser.shows("+2m", in: "added")
                #expect(try laptop.status().ordinal == 1)
                #expect(try browser.shown("problem") == "")
            }
        }

        @Test("a double click on an answer, or on Undo in a message, presses it once")
        func doubleClicksOnAnswers() throws {
            try PageTests.alone { laptop, browser in
                try laptop.press("log", "add", "Read", "--from", "2025-11-20 9:30", "--for", "1h")
                try laptop.press("start", "--ago", "20m")
                try browser.shows("Pause", in: "main-button")
                try laptop.press("idle", "begin", "--ago", "10m")
                try laptop.press("idle", "end")
                try browser.shows("Nobody was here from", in: "away-text")
                try waitUntilPressesAreAccepted()
                try browser.run(
                    """
                    window.presses = 0;
                    const fetch = window.fetch;
                    window.fetch = (path, options) => {
                      if (path.startsWith("/press")) window.presses += 1;
                      return fetch(path, options);
                    };
                    """)
                let doubleClick = """
                    const button = document.querySelector(arguments[0]);
                    for (const detail of [1, 2]) button.dispatchEvent(new MouseEvent("click", { detail }));
                    """
                try browser.run(doubleClick, "[data-answer=keep]")
                // Presses arrive in order, so a second answer would be there before this minute.
                try browser.click("#more")
                try browser.shows("+1m", in: "added")
                #expect(try browser.text("return String(window.presses)") == "2")
                try browser.type("2")
                try browser.shows("Read", in: "days")
                try browser.type("d")
                try browser.shows("None was selected", in: "said")
                try browser.type("d")
                try browser.shows("Remove “Read”", in: "ask-question")
                try browser.click("#ask-yes")
                try browser.shows("Removed from the history.", in: "said")
                try browser.run(doubleClick, "#said button")
                try browser.shows("Read", in: "days")
                try browser.type("1")
                try browser.click("#more")
                try browser.shows("+2m", in: "added")
                #expect(try browser.text("return String(window.presses)") == "5")
            }
        }

        @Test("the refusal of a line that was given up isn't shown under the next question")
        func lateAnswer() throws {
            try PageTests.alone { _, browser in
                try browser.run(
                    """
                    const fetch = window.fetch;
                    const gate = new Promise((open) => { window.letGo = open; });
                    window.answers = 0;
                    window.fetch = async (path, options) => {
                      if (!path.startsWith("/press")) return fetch(path, options);
                      await gate;
                      const answer = await fetch(path, options);
                      setTimeout(() => { window.answers += 1; }, 100);
                      return answer;
                    };
                    """)
                try browser.type("X")
                try browser.shows("How long ago it ended", in: "text-dialog")
                try browser.type("soon\(Browser.Key.enter)\(Browser.Key.escape)")
                try browser.until("nothing is asked") { try browser.shown("text-dialog") == "" }
                try browser.type("X")
                try browser.shows("How long ago it ended", in: "text-dialog")
                try browser.run("window.letGo()")
                try browser.until("it is answered") {
                    try browser.text("return String(window.answers)") == "1"
                }
                #expect(try browser.shown("text-dialog") != "" && browser.shown("text-problem") == "")
            }
        }

        @Test("what was pressed before another's press was shown is said, and does nothing")
        func notThrough() throws {
            try PageTests.alone { laptop, browser in
                try browser.type(" ")
                try browser.shows("Pause", in: "main-button")
                // The person is about to press when the pause arrives.
                try browser.run(
                    """
                    const fetch = window.fetch;
                    const gate = new Promise((open) => { window.letGo = open; });
                    window.fetch = async (path, options) => {
                      if (path.startsWith("/press")) await gate;
                      return fetch(path, options);
                    };
                    """)
                try browser.type(" ")
                try laptop.press("pause")
                try browser.shows("Work paused", in: "status")
                try browser.run("window.letGo()")
                try browser.shows("The timer changed just now: work is paused.", in: "problem")
                #expect(try laptop.status().status == "paused")
                // It goes when it isn't so any more.
                try laptop.press("resume")
                try browser.until("the refusal is gone") { try browser.shown("problem") == "" }
                try laptop.press("pause")
                try browser.shows("Work paused", in: "status")
                try waitUntilPressesAreAccepted()
                try browser.type(" ")
                try browser.shows("Pause", in: "main-button")
                #expect(try browser.shown("problem") == "")
            }
        }
    }
}
