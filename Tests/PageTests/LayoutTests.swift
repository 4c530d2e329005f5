import Foundation
import IntegrationSupport
import Testing

extension PageTests {
    @Suite("Where things are on the page")
    struct LayoutTests {
        @Test("the year shows today on a phone too, and says what its colours mean")
        func year() throws {
            try PageTests.alone { laptop, browser in
                // A fixed time of day, so that the entry is on one day at any time of the test.
                let yesterday = Date.now.addingTimeInterval(-86_400).formatted(.iso8601.year().month().day())
                try laptop.press("log", "add", "Read", "--from", "\(yesterday) 12:00", "--for", "25m")
                try browser.resize(width: 360, height: 740)
                try browser.type("3ll")
                try browser.shows("Up to today", in: "chart")
                try browser.shows("Each square is a day", in: "chart-hint")
                try browser.shows("up to 25m a day", in: "chart")
                let today = "[...document.querySelectorAll('.heatmap rect')].at(-1).getBoundingClientRect()"
                #expect(try browser.isTrue("\(today).right <= innerWidth && \(today).left >= 0"))
                let map = "document.querySelector('.heatmap')"
                #expect(
                    try browser.isTrue(
                        "\(map).querySelector('svg').getBoundingClientRect().bottom + 8 <= "
                            + "\(map).getBoundingClientRect().top + \(map).clientHeight"))
                // The third card has a row of its own and fills it.
                let cards = "[...document.querySelectorAll('.figures > div')].map((card) => card.offsetWidth)"
                #expect(try browser.isTrue("\(cards).length === 3 && \(cards)[2] > \(cards)[0] * 1.5"))
                try browser.type("h")
                try browser.shows("Bars are focus time", in: "chart-hint")
            }
        }

