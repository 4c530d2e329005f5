import Foundation
import Glibc
import IntegrationSupport
import TestSupport
import Testing

/// A tab of a browser that is commanded without the driver, which would end the whole browser after a crash.
final class BareTab {
    private let socket: HTTPClient
    private var lastNumber = 0

    /// Opens an empty tab.
    init(in browser: Browser) throws {
        let made = try browser.devTools("Target.createTarget", ["url": "about:blank"])
        guard let target = made["targetId"] as? String else { throw Unmet("there is no new tab: \(made)") }
        let port = browser.debuggingPort
        socket = try HTTPClient(port: port)
        let head = try socket.openWebSocket("/devtools/page/\(target)", host: "127.0.0.1:\(port)")
        guard head.status == 101 else { throw Unmet("the browser answered \(head)") }
        try ask("Inspector.enable")
    }

    /// Opens an address.
    func open(_ address: String) throws { try ask("Page.navigate", ["url": address]) }

    /// Makes the tab the visible one.
    func bringToFront() throws { try ask("Page.bringToFront") }

    /// Lets the browser freeze the tab, as it does with tabs in the background.
    func freeze() throws { try ask("Page.setWebLifecycleState", ["state": "frozen"]) }

    /// Ends the tab's freeze.
    func thaw() throws { try ask("Page.setWebLifecycleState", ["state": "active"]) }

    /// Kills the process of the page, and waits until it has ended.
    func crash() throws {
        try send("Page.crash")
        _ = try next { $0["method"] as? String == "Inspector.targetCrashed" }
    }

    /// Runs the body of an asynchronous JavaScript function and returns its result, which is a text.
    func text(_ body: String) throws -> String {
        let answer = try ask(
            "Runtime.evaluate",
            ["expression": "(async () => {\n\(body)\n})()", "awaitPromise": true, "returnByValue": true])
        guard let result = answer["result"] as? [String: Any], let text = result["value"] as? String else {
            throw Unmet("the script failed: \(answer)")
        }
        return text
    }

    /// Returns the process of the page, of a browser in this folder.
    func process(in folder: TemporaryFolder) throws -> pid_t {
        // The browser doesn't tell it. Only this page has as many workers.
        let count = 12
        _ = try text(
            """
            const worker = () => new Worker("/browser-name.js", { type: "module" });
            globalThis.workers = Array.from({ length: \(count) }, worker);
            return "";
            """)
        let process = try waitForValue("a process has \(count) workers") {
            try BareTab.processes(in: folder).first { BareTab.workerCount(of: $0) >= count }
        }
        _ = try text("for (const worker of workers) worker.terminate(); return \"\";")
        return process
    }

    /// The processes with the path of a folder in their arguments.
    private static func processes(in folder: TemporaryFolder) throws -> [pid_t] {
        let names = try FileManager.default.contentsOfDirectory(atPath: "/proc")
        return names.compactMap { pid_t($0) }.filter { process in
            let arguments = try? Data(contentsOf: URL(fileURLWithPath: "/proc/\(process)/cmdline"))
            return arguments?.range(of: Data(folder.path.utf8)) != nil
        }
    }

    /// The number of Chromium's threads for workers in a process.
    private static func workerCount(of process: pid_t) -> Int {
        let tasks = "/proc/\(process)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
        let names = threads.map { try? String(contentsOfFile: "\(tasks)/\($0)/comm", encoding: .utf8) }
        return names.filter { $0 == "DedicatedWorker\n" }.count
    }

    /// Sends a command and returns its number.
    @discardableResult
    private func send(_ command: String, _ parameters: [String: Any] = [:]) throws -> Int {
        lastNumber += 1
        let message: [String: Any] = ["id": lastNumber, "method": command, "params": parameters]
        socket.sendFrame(Array(try JSONSerialization.data(withJSONObject: message)), first: 0x81)
        return lastNumber
    }

    /// Sends a command, waits for its answer and returns the result.
    @discardableResult
    private func ask(_ command: String, _ parameters: [String: Any] = [:]) throws -> [String: Any] {
        let number = try send(command, parameters)
        let answer = try next { $0["id"] as? Int == number }
        guard let result = answer["result"] as? [String: Any] else { throw Unmet("\(command): \(answer)") }
        return result
    }

    /// Waits for a message of the browser. Drops the messages before it.
    private func next(_ isWanted: ([String: Any]) -> Bool) throws -> [String: Any] {
        while true {
            let content = Data(try socket.frame().content)
            let message = try JSONSerialization.jsonObject(with: content) as? [String: Any] ?? [:]
            if isWanted(message) { return message }
        }
    }
}

/// The page in the tab.
extension BareTab {
    /// Opens an empty tab and in it the page with the device, and waits until that shows the session.
    static func page(_ address: String, in browser: Browser) throws -> BareTab {
        let tab = try BareTab(in: browser)
        try tab.open(address)
        try tab.waitUntilRunning()
        return tab
    }

    /// Waits until the page shows the session, and expects that it complains about nothing.
    func waitUntilRunning(_ repeating: Comment = "") throws {
        try eventually("the page shows the session; \(repeating)") {
            // A script fails while the page is being replaced.
            (try? text("return document.documentElement.dataset.status")) == "running"
        }
        #expect(try text(BareTab.complaints) == "", repeating)
    }

    /// The body of a JavaScript function that returns what the page complains about; empty if all is well.
    static let complaints = """
        const banners = [...document.querySelectorAll(".banner[role=alert]:not([hidden])")];
        return banners.map((banner) => banner.textContent).join();
        """

    /// Whether the tab runs the browser's device.
    func ownsDevice() throws -> Bool { try text(Browser.ownership) == "true" }

    /// The label of the session on the page.
    var label: String { get throws { try text("return document.getElementById(\"label\").value") } }

    /// JavaScript that imports the page's own function for requests.
    static let importSend = "const { send } = await import(`${location.origin}/source.js`);"

    /// The log of the browser's device in replay order, one event a line.
    func deviceLog() throws -> [String] {
        try text("\(BareTab.importSend)\nreturn await (await send(\"/log.jsonl\")).text();")
            .split(separator: "\n").map(String.init)
    }

    /// Gives the session another label, and waits until that is stored.
    func pressLabel(_ label: String) throws {
        let status = try text(
            """
            \(BareTab.importSend)
            const body = JSON.stringify({ press: "label", label: "\(label)" });
            return String((await send("/press", { method: "POST", body })).status);
            """)
        guard ["200", "204"].contains(status) else { throw Unmet("the press was answered by \(status)") }
    }
}
