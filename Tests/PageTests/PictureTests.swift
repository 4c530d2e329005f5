import Foundation
import IntegrationSupport
import TestSupport
import Testing

extension PageTests {
    @Suite("What the page looks like")
    struct PictureTests {
        @Test(
            "every screen looks as it was recorded, with entries of every outcome, at three widths, light and dark"
        )
        func screens() throws {
            try PictureTests.staged { browser in
                for (width, hasTouchScreen) in [(1100, false), (768, false), (390, true)] {
                    try browser.resize(width: width, height: 1000, hasTouchScreen: hasTouchScreen)
                    for scheme in ["light", "dark"] {
                        try browser.prefer([
                            "prefers-color-scheme": scheme, "prefers-reduced-motion": "reduce",
                        ])
                        for screen in PageTests.screens {
                            try browser.go(to: screen)
                            let name = "\(screen)-\(width)-\(scheme)"
                            try browser.screenshot("recorded-\(name)")
                            #expect(try browser.difference(from: name) == nil, "\(name)")
                        }
                    }
                }
            }
        }

        /// Runs a test on a page with the contents of `PageScene`, in a browser on a laptop that serves it.
        private static func staged(_ body: (Browser) throws -> Void) throws {
            let scene = try PageScene().script()
            try PageTests.alone { _, browser in
                try browser.devTools("Page.enable")
                // The scene's zone, in which its days are the browser's too.
                try browser.devTools("Emulation.setTimezoneOverride", ["timezoneId": "Etc/UTC"])
                // On a phone scroll bars fade out, at a time that varies.
                try browser.devTools("Emulation.setScrollbarsHidden", ["hidden": true])
                try browser.devTools("Page.addScriptToEvaluateOnNewDocument", ["source": scene])
                try browser.reload()
                try browser.shows("paused", in: "status")
                // The same fonts on all machines, at exact positions.
                try browser.run(
                    """
                    const sheet = new CSSStyleSheet();
                    sheet.replaceSync(`
                      * { font-family: "DejaVu Sans" !important; text-rendering: geometricPrecision !important; }
                      code, kbd, textarea { font-family: "DejaVu Sans Mono" !important; }`);
                    document.adoptedStyleSheets = [sheet];
                    """)
                try body(browser)
                #expect(try browser.log() == [])
            }
        }
    }
}

extension Browser {
    /// Opens a screen and waits until its contents are there.
    fileprivate func go(to screen: String) throws {
        try run("location.hash = arguments[0]", screen)
        let filled = [
            "timer": "#today", "history": "#days .row", "statistics": "#chart .bars", "settings": ".setting",
            "devices": "#device-list .row",
        ]
        try until("\(screen) has what it shows") {
            try self.text(
                """
                const found = document.querySelector(arguments[0]);
                return String(found !== null && found.checkVisibility() && found.textContent !== "");
                """, filled[screen] ?? "") == "true"
        }
        // Scrolls to the top and waits until the page is drawn.
        try run(
            """
            scrollTo(0, 0);
            document.activeElement?.blur();
            return new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
            """)
    }

    /// The difference between the page and the recorded picture `name`; nil if there is none.
    ///
    /// The picture has one pixel for 5 by 5 pixels of the page. So the edges of letters hardly count, and
    /// lines and boxes do.
    fileprivate func difference(from name: String) throws -> String? {
        let shot = try devTools("Page.captureScreenshot", ["format": "png"])["data"] as? String ?? ""
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Pictures")
        let file = folder.appendingPathComponent("\(name).png")
        let isRecording = ProcessInfo.processInfo.environment[Golden.recordVariable] != nil
        let recorded = isRecording ? nil : try? Data(contentsOf: file).base64EncodedString()
        let answer = try text(Browser.comparing, shot, recorded ?? "")
        guard isRecording || recorded == nil else { return answer.isEmpty ? nil : answer }
        guard isRecording else { return "\(name) is missing; \(Golden.recordVariable)=1 records it" }
        guard let picture = Data(base64Encoded: answer) else { return answer }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try picture.write(to: file)
        return "\(name) was recorded; look at it, and run again without \(Golden.recordVariable)"
    }

    /// A script that reduces a screenshot. It returns the result, or the difference from a given picture.
    private static let comparing = """
        const scale = 5, noise = 24, share = 0.002;
        const decode = async (text) => {
          const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
          return createImageBitmap(new Blob([bytes], { type: "image/png" }));
        };
        const pixels = (image, width, height) => {
          const canvas = new OffscreenCanvas(width, height);
          const context = canvas.getContext("2d", { willReadFrequently: true });
          context.imageSmoothingQuality = "high";
          context.drawImage(image, 0, 0, width, height);
          return { canvas, data: context.getImageData(0, 0, width, height).data };
        };
        return (async () => {
          const shot = await decode(arguments[0]);
          const [width, height] = [shot.width / scale, shot.height / scale].map(Math.floor);
          const found = pixels(shot, width, height);
          if (arguments[1] === "") {
            const bytes = new Uint8Array(await (await found.canvas.convertToBlob({ type: "image/png" })).arrayBuffer());
            return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
          }
          const recorded = await decode(arguments[1]);
          if (recorded.width !== width || recorded.height !== height) return "It has another size.";
          const expected = pixels(recorded, width, height);
          const differing = [];
          for (let place = 0; place < width * height; place += 1) {
            const far = [0, 1, 2].some((colour) =>
              Math.abs(found.data[place * 4 + colour] - expected.data[place * 4 + colour]) > noise);
            if (far) differing.push(place);
          }
          if (differing.length <= width * height * share) return "";
          const rows = differing.map((place) => Math.floor(place / width) * scale);
          return `${differing.length} of ${width * height} places differ, between ${rows[0]} and ${rows.at(-1)} from the top.`;
        })();
        """
}
