import Foundation
import IntegrationSupport
import Testing

extension PageTests {
    @Suite("What the page keeps to")
    struct StrictnessTests {
        @Test(
            "no request leaves it, its policy holds, it fits a phone, everything has a name and enough contrast"
        )
        func keepsTo() throws {
            try PageTests.alone { laptop, browser in
                for minutes in [20, 25, 50] {
                    try laptop.press("log", "add", "Task of \(minutes)", "--for", "\(minutes)m")
                }
                try laptop.press("start", "Write the paper")
                try browser.shows("Pause", in: "main-button")
                for scheme in ["light", "dark"] {
                    try browser.prefer([
                        "prefers-color-scheme": scheme, "prefers-reduced-motion": "reduce",
                    ])
                    for (index, screen) in PageTests.screens.enumerated() {
                        try browser.resize(width: 1100, height: 900)
                        try browser.type("\(index + 1)")
                        try browser.until("\(screen) has what it shows") { try browser.isFilled(screen) }
                        #expect(try browser.faintTexts() == [], "on \(screen), \(scheme)")
                        #expect(try browser.namelessControls() == [], "on \(screen)")
                        // The narrowest width that WCAG asks for, and a phone's width.
                        for width in [320, 360] {
                            try browser.resize(width: width, height: 740)
                            let isWithin =
                                "return String(document.documentElement.scrollWidth <= document.documentElement.clientWidth)"
                            #expect(try browser.text(isWithin) == "true", "\(screen) is wider than \(width)")
                        }
                    }
                }
                try laptop.press("skip")
                try browser.type("1")
                try browser.shows("Break", in: "status")
                #expect(try browser.faintTexts() == [], "in a break")
                #expect(try browser.landmarks() == ["banner", "contentinfo", "main", "navigation"])
                #expect(try browser.motions() == [])
                #expect(try browser.strangers() == [])
                #expect(try browser.log() == [])
            }
        }

        @Test("the browser finds nothing that would keep it from installing the page as an app")
        func installable() throws {
            try PageTests.alone { _, browser in
                let manifest = try browser.devTools("Page.getAppManifest")
                #expect((manifest["data"] as? String)?.contains("Lockstep") == true)
                #expect((manifest["errors"] as? [Any])?.isEmpty == true)
                let errors = try browser.devTools("Page.getInstallabilityErrors")["installabilityErrors"]
                #expect((errors as? [Any])?.isEmpty == true, "\(errors ?? "no answer")")
            }
        }

        @Test("a script from elsewhere and a visitor without a key are refused")
        func strangers() throws {
            try PageTests.alone { laptop, browser in
                #expect(try browser.log() == [])
                try browser.run(
                    """
                    const script = document.createElement("script");
                    script.textContent = "document.title = 'injected'";
                    document.body.append(script);
                    document.body.setAttribute("style", "color: red");
                    """)
                try browser.until("the browser tells of what it refused") {
                    try browser.log().contains { $0.contains("Content Security Policy") }
                }
                #expect(try browser.title == "Lockstep")

                try laptop.press("start", "Secret")
                try browser.shows("Pause", in: "main-button")
                try browser.devTools("Network.clearBrowserCookies")
                try browser.reload()
                try browser.until("it says what to run") {
                    try browser.text("return document.body.innerText").contains("focus web")
                }
                #expect(
                    try browser.text("return getComputedStyle(document.documentElement).backgroundColor")
                        != "rgba(0, 0, 0, 0)", "it is drawn like the page")
                #expect(try browser.accessibilityFindings() == [])
                #expect(
                    try browser.text("return fetch('/events').then((answer) => String(answer.status))")
                        == "403")
            }
        }
    }
}

extension Browser {
    /// Whether a screen shows its contents.
    fileprivate func isFilled(_ screen: String) throws -> Bool {
        let holder = [
            "timer": "today", "history": "days", "statistics": "labels", "settings": "settings-form",
            "devices": "device-list",
        ]
        return try !shown(holder[screen] ?? "main").isEmpty
    }

    /// Texts with less contrast than WCAG 2.2, level AA, requires.
    func faintTexts() throws -> [String] {
        try run(
            """
            const channel = (value) => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
            const luminance = ([red, green, blue]) =>
              0.2126 * channel(red / 255) + 0.7152 * channel(green / 255) + 0.0722 * channel(blue / 255);
            const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
            const back = (element) => {
              for (let at = element; at; at = at.parentElement) {
                const colour = parts(getComputedStyle(at).backgroundColor);
                if (colour.length === 3 || colour[3] === 1) return colour;
              }
              return [255, 255, 255];
            };
            const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
            const faint = [];
            while (walker.nextNode()) {
              const { parentElement: element, data } = walker.currentNode;
              if (data.trim() === "" || element.closest("svg, .unseen, noscript")) continue;
              if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
              const style = getComputedStyle(element);
              const [light, dark] = [luminance(parts(style.color)), luminance(back(element))].sort((a, b) => b - a);
              const size = parseFloat(style.fontSize);
              const isLarge = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
              const contrast = (light + 0.05) / (dark + 0.05);
              if (contrast < (isLarge ? 3 : 4.5)) faint.push(`${data.trim()}: ${contrast.toFixed(2)}`);
            }
            return faint;
            """) as? [String] ?? ["?"]
    }

    private func accessibilityTree() throws -> [[String: Any]] {
        try devTools("Accessibility.getFullAXTree")["nodes"] as? [[String: Any]] ?? []
    }

    private func word(_ key: String, of node: [String: Any]) -> String {
        (node[key] as? [String: Any])?["value"] as? String ?? ""
    }

    /// The roles of controls that have no name for a screen reader.
    fileprivate func namelessControls() throws -> [String] {
        let operated: Set = [
            "button", "link", "textbox", "searchbox", "checkbox", "switch", "combobox", "Date", "InputTime",
            "image",
            "dialog", "region",
        ]
        let nodes = try accessibilityTree().filter { $0["ignored"] as? Bool != true }
        let controls = nodes.filter { operated.contains(word("role", of: $0)) }
        guard controls.count > 5 else { return ["only \(controls.count) controls were found"] }
        return controls.filter { word("name", of: $0).isEmpty }.map { word("role", of: $0) }
    }

    /// The landmarks between which a screen reader can jump.
    fileprivate func landmarks() throws -> [String] {
        let known: Set = ["banner", "navigation", "main", "contentinfo"]
        return try Set(accessibilityTree().map { word("role", of: $0) }).intersection(known).sorted()
    }

    /// Elements that move although the person prefers reduced motion.
    fileprivate func motions() throws -> [String] {
        try run(
            """
            return [...document.querySelectorAll("*")]
              .filter((element) => /[1-9]/.test(getComputedStyle(element).transitionDuration))
              .map((element) => element.outerHTML.slice(0, 60));
            """) as? [String] ?? ["?"]
    }

    /// The addresses outside its origin from which the page has loaded anything.
    fileprivate func strangers() throws -> [String] {
        try run(
            """
            const loaded = performance.getEntriesByType("resource").map((entry) => entry.name);
            if (loaded.length < 10) return ["only " + loaded.length + " requests are known"];
            return loaded.filter((name) => !name.startsWith(location.origin + "/") && !name.startsWith("data:"));
            """) as? [String] ?? ["?"]
    }
}
