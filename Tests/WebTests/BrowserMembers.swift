import FocusCore
import FocusSeal
import Foundation
import IntegrationSupport
import Testing

extension BrowserMemberTests {
    /// Runs a test with two laptops, and with the page of a server for a browser.
    static func with(_ body: (World, Browser, _ address: String) throws -> Void) throws {
        try World.with { world in
            let address = try serve(world.server)
            for name in ["desk", "home"] { try world.join(name) }
            let browser = try world.browser("phone")
            try body(world, browser, address)
            try browser.end()
        }
    }

    /// The folder with the page for browsers, which `make web` makes.
    static let files = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../.build/web").standardizedFileURL.path

    /// Returns the block of docs/browser.md after a line that ends with these words.
    static func documentedBlock(after words: String) throws -> String {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path
        let parts = text(of: "\(folder)/../../docs/browser.md").components(separatedBy: "\(words)\n\n```\n")
        let rest = try #require(parts.dropFirst().first, "\(words)")
        return try #require(rest.components(separatedBy: "\n```").first)
    }

    /// Copies the page's files to a folder in place of its contents, as another version.
    ///
    /// - Parameters:
    ///   - scripts: The scripts that differ.
    ///   - code: The code that they run before anything else.
    static func copyFiles(to folder: String, beginning scripts: [String], with code: String) throws {
        try? FileManager.default.removeItem(atPath: folder)
        try FileManager.default.copyItem(atPath: files, toPath: folder)
        // It only installs files with the hashes that it lists.
        var worker = text(of: "\(folder)/service-worker.js")
        for name in scripts {
            let script = "\(code)\n\(text(of: "\(folder)/\(name)"))"
            try script.write(toFile: "\(folder)/\(name)", atomically: false, encoding: .utf8)
            let hash = try Digest(of: Array(script.utf8).span.bytes).hexadecimal
            worker.replace(try Regex("\"/\(name)\":\"[0-9a-f]+\""), with: "\"/\(name)\":\"\(hash)\"")
        }
        try worker.write(toFile: "\(folder)/service-worker.js", atomically: false, encoding: .utf8)
    }

    /// Starts a server with the page for browsers, and returns the page's address.
    ///
    /// - Parameter settings: The lines of further settings.
    static func serve(
        _ server: Server, files: String = BrowserMemberTests.files, settings: String = ""
    ) throws -> String {
        let port = try freePort()
        try server.set("web = \(port)\nweb-proxies = 127.0.0.1\nweb-files = \(files)\n\(settings)")
        try server.start()
        return "http://127.0.0.1:\(port)/"
    }

    /// The port in a page's address.
    static func port(of address: String) throws -> UInt16 {
        try #require(UInt16(address.split(separator: ":").last?.dropLast() ?? ""))
    }

    /// Lets a browser join by an invite of a laptop.
    static func join(_ browser: Browser, _ world: World, at address: String) throws {
        try browser.open("\(address)#\(try world.laptops[0].invite())")
        try browser.shows("Paste an invite", in: "join-form")
        try browser.until("the page has the invite") {
            try browser.value("join-invite").hasPrefix("lockstep1-")
        }
        #expect(try !browser.text("return location.href").contains("lockstep1-"))
        try browser.click("#join")
        try browser.shows("is in the group now", in: "outcome")
    }
}

extension World {
    /// The browsers in the group that nobody has shut out, as the first laptop lists them.
    func listedBrowsers() throws -> [Laptop.Device] {
        let names = laptops.map(\.name)
        return try laptops[0].devices().filter { !names.contains($0.name) && !$0.revoked }
    }

    /// Waits until the laptops and a browser agree on the log and on the history. Then checks the laptops.
    ///
    /// - Returns: The log that they share.
    @discardableResult
    func agree(with browser: Browser) throws -> [String] {
        try browser.until("the browser and the laptops have the same log") {
            let log = try browser.deviceLog()
            return try laptops.allSatisfy { try $0.log() == log }
        }
        try browser.until("the browser and the laptop show the same") {
            let status = try laptops[0].status()
            return try browser.status == status.status && browser.value("label") == status.label
        }
        // Each begins with the time at which it was read. Only the page's names other laptops.
        let history = try laptops[0].press("log", "--json").drop { $0 != "," }
        let shown = try browser.answer("/log.json", in: Laptop.zone).replacingOccurrences(
            of: #","otherLaptop":(null|"[^"]*")"#, with: "", options: .regularExpression)
        #expect(shown.drop { $0 != "," } == history)
        return try agree()
    }
}

extension Browser {
    /// The status of the timer on the page, in the word of `focus status --json`.
    var status: String { get throws { try text("return document.documentElement.dataset.status") } }

    /// Returns the text that the browser's device answers to a request, which the page's own code sends.
    func answer(_ path: String) throws -> String {
        try text(
            """
            const { send } = await import(`${location.origin}/source.js`);
            const answer = await send(arguments[0], { signal: AbortSignal.timeout(20_000) });
            return await answer.text();
            """, path)
    }

    /// Returns the text that the browser's device answers to a request with a time zone.
    func answer(_ path: String, in zone: String) throws -> String {
        try answer("\(path)?zone=\(zone.replacingOccurrences(of: "+", with: "%2B"))")
    }

    /// The log of the browser's device in replay order, one event a line.
    func deviceLog() throws -> [String] {
        try answer("/log.jsonl").split(separator: "\n").map(String.init)
    }

    /// Gives the session another label, by the page's own code, and waits until that is stored.
    func pressLabel(_ label: String) throws {
        let status = try text(
            """
            const { send } = await import(`${location.origin}/source.js`);
            const body = JSON.stringify({ press: "label", label: arguments[0] });
            return String((await send("/press", { method: "POST", body })).status);
            """, label)
        guard ["200", "204"].contains(status) else { throw Unmet("the press was answered by \(status)") }
    }

    /// Waits until the browser has all files of the page, and the page uses these.
    func waitUntilKept() throws {
        try until("the page is kept") {
            try text("return String((await navigator.serviceWorker.ready).active?.state)") == "activated"
        }
    }

    /// The body of a JavaScript function that returns whether its tab runs the browser's device.
    static let ownership = """
        return await navigator.locks.request("test-of-owner", async ({ name }) => {
          const { held } = await navigator.locks.query();
          const [own, owner] = [name, "lockstep-device"].map((wanted) => held.find((lock) => lock.name === wanted));
          return String(own.clientId === owner?.clientId);
        });
        """

    /// Whether the current tab runs the browser's device.
    func ownsDevice() throws -> Bool { try text(Browser.ownership) == "true" }
}
