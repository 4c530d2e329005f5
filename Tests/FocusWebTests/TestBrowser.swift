import FocusCore
import FocusDevice
import FocusPage
import FocusSeal
import FocusServerCore
import FocusText
import MemoryBrowser
import MemoryServer
import Testing

@testable import FocusWeb

/// A browser with a database and a WebSocket to a `MemoryServer`, without TLS. It does nothing by itself: `run` carries
/// out the device's requests.
final class TestBrowser: WebBrowser {
    private(set) var device: BrowserDevice?
    /// The result of the last `begin`.
    private(set) var beginResult: BrowserDevice.BeginResult?
    private let server: MemoryServer?
    private var line: MemoryLine?
    private var isConnecting = false
    private var key: Digest?
    private var seed: UInt64
    private let channelState: SecureChannelState?
    /// The records, by their keys, and all sets of changes, as the device gave them.
    private(set) var database = BrowserDatabase()
    private(set) var changes: [[UInt8]] = []
    private var unstored: [(number: UInt64, records: [UInt8])] = []
    /// Whether changes are stored as soon as `run` is called.
    var stores = true
    /// Whether a WebSocket opens, or is refused at once. If not, nothing happens.
    var connects = true
    private(set) var requests: [BrowserSocket.Request] = []
    private var pendingRequests: [BrowserSocket.Request] = []
    private(set) var answers: [Int32: PageAnswer] = [:]
    private(set) var states: [Int32: [JSON]] = [:]
    private(set) var deadline: Duration?
    private(set) var isUnusable = false
    private(set) var lines: [String] = []
    private var lastRequest: Int32 = 0
    /// The time that has passed without a server.
    private var passed = Duration.zero
    /// The time by which the wall clock was set ahead, or the steady clock stood still.
    var lead = Duration.zero

    /// The time at which a `MemoryServer` begins.
    private static let start = SharedInstant(milliseconds: 1_763_661_600_000)

    /// A browser with a database.
    ///
    /// - Parameters:
    ///   - seed: The seed of its random numbers.
    ///   - state: The state of each channel as it begins; nil if it is open.
    init(
        _ seed: UInt64, _ server: MemoryServer? = nil, database: BrowserDatabase = BrowserDatabase(),
        shows state: SecureChannelState? = nil
    ) {
        channelState = state
        self.seed = seed
        self.server = server
        self.database = database
    }

    /// The browser's clocks, which are the server's if there is one.
    var time: BrowserTime {
        let passed = server.map { $0.now - TestBrowser.start } ?? passed
        return BrowserTime(
            wall: TestBrowser.start + passed + lead, steady: .zero + .seconds(1_000) + passed)
    }

    /// Starts a worker with a device on what the database has. Returns whether the device can be used.
    @discardableResult
    func begin() -> Bool {
        let device = BrowserDevice(in: self) { [self] (pair, pin) throws(SealError) in
            key = try pair.key.publicKey.hash()
            return PlainChannel(channelState ?? .open(server: pin.key))
        }
        self.device = device
        for record in database.encoded { device.stored(record) }
        beginResult = device.begin(
            Array(#"{"origin":"https://focus.example","host":"browser\#(seed)"}"#.utf8), at: time)
        return beginResult == .running
    }

    // MARK: - The device's calls

    func ask(_ request: BrowserSocket.Request) {
        requests.append(request)
        pendingRequests.append(request)
    }

    func store(_ records: [UInt8], number: UInt64) {
        changes.append(records)
        unstored.append((number, records))
    }

    func answer(_ id: Int32, _ answer: PageAnswer) { answers[id] = answer }

    func show(_ state: String, on page: Int32) {
        if let state = try? JSON(parsing: state.utf8) { states[page, default: []].append(state) }
    }

    func reportUnusable() { isUnusable = true }

    func wake(after delay: Duration?) { deadline = delay }

    var zone: Zone { .utc }

    func random(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: seed >> 33)
        }
    }

    func log(_ line: String) { lines.append(line) }

    // MARK: - The browser's work

    /// Stores the oldest changes. Returns whether there were any.
    @discardableResult
    func storeNext() -> Bool {
        guard !unstored.isEmpty else { return false }
        let (number, records) = unstored.removeFirst()
        database.apply(records)
        device?.stored(upTo: number, at: time)
        return true
    }

    /// Fails to store the changes that wait.
    func failStoring(_ failure: BrowserDevice.StoringFailure) {
        unstored = []
        device?.failed(failure, at: time)
    }

    /// Does all work that needs no time.
    func run() throws {
        for _ in 0..<10_000 {
            if stores, storeNext() { continue }
            if !pendingRequests.isEmpty {
                try handle(pendingRequests.removeFirst())
                continue
            }
            if try exchange() { continue }
            guard let deadline, deadline <= .zero else { return }
            device?.woke(at: time)
        }
        Issue.record("the browser's work has no end")
    }

    private func handle(_ request: BrowserSocket.Request) throws {
        switch request {
        case .connect:
            hangUp()
            guard connects else { return }
            guard server != nil else {
                device?.closed(at: time)
                return
            }
            // The channel names the device's key.
            device?.opened(at: time)
            line = key.flatMap { server?.connect($0, from: 1) }
            if line == nil { device?.closed(at: time) }
        case .send(let bytes): line?.deliver(bytes)
        case .disconnect: hangUp()
        }
    }

    private func hangUp() {
        if let line { server?.hangUp(line) }
        line = nil
    }

    /// Carries bytes from the server to the device. Returns whether there were any, or the server has closed.
    private func exchange() throws -> Bool {
        try server?.runUntilIdle()
        guard let line else { return false }
        let received = line.takeSent()
        if !received.isEmpty {
            device?.received(received, at: time)
            return true
        }
        guard line.isClosed else { return false }
        self.line = nil
        device?.closed(at: time)
        return true
    }

    /// Lets all clocks advance.
    func advance(by seconds: Int64) {
        passed += .seconds(seconds)
        server?.advance(by: seconds)
        device?.woke(at: time)
    }

    // MARK: - Pages

    /// Sends a page's request, and returns its number.
    @discardableResult
    func send(_ method: String, _ path: String, _ body: String = "") -> Int32 {
        lastRequest += 1
        let request = JSON.object([
            JSON.Member("method", .string(method)), JSON.Member("path", .string(path)),
            JSON.Member("body", .string(body)),
        ])
        device?.request(lastRequest, Array("\(request)".utf8), at: time)
        return lastRequest
    }

    /// Sends a page's request, works until it is answered, and returns the answer.
    func ask(_ method: String, _ path: String, _ body: String = "") throws -> PageAnswer {
        let id = send(method, path, body)
        for _ in 0..<60 {
            try run()
            if let answer = answers[id] { return answer }
            advance(by: 1)
        }
        return try #require(answers[id])
    }

    /// Presses, and expects that it is done.
    func press(_ body: String) throws {
        let answer = try ask("POST", "/press", body)
        #expect(answer.status == 200 || answer.status == 204, "\(body): \(answer.text)")
    }

    /// The exported log.
    func log() throws -> String {
        let answer = try ask("GET", "/log.jsonl")
        #expect(answer.status == 200)
        return answer.text
    }
}

extension PageAnswer {
    /// The body as text.
    var text: String { String(decoding: body, as: UTF8.self) }

    /// A text in the body's JSON object.
    func member(_ name: String) -> String? { (try? JSON(parsing: body))?[name]?.text }
}
