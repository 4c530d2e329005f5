import FocusText
import SystemKit
import TestSupport

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A headless Chromium with one page. It is commanded by the Chrome DevTools Protocol, without a driver.
final class DevTools {
    /// The path of the browser's program.
    static let program = "/usr/bin/chromium"

    private let programs: Programs
    private let process: pid_t
    private let socket: HTTPClient
    private var lastNumber = 0
    /// The messages that weren't waited for yet.
    private var events: [JSON] = []
    /// The protocol's name for the connection with the page.
    private var page = ""

    /// Starts the browser, with an empty page.
    ///
    /// - Parameter folder: The folder for the browser's files.
    init(_ programs: Programs, in folder: String) throws {
        let data = "\(folder)/browser"
        let process = try programs.start(
            DevTools.program,
            [
                // Measurements may run as root, for which Chromium has no sandbox, and in containers with
                // little shared memory.
                "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu",
                "--no-first-run", "--disable-background-networking", "--disable-component-update",
                "--disable-sync", "--user-data-dir=\(data)", "--window-size=1100,900",
                "--remote-debugging-port=0", "about:blank",
            ])
        do {
            let (port, path) = try DevTools.endpoint(in: data)
            socket = try HTTPClient(port: port)
            let head = try socket.openWebSocket(path, host: "127.0.0.1:\(port)")
            guard head.status == 101 else {
                throw Programs.Failed(description: "the browser answered \(head.status)")
            }
        } catch {
            kill(process, SIGKILL)
            programs.wait(process)
            throw error
        }
        self.process = process
        self.programs = programs
        let target = try ask("Target.createTarget", ["url": .string("about:blank")])["targetId"] ?? .null
        let attached = try ask("Target.attachToTarget", ["targetId": target, "flatten": .bool(true)])
        page = attached["sessionId"]?.text ?? ""
        try ask("Page.enable", in: page)
        try ask("Page.bringToFront", in: page)
    }

    deinit {
        kill(process, SIGTERM)
        _ = programs.wait(process, atMost: .seconds(20))
    }

    /// Waits until the browser listens, and returns the port and the path for commands.
    private static func endpoint(in folder: String) throws -> (port: UInt16, path: String) {
        let end = ContinuousClock.now + .seconds(30)
        while true {
            let text = (try? FileDescriptor.contents(of: "\(folder)/DevToolsActivePort")) ?? []
            let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
            if lines.count == 2, let port = UInt16(lines[0]) { return (port, String(lines[1])) }
            guard ContinuousClock.now < end else {
                throw Programs.Failed(description: "the browser doesn't start")
            }
            poll(nil, 0, 20)
        }
    }

    // MARK: - The page

    /// Opens an address, and waits until its document has replaced the one before.
    func open(_ address: String) throws {
        events = []
        let answer = try ask("Page.navigate", ["url": .string(address)], in: page)
        if let error = answer["errorText"]?.text {
            throw Programs.Failed(description: "\(address): \(error)")
        }
        _ = try event("Page.frameNavigated")
    }

    /// Runs the body of an asynchronous JavaScript function in the page, and returns its result.
    @discardableResult
    func run(_ body: String) throws -> JSON {
        let answer = try ask(
            "Runtime.evaluate",
            [
                "expression": .string("(async () => {\n\(body)\n})()"), "awaitPromise": .bool(true),
                "returnByValue": .bool(true),
            ], in: page)
        guard answer["exceptionDetails"] == nil, let result = answer["result"] else {
            throw Programs.Failed(description: "a script failed: \(answer)")
        }
        return result["value"] ?? .null
    }

    /// Runs a script at the beginning of each document that is opened during `body`.
    func withScript(_ script: String, _ body: () throws -> Void) throws {
        let added = try ask("Page.addScriptToEvaluateOnNewDocument", ["source": .string(script)], in: page)
        let identifier = added["identifier"] ?? .null
        try body()
        try ask("Page.removeScriptToEvaluateOnNewDocument", ["identifier": identifier], in: page)
    }

    /// Returns the bytes of all WebAssembly memories in the page's worker with this script.
    func memory(ofWorker script: String) throws -> Int64 {
        func attach(_ isWanted: Bool) throws {
            try ask(
                "Target.setAutoAttach",
                [
                    "autoAttach": .bool(isWanted), "waitForDebuggerOnStart": .bool(false),
                    "flatten": .bool(true),
                ], in: page)
        }
        try attach(true)
        let worker = try event("Target.attachedToTarget") { parameters in
            parameters["targetInfo"]?["url"]?.text?.hasSuffix(script) == true
        }["sessionId"]?.text
        let prototype = try ask(
            "Runtime.evaluate", ["expression": .string("WebAssembly.Memory.prototype")], in: worker)
        let found = try ask(
            "Runtime.queryObjects", ["prototypeObjectId": prototype["result"]?["objectId"] ?? .null],
            in: worker)
        let sum = try ask(
            "Runtime.callFunctionOn",
            [
                "objectId": found["objects"]?["objectId"] ?? .null,
                "functionDeclaration": .string(
                    "function () { return this.reduce((sum, { buffer }) => sum + buffer.byteLength, 0); }"),
                "returnByValue": .bool(true),
            ], in: worker)
        try attach(false)
        guard let bytes = sum["result"]?["value"]?.number, bytes > 0 else {
            throw Programs.Failed(description: "\(script) has no memory: \(sum)")
        }
        return bytes
    }

    // MARK: - Messages

    /// Sends a command, waits for its answer and returns the result.
    @discardableResult
    private func ask(
        _ command: String, _ parameters: KeyValuePairs<String, JSON> = [:], in session: String? = nil
    ) throws -> JSON {
        lastNumber += 1
        let number = Int64(lastNumber)
        var members = [
            JSON.Member("id", .integer(number)), JSON.Member("method", .string(command)),
            JSON.Member("params", .object(parameters.map { JSON.Member($0.key, $0.value) })),
        ]
        if let session { members.append(JSON.Member("sessionId", .string(session))) }
        socket.sendFrame(Array(JSON.object(members).description.utf8), first: 0x81)
        while true {
            let message = try JSON(parsing: socket.frame().content)
            guard message["id"]?.number == number else {
                events.append(message)
                continue
            }
            guard let result = message["result"] else {
                throw Programs.Failed(description: "\(command): \(message)")
            }
            return result
        }
    }

    /// Waits for an event, and returns its parameters. Drops the messages before it.
    private func event(_ name: String, where isWanted: (JSON) -> Bool = { _ in true }) throws -> JSON {
        while true {
            let message = try events.isEmpty ? JSON(parsing: socket.frame().content) : events.removeFirst()
            guard message["method"]?.text == name, let parameters = message["params"] else { continue }
            if isWanted(parameters) { return parameters }
        }
    }
}
