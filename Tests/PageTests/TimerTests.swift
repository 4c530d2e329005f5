import IntegrationSupport
import Testing

extension PageTests {
    @Suite("The timer's screen")
    struct TimerTests {
        @Test("a phase that runs out goes over to the break by itself, is spoken once, and counts today")
        func runningOut() throws {
            try PageTests.alone { laptop, browser in
                try laptop.press("set", "workLength=6001s")
                try browser.shows("1:40:01", in: "clock")
                try laptop.press("set", "workLength=3s", "dailyGoal=4")
                try browser.shows("00:03", in: "clock")
                try browser.run(
                    """
                    window.spoken = [];
                    for (const region of document.querySelectorAll("[aria-live=polite], [role=status], [role=alert]")) {
                      new MutationObserver(() => window.spoken.push(region.textContent))
                        .observe(region, { childList: true, characterData: true, subtree: true });
                    }
                    window.offsets = [];
                    const ring = document.getElementById("ring");
                    new MutationObserver(() => window.offsets.push(Number(ring.getAttribute("stroke-dashoffset"))))
                      .observe(ring, { attributes: true });
                    // Sound without a loudspeaker.
                    window.tones = 0;
                    window.AudioContext = class { state = "running"; currentTime = 0; destination = {}; };
                    window.GainNode = class {
                      gain = { setValueAtTime() {}, exponentialRampToValueAtTime() {} };
                      connect() {}
                    };
                    window.OscillatorNode = class {
                      constructor() { window.tones += 1; }
                      connect(node) { return node; }
                      start() {}
                      stop() {}
                    };
                    """)
                try browser.type(" ")
                try browser.shows("Break", in: "status")
                #expect(try browser.title.contains("Break"))
                try browser.shows("1 of 4 work phases", in: "today")
                try browser.until("two phases are spoken, and no second is") {
                    let heard = try browser.run("return window.spoken") as? [String] ?? []
                    let spoken = heard.filter { !$0.isEmpty }
                    return spoken.count == 2 && spoken[0].hasPrefix("Work, ")
                        && spoken[1] == "Break, 5 minutes left"
                }
                #expect(
                    try browser.text("return String(Math.max(...window.offsets) > 300)") == "true",
                    "the ring has run down")
                try browser.until("the bell rings: two strokes of three partials") {
                    try browser.text("return String(window.tones)") == "6"
                }
                try laptop.press("set", "sound=off")
                try browser.until("the setting has arrived") {
                    try browser.text("return String(document.getElementById('setting-sound').checked)")
                        == "false"
                }
                try laptop.press("stop")
                try browser.shows("Start", in: "main-button")
                try waitUntilPressesAreAccepted()
                try browser.type(" ")
                try browser.shows("Pause", in: "main-button")
                try browser.shows("Break", in: "status")
                #expect(try browser.text("return String(window.tones)") == "6")
            }
        }

        @Test("a question about time away is answered by a key, and goes")
        func away() throws {
            try PageTests.alone { laptop, browser in
                try laptop.press("start", "--ago", "20m")
                try browser.shows("Pause", in: "main-button")
                try browser.type("t")
                try laptop.press("idle", "begin", "--ago", "10m")
                try laptop.press("idle", "end")
                try browser.shows("Nobody was here from", in: "away-text")
                let said = "return document.getElementById('announcement').textContent"
                #expect(try browser.text(said).hasPrefix("Nobody was here from"))
                try browser.type("2")
                try browser.shows("asks about time away", in: "small-clock")
                try browser.type("1")
                try browser.shows("Nobody was here from", in: "away-text")
                try browser.type("t")
                try browser.until("the question is gone") {
                    try browser.text("return String(document.getElementById('away').hidden)") == "true"
                }
                #expect(try laptop.status().remainingMs > 14 * 60_000)
            }
        }

