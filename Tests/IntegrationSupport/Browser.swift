import Foundation
import TestSupport

/// A headless Chromium that a test controls with keys and clicks.
package final class Browser {
    private let driver: WebDriver
    private let session: String
    private let name: String
    /// The port for other clients of the Chrome DevTools Protocol.
    package let debuggingPort: UInt16

    /// - Parameter name: The browser's name in failure messages.
    init(_ name: String, in folder: TemporaryFolder, _ variables: [String: String]) throws {
        self.name = name
        // Chromium's temporary files are removed with the test's folder.
        driver = try WebDriver(in: folder, variables.merging(["TMPDIR": folder.path]) { _, own in own })
        let arguments = [
            // Tests may run as root, for which Chromium has no sandbox, and in containers with little shared
            // memory.
            "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--user-data-dir=\(folder.fresh("browser"))", "--window-size=1100,900",
        ]
        let wanted: [String: Any] = [
            "browserName": "chrome", "goog:loggingPrefs": ["browser": "ALL"],
            "goog:chromeOptions": ["binary": WebDriver.browser, "args": arguments],
        ]
        let answer = try driver.ask("POST", "/session", ["capabilities": ["alwaysMatch": wanted]])
        let parts = answer as? [String: Any]
        let capabilities = parts?["capabilities"] as? [String: Any]
        let options = capabilities?["goog:chromeOptions"] as? [String: Any]
        let debugger = options?["debuggerAddress"] as? String
        guard let session = parts?["sessionId"] as? String,
            let port = debugger?.split(separator: ":").last.flatMap({ UInt16($0) })
        else { throw Unmet("the browser gave no session: \(answer)") }
        self.session = "/session/\(session)"
        debuggingPort = port
    }

    /// Ends the browser and all its processes.
    package func end() throws {
        try driver.ask("DELETE", session)
        try driver.end()
    }

    /// Opens an address in the current tab.
    package func open(_ address: String) throws { try driver.ask("POST", "\(session)/url", ["url": address]) }

    /// Opens a new tab in front of the others.
    package func openTab() throws {
        let made = try driver.ask("POST", "\(session)/window/new", ["type": "tab"]) as? [String: Any]
        try driver.ask("POST", "\(session)/window", ["handle": made?["handle"] ?? ""])
    }

    /// Closes the front tab and switches to the first one.
    package func closeTab() throws {
        let left = try driver.ask("DELETE", "\(session)/window") as? [String]
        try driver.ask("POST", "\(session)/window", ["handle": left?.first ?? ""])
    }

    /// The name of the tab to which commands go.
    package var tab: String { get throws { try driver.ask("GET", "\(session)/window") as? String ?? "" } }

    /// Sends commands to the tab of this name from now on.
    ///
    /// - Parameter isInFront: Whether that tab becomes the visible one.
    package func switchTo(_ tab: String, isInFront: Bool = true) throws {
        try driver.ask("POST", "\(session)/window", ["handle": tab])
        if isInFront { try devTools("Page.bringToFront") }
    }

    /// The titles of all tabs, sorted.
    package func titles() throws -> [String] {
        let targets = try devTools("Target.getTargets")["targetInfos"] as? [[String: Any]] ?? []
        return targets.filter { $0["type"] as? String == "page" }.compactMap { $0["title"] as? String }
            .sorted()
    }

    /// Reloads the page.
    package func reload() throws { try driver.ask("POST", "\(session)/refresh", [:]) }

    /// Runs the body of a JavaScript function and returns its result.
    @discardableResult
    package func run(_ script: String, _ arguments: Any...) throws -> Any {
        try driver.ask("POST", "\(session)/execute/sync", ["script": script, "args": arguments])
    }

    /// Runs the body of a JavaScript function and returns its result as text.
    package func text(_ script: String, _ arguments: Any...) throws -> String {
        let value = try driver.ask("POST", "\(session)/execute/sync", ["script": script, "args": arguments])
        return value as? String ?? "\(value)"
    }

    /// The visible text of the element with this id; empty if the element is hidden.
    package func shown(_ id: String) throws -> String {
        try text(
            """
            const element = document.getElementById(arguments[0]);
            return element.checkVisibility() ? element.innerText : "";
            """, id)
    }

    /// The value of an input field.
    package func value(_ id: String) throws -> String {
        try text("return document.getElementById(arguments[0]).value", id)
    }

    /// Waits until an element shows `text`.
    package func shows(_ text: String, in id: String = "main") throws {
        try until("'\(text)' in \(id)") { try self.shown(id).contains(text) }
    }

    /// Waits until a condition holds. A failure shows the page's text.
    package func until(_ what: String, _ holds: () throws -> Bool) throws {
        do {
            try eventually(what, holds)
        } catch {
            let page = (try? text("return document.title + '\\n' + document.body.innerText")) ?? ""
            throw Unmet("\(error)\n--- \(name) shows:\n\(page)\n\((try? log()) ?? [])")
        }
    }

    /// Presses and releases one key after the other: characters, and the keys in `Key`.
    package func type(_ text: String) throws {
        let actions = text.flatMap {
            [["type": "keyDown", "value": "\($0)"], ["type": "keyUp", "value": "\($0)"]]
        }
        try driver.ask(
            "POST", "\(session)/actions", ["actions": [["type": "key", "id": "keys", "actions": actions]]])
    }

    /// Special keys, as WebDriver's characters for them.
    package enum Key {
        package static let tab = "\u{E004}"
        package static let enter = "\u{E007}"
        package static let escape = "\u{E00C}"
        package static let up = "\u{E013}"
        package static let down = "\u{E015}"
    }

    /// Clicks in the middle of the first element that a CSS selector finds, like a pointer.
    package func click(_ selector: String) throws {
        try eventually("\(selector) is clicked") {
            let found = try driver.ask(
                "POST", "\(session)/element", ["using": "css selector", "value": selector])
            guard let element = (found as? [String: Any])?.values.first as? String else {
                throw Unmet("there is no \(selector)")
            }
            do {
                try driver.ask("POST", "\(session)/element/\(element)/click", [:])
                return true
            } catch let failure as Unmet where failure.description.contains("stale element reference") {
                // The page was redrawn between the two requests.
                return false
            }
        }
    }

    /// The lines that the browser's console has printed since the last call.
    package func log() throws -> [String] {
        let lines = try driver.ask("POST", "\(session)/se/log", ["type": "browser"]) as? [[String: Any]]
        return lines?.compactMap { $0["message"] as? String } ?? []
    }

    /// Sets the page's size in CSS pixels, and whether the device has a touch screen instead of a pointer.
    package func resize(width: Int, height: Int, hasTouchScreen: Bool = false) throws {
        try devTools(
            "Emulation.setDeviceMetricsOverride",
            ["width": width, "height": height, "deviceScaleFactor": 1, "mobile": hasTouchScreen])
        try devTools("Emulation.setTouchEmulationEnabled", ["enabled": hasTouchScreen])
    }

    /// Minimizes the window, which hides its page.
    package func minimizeWindow() throws { try driver.ask("POST", "\(session)/window/minimize", [:]) }

    /// Shows a minimized window again.
    package func restoreWindow() throws { try driver.ask("POST", "\(session)/window/rect", ["x": 0]) }

    /// Sets the user's preferences in the system, such as `prefers-color-scheme` and
    /// `prefers-reduced-motion`.
    package func prefer(_ features: [String: String]) throws {
        try devTools(
            "Emulation.setEmulatedMedia",
            ["features": features.map { ["name": $0.key, "value": $0.value] }])
    }

    /// Sends a command of the Chrome DevTools Protocol.
    @discardableResult
    package func devTools(_ command: String, _ parameters: [String: Any] = [:]) throws -> [String: Any] {
        let answer = try driver.ask(
            "POST", "\(session)/goog/cdp/execute", ["cmd": command, "params": parameters])
        return answer as? [String: Any] ?? [:]
    }

    /// Saves a screenshot in `.build/screenshots`, for people to look at.
    package func screenshot(_ what: String) throws {
        guard let text = try driver.ask("GET", "\(session)/screenshot") as? String,
            let picture = Data(base64Encoded: text)
        else { throw Unmet("the browser gave no picture") }
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent(".build/screenshots")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try picture.write(to: folder.appendingPathComponent("\(what).png"))
    }
}

extension World {
    /// Starts a browser on a machine of its own.
    package func browser(_ name: String) throws -> Browser {
        try Browser(
            name, in: folder, ["HOME": folder.path, "LOCKSTEP_TEST": folder.path, "TZ": Laptop.zone])
    }
}

extension Laptop {
    /// Starts a browser on this laptop and opens the page, as `focus web` does.
    package func browser() throws -> Browser {
        let browser = try Browser(name, in: folder, variables)
        try browser.open(try pageLink())
        try browser.until("the page shows the session") {
            try browser.text("return document.documentElement.dataset.status") != "unknown"
        }
        return browser
    }

    /// Returns a link that lets one browser in to the page, once.
    package func pageLink() throws -> String {
        try press("web", "--print").split(separator: "\n").last.map(String.init) ?? ""
    }
}