        @Test("today's phases are on a line, named with their times, and fit on a phone")
        func dayLine() throws {
            try PageTests.alone { laptop, browser in
                try laptop.press("start", "Read")
                let item = "return document.querySelector('#day-parts li .unseen')?.textContent ?? ''"
                try browser.until("the phase is on the line") {
                    try browser.text(item).contains(" Read, work: now, until ")
                }
                #expect(try browser.isTrue("document.querySelectorAll('.day-part[data-ahead]').length === 1"))
                #expect(try browser.isTrue("document.querySelectorAll('.day-hour').length >= 9"))
                try browser.resize(width: 360, height: 740)
                #expect(try browser.isTrue("document.documentElement.scrollWidth <= innerWidth"))
                try browser.resize(width: 1920, height: 1080)
                #expect(try browser.isTrue("document.querySelector('.day-label').textContent === 'Read'"))
                #expect(try browser.isTrue("document.documentElement.scrollWidth <= innerWidth"))
                // Work that is waiting is there only from its beginning on, if that is today.
                let later = Date.now.addingTimeInterval(3600).formatted(.iso8601)
                try laptop.press("stop")
                try laptop.press("start", "--at", later)
                try browser.shows("Work starts", in: "status")
                #expect(
                    try browser.isTrue(
                        "[...document.querySelectorAll('.day-part[data-ahead]')].every((part) => "
                            + "part.parentElement.textContent.endsWith(' work, waiting'))"))
                #expect(try browser.log() == [])
            }
        }

        @Test(
            "the theme and the colour of work change at once, and are there from the start of the next page")
        func appearance() throws {
            try PageTests.alone { laptop, browser in
                try laptop.press("set", "theme=dark", "accent=violet")
                let root = "document.documentElement"
                try browser.until("the page is dark and violet") {
                    try browser.isTrue(
                        "\(root).dataset.background === 'dark' && \(root).dataset.accent === 'violet'")
                }
                #expect(try browser.isTrue("getComputedStyle(\(root)).backgroundColor === 'rgb(22, 20, 25)'"))
                try browser.type("4")
                try browser.run(
                    """
                    const field = document.getElementById("setting-theme");
                    field.value = "light";
                    field.dispatchEvent(new Event("change"));
                    """)
                try browser.until("the page is light") {
                    try browser.isTrue("\(root).dataset.background === 'light'")
                }
                #expect(
                    try browser.isTrue("getComputedStyle(\(root)).backgroundColor === 'rgb(250, 248, 246)'"))
            }
        }

        @Test("a screen that a key goes to has no ring around it, and stopped is said")
        func screens() throws {
            try PageTests.alone { _, browser in
                try browser.shows("Work, stopped", in: "status")
                try browser.type("2j3")
                #expect(try browser.shown("small-clock") == "Stopped")
                try browser.type("\(Browser.Key.tab)4")
                let ring = "getComputedStyle(document.getElementById('main')).outlineStyle === 'none'"
                try browser.run("document.getElementById('main').focus({ focusVisible: true })")
                #expect(try browser.isTrue(ring))
            }
        }

        @Test("the timer's screen fits into a low window and a phone, and a finger finds each small button")
        func low() throws {
            try PageTests.alone { laptop, browser in
                try laptop.press("log", "add", "Read", "--for", "25m")
                try laptop.press("start")
                try browser.shows("Pause", in: "main-button")
                try browser.shows("of focus time", in: "today")
                try browser.run("document.getElementById('pressed').textContent = 'Skipped by vm, just now'")
                try browser.resize(width: 1280, height: 800)
                #expect(try browser.isWithinWindow("pressed"))
                try browser.resize(width: 360, height: 740)
                #expect(try browser.isWithinWindow("day-hours"))
                #expect(try browser.narrowestGap("#timer-screen .presses.small > button") > 7.5)
                try browser.type("2")
                try browser.shows("Read", in: "days")
                #expect(try browser.narrowestGap("#days .actions > button") > 7.5)
            }
        }

        @Test("a message covers no control and not the line about sharing, at any width, long ones too")
        func messages() throws {
            try PageTests.alone { _, browser in
                let sizes = [
                    (320, 740), (360, 740), (768, 700), (900, 800), (1100, 900), (1400, 900), (1920, 1080),
                ]
                for (width, height) in sizes {
                    try browser.resize(width: width, height: height)
                    for (index, screen) in PageTests.screens.enumerated() {
                        try browser.type("\(index + 1)U")
                        try browser.shows("There is no undo to take back", in: "problem")
                        let sharing = "document.getElementById('sharing').textContent"
                        for names in ["home", "home, the laptop in the kitchen and 3 more"] {
                            try browser.run("\(sharing) = arguments[0]", "Online with \(names)")
                            #expect(try browser.coveredControls() == [], "\(screen), \(width), \(names)")
                        }
                        try browser.run(
                            "document.querySelector('#problem span').textContent = 'A long one. '.repeat(30)")
                        #expect(try browser.coveredControls() == [], "a long one, \(screen), \(width)")
                        // While the page is scrolled, the message stays within its top.
                        try browser.run("scrollTo(0, 100)")
                        let bottom = "getBoundingClientRect().bottom"
                        let isWithin = try browser.isTrue(
                            "document.getElementById('problem').\(bottom) <= "
                                + "document.querySelector('.top').\(bottom)")
                        #expect(isWithin || width > 1344)
                        try browser.type(Browser.Key.escape)
                        try browser.until("it is closed") { try browser.shown("problem") == "" }
                    }
                }
            }
        }

        @Test("a dialog's backdrop covers where the scrollbar was, and nothing moves")
        func backdrop() throws {
            try PageTests.alone { laptop, browser in
                // The timer's screen has no scrollbar, and the settings have one.
                for (key, id) in [("1", "label-form"), ("4", "settings-form")] {
                    try browser.resize(width: 1100, height: key == "1" ? 1400 : 900)
                    try browser.type(key)
                    let left = "String(document.getElementById('\(id)').getBoundingClientRect().left)"
                    let before = try browser.text("return \(left)")
                    try browser.type("?")
                    try browser.shows("Keys", in: "keys-dialog")
                    #expect(try browser.isTrue("document.documentElement.clientWidth === innerWidth"))
                    #expect(try browser.text("return \(left)") == before)
                    try browser.type(Browser.Key.escape)
                    try browser.until("the keys are closed") { try browser.shown("keys-dialog") == "" }
                }
            }
        }
    }
}

extension Browser {
    fileprivate func isTrue(_ expression: String) throws -> Bool {
        try text("return String(\(expression))") == "true"
    }

    /// Whether the element with this id ends above the lower edge of a window that isn't scrolled.
    fileprivate func isWithinWindow(_ id: String) throws -> Bool {
        try isTrue("document.getElementById('\(id)').getBoundingClientRect().bottom <= innerHeight")
    }

    /// The smallest distance between two of these elements, in pixels.
    fileprivate func narrowestGap(_ selector: String) throws -> Double {
        let gap = try text(
            """
            const boxes = [...document.querySelectorAll(arguments[0])].map((one) => one.getBoundingClientRect());
            const gaps = boxes.flatMap((one, index) => boxes.slice(index + 1).map((other) => Math.max(
              one.left - other.right, other.left - one.right, one.top - other.bottom, other.top - one.bottom)));
            return String(Math.min(...gaps));
            """, selector)
        return try #require(Double(gap))
    }

    /// The controls that the complaint covers, at least in part, and the line about sharing if it covers that.
    fileprivate func coveredControls() throws -> [String] {
        try run(
            """
            const message = document.getElementById("problem").getBoundingClientRect();
            return [...document.querySelectorAll("a, button, input, select, textarea, #sharing")]
              .filter((control) => !control.closest(".message, dialog"))
              .filter((control) => control.checkVisibility({ visibilityProperty: true }))
              .filter((control) => {
                const { left, right, top, bottom } = control.getBoundingClientRect();
                return left < message.right && right > message.left && top < message.bottom && bottom > message.top;
              })
              .map((control) => control.outerHTML.slice(0, 60));
            """) as? [String] ?? ["?"]
    }
}