        @Test("a start with a wrong length marks the field, and work that is planned says how long it takes")
        func planning() throws {
            try PageTests.alone { _, browser in
                let field = "document.getElementById('start-length')"
                let soon = try browser.text("return String(Date.now() + 2 * 3_600_000)")
                try browser.run("\(field).value = 'abc'")
                try browser.click("#main-button")
                try browser.shows("A duration is written", in: "problem")
                #expect(try browser.text("return String(\(field).ariaInvalid)") == "true")
                try browser.run(
                    """
                    \(field).value = "50m";
                    \(field).dispatchEvent(new Event("input", { bubbles: true }));
                    document.getElementById("start-at").value =
                      new Date(\(soon)).toTimeString().slice(0, 5);
                    """)
                #expect(
                    try browser.text("return String(\(field).ariaInvalid)") == "null", "it was changed")
                try browser.click("#main-button")
                try browser.shows(" for 50m", in: "ends")
                #expect(try browser.shown("status") == "Work starts in")
                #expect(try browser.title.hasPrefix("Work starts in "))
                let more = "document.getElementById('more')"
                #expect(try browser.text("return \(more).ariaLabel") == "+1 min, longer work")
                #expect(
                    try browser.text("return \(more).title")
                        == "The work takes a minute more. It begins at the same time")
                let clock = try browser.text("return new Date(\(soon)).toTimeString().slice(0, 5)")
                #expect(try browser.shown("ends") == "at \(clock) for 50m", "as other front ends say it")
                #expect(try browser.text("return String(\(field).ariaInvalid)") == "null")
                #expect(try browser.shown("problem") == "")
                try browser.click("#break")
                try browser.shows("is given up. “Undo” brings it back.", in: "said")
                try waitUntilPressesAreAccepted()
                try browser.click("#more")
                try browser.until("the next press closes the message") { try browser.shown("said") == "" }
            }
        }

        @Test("a stop as of a while ago asks how long, keeps what it can't read, and asks if it is cut short")
        func stoppingEarlier() throws {
            try PageTests.alone { laptop, browser in
                try laptop.press("start", "--ago", "20m")
                try browser.shows("Pause", in: "main-button")
                try waitUntilPressesAreAccepted()
                try browser.type("X")
                try browser.shows("How long ago it ended", in: "text-dialog")
                #expect(try browser.shown("text-yes") == "Stop")
                try browser.type("soon\(Browser.Key.enter)")
                try browser.shows("A duration is written 25m", in: "text-problem")
                try browser.run("document.getElementById('text-field').select()")
                try browser.type("3h")
                try browser.until("it isn't known to be wrong any more") {
                    try browser.shown("text-problem") == ""
                }
                try browser.type(Browser.Key.enter)
                try browser.shows("It would count from 20m ago", in: "ask-question")
                try browser.type(Browser.Key.escape)
                try browser.until("nothing is asked") {
                    try browser.shown("ask-dialog") == "" && browser.shown("text-dialog") == ""
                }
                #expect(try laptop.status().status == "running")
                try browser.run(
                    """
                    const event = new MouseEvent("contextmenu", { bubbles: true, cancelable: true });
                    document.getElementById("stop").dispatchEvent(event);
                    """)
                try browser.shows("How long ago it ended", in: "text-dialog")
                try browser.type("5m\(Browser.Key.enter)")
                try browser.shows("Start", in: "main-button")
                #expect(try laptop.press("log").contains("15m"))
            }
        }

        @Test("in ever so many tabs it works: one that is seen, and one of those behind, follow the agent")
        func manyTabs() throws {
            try PageTests.alone { laptop, browser in
                let address = try browser.text("return location.origin + '/'")
                for _ in 1...6 {
                    try browser.openTab()
                    try browser.open(address)
                    try browser.shows("Start", in: "main-button")
                }
                try browser.click("#main-button")
                try browser.shows("Pause", in: "main-button")
                try browser.until("the tab in front and one behind show the time") {
                    try browser.titles().filter { $0.contains(":") }.count == 2
                }
                #expect(try browser.titles().count == 7)
                try browser.closeTab()
                try browser.shows("Pause", in: "main-button")
                // The press was made in another tab.
                try waitUntilPressesAreAccepted()
                try browser.click("#main-button")
                try browser.shows("Resume", in: "main-button")
            }
        }

        @Test("an undo that would add to the history asks first, and what can't be done is said")
        func asking() throws {
            try World.with { world in
                let laptop = world.laptop("desk")
                try laptop.recordOldSession()
                try laptop.startAgent(until: .answering)
                let browser = try laptop.browser()
                let isDisabled = "return document.getElementById('redo').disabled"
                #expect(try browser.run(isDisabled) as? Bool == true)
                try browser.type("U")
                try browser.shows("There is no undo to take back", in: "problem")
                try browser.type(Browser.Key.escape)
                #expect(try browser.shown("problem") == "")
                try browser.type("u")
                try browser.shows("adds", in: "ask-question")
                try browser.type(Browser.Key.escape)
                try browser.until("the question is gone, and the focus isn't") {
                    try browser.shown("ask-question").isEmpty && browser.focus == "main"
                }
                #expect(try laptop.status().status == "stopped")
                try browser.type("u")
                try browser.shows("adds", in: "ask-question")
                try browser.click("#ask-yes")
                try browser.shows("Took back the stop", in: "said")
                #expect(try laptop.status().status == "running")
                try browser.end()
            }
        }
    }
}
