import IntegrationSupport
import Testing

extension PageTests {
    @Suite("The focus")
    struct FocusTests {
        @Test("Tab reaches each control of a screen, shows that it has the focus, and nothing covers it")
        func screens() throws {
            try FocusTests.inGroup { laptop, browser in
                let filled = [
                    "timer": ("today", "Today"), "history": ("days", "Read"),
                    "statistics": ("labels", "Read"), "settings": ("settings-form", "Work"),
                    "devices": ("device-list", "home"),
                ]
                for (index, screen) in PageTests.screens.enumerated() {
                    try browser.type("\(index + 1)")
                    let (part, text) = filled[screen] ?? ("main", "")
                    try browser.shows(text, in: part)
                    if screen == "statistics" {
                        try browser.click("[data-chart=year]")
                        try browser.shows("Up to today", in: "chart")
                    }
                    if screen == "devices" {
                        try browser.click("#invite")
                        try browser.until("the invite is there") { try browser.focus == "invite-text" }
                    }
                    try FocusTests.expectNoFaults(browser, screen)
                }
                try laptop.press("start")
                try browser.type("1U")
                try browser.shows("Pause", in: "main-button")
                try browser.shows("There is no undo to take back", in: "problem")
                try FocusTests.expectNoFaults(browser, "while it runs, with a complaint")
            }
        }

        @Test("Tab reaches each control of a dialog, and the focus returns to what opened it")
        func dialogs() throws {
            try FocusTests.inGroup { _, browser in
                let openers = [
                    ("1", "#show-keys", "keys-dialog"), ("2", "#add-entry", "entry-dialog"),
                    ("2", "#days [data-action=Relabel]", "text-dialog"),
                    ("2", "#days [data-action=Times]", "text-dialog"),
                    ("2", "#days [data-action=Split]", "text-dialog"),
                    ("2", "#days [data-action=Remove]", "ask-dialog"), ("4", "#sign-out", "ask-dialog"),
                    ("5", "#device-list [data-action='Shut out']", "ask-dialog"),
                    ("5", "#leave", "ask-dialog"),
                ]
                for (screen, opener, dialog) in openers {
                    try browser.type(screen)
                    try browser.until("\(opener) is there") { try browser.focuses(opener) }
                    try browser.type(Browser.Key.enter)
                    try browser.until("\(opener) opens a dialog") { try browser.shown(dialog) != "" }
                    try FocusTests.expectNoFaults(browser, opener)
                    try browser.type(Browser.Key.escape)
                    try browser.until("\(opener) has the focus again") {
                        try browser.shown(dialog) == "" && browser.hasFocus(opener)
                    }
                }
            }
        }

        /// Expects that Tab reaches all controls of what is shown, in a wide window and in a narrow one.
        private static func expectNoFaults(_ browser: Browser, _ what: String) throws {
            for width in [1100, 360] {
                try browser.resize(width: width, height: 900)
                #expect(try browser.faultsOfTab() == [], "\(what), \(width)")
            }
        }

        /// Runs a test on a laptop with another one in its group, with two entries and with the page in a
        /// browser.
        private static func inGroup(_ body: (Laptop, Browser) throws -> Void) throws {
            try World.with(["desk", "home"]) { world in
                let laptop = world.laptops[0]
                for label in ["Read", "Write"] { try laptop.press("log", "add", label, "--for", "25m") }
                let browser = try laptop.browser()
                try browser.type("5")
                try browser.shows("home", in: "device-list")
                try body(laptop, browser)
                try browser.end()
            }
        }
    }
}

extension Browser {
    /// Focuses the first element that a CSS selector finds. Returns false if it can't have the focus.
    fileprivate func focuses(_ selector: String) throws -> Bool {
        try run("document.querySelector(arguments[0])?.focus()", selector)
        return try hasFocus(selector)
    }

    /// Whether the first element that a CSS selector finds has the focus.
    fileprivate func hasFocus(_ selector: String) throws -> Bool {
        try text(
            """
            const found = document.querySelector(arguments[0]);
            return String(found !== null && found === document.activeElement);
            """, selector) == "true"
    }

    /// Goes by Tab through the page, or through the open dialog.
    ///
    /// - Returns: The controls that don't get the focus, don't show it, or are covered while they have it.
    fileprivate func faultsOfTab() throws -> [String] {
        // Tab begins at the top of the page. In a dialog it goes round.
        try run(
            """
            window.walked = new Map();
            // Rows may be drawn again meanwhile.
            window.keyOf = (one) => {
              const row = one.closest("[data-row]");
              return row === null ? one : `${row.dataset.row} ${one.dataset.action}`;
            };
            const dialog = document.querySelector("dialog[open]");
            (dialog?.querySelector("form") ?? document.documentElement).scrollTop = 0;
            if (dialog) return;
            const start = document.createElement("span");
            start.tabIndex = -1;
            document.body.prepend(start);
            start.focus();
            start.remove();
            """)
        var steps = 0
        repeat {
            steps += 1
            guard steps < 150 else { return ["Tab doesn't come round"] }
            try type(Key.tab)
        } while try text(Browser.step) != "round"
        return try run(Browser.judging) as? [String] ?? ["?"]
    }

    /// A script that records the focused element and its fault. It returns `round` at the first element again,
    /// and when the focus leaves the page after the last one.
    private static let step = """
        const { activeElement: focused } = document;
        const dialog = document.querySelector("dialog[open]");
        if (focused === document.body) return walked.size > 0 && dialog === null ? "round" : "outside";
        const key = keyOf(focused);
        const [first] = walked.keys();
        if (key === first && walked.size > 1) return "round";
        // Within a field for a day or a time the browser marks each part.
        if (walked.has(key)) return "within";
        const { left, right, top, bottom } = focused.getBoundingClientRect();
        const middle = (Math.max(top, 0) + Math.min(bottom, innerHeight)) / 2;
        const at = document.elementFromPoint((left + right) / 2, middle);
        const style = getComputedStyle(focused);
        const isMarked = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
        const fault = !isMarked ? "isn't marked" : focused.contains(at) ? "" : "is covered";
        walked.set(key, fault && `${focused.outerHTML.slice(0, 80)} ${fault}`);
        return "next";
        """

    /// A script that returns the recorded faults, and the controls that Tab didn't reach.
    ///
    /// Of a list's rows, Tab reaches one, and other keys reach the others.
    private static let judging = """
        const faults = [...walked.values()].filter((fault) => fault !== "");
        const within = document.querySelector("dialog[open]") ?? document;
        const missed = [...within.querySelectorAll("a, button, input, select, textarea, summary, [tabindex='0']")]
          .filter((one) => one.tabIndex >= 0 && !one.disabled && one.checkVisibility({ visibilityProperty: true }))
          .filter((one) => !walked.has(keyOf(one)));
        return [...faults, ...missed.map((one) => `${one.outerHTML.slice(0, 80)} isn't reached`)];
        """
}
