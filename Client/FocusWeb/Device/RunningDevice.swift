import FocusAgent
import FocusContact
import FocusCore
import FocusDevice
import FocusFront
import FocusLink
import FocusPage
import FocusSeal
import FocusStore
import FocusSync
import FocusText
import SQLiteKit

/// A device on the disk of a browser, with its agent and its pages.
final class RunningDevice {
    /// The paths of the device's files on the disk.
    static let home = Home(folder: "/device")

    /// The number of events that are replayed at most before requests of pages are handled.
    private static let replaySlice: UInt64 = 16_384

    let device: Device
    /// The WebSocket to the server.
    let socket: BrowserSocket
    private let surroundings: DeviceSurroundings
    let agent: Agent
    private let pages: PageDevice
    private let documents = DocumentCache()
    private let operations: PageOperations
    /// Finds late presses of others, and stores the sentences about them, which pages show.
    private var happenings: HappeningDetector?
    /// The time zone of each page that follows.
    private var followers: [Int32: LocalZone] = [:]
    /// Whether the device connects. A device that can only read doesn't.
    private var hasStarted = false
    /// Whether pages must be shown the log again.
    private var needsRefresh = false

    /// Opens the device's log, and makes it if there is none.
    ///
    /// - Throws: `StoreError` if the log can't be opened.
    init(_ storage: BrowserStorage, in surroundings: DeviceSurroundings) throws(StoreError) {
        self.surroundings = surroundings
        let browser = surroundings.browser
        let home = RunningDevice.home
        let store = try DeviceStore(path: home.database, on: .virtual(storage.disk)) {
            ReplicaID(rawValue: browser.random(8).littleEndianNumber)
        }
        store.replaySlice = RunningDevice.replaySlice
        let device = Device(
            home, store,
            Platform(
                storage, surroundings.clocks, host: surroundings.configuration.host, in: browser))
        self.device = device
        let socket = BrowserSocket(to: surroundings.configuration.address, time: surroundings.time) {
            surroundings.output(.socket($0))
        }
        self.socket = socket
        let key = StoredDeviceKey(device, storage)
        let makeChannel = surroundings.makeChannel
        let routes: ServerRoutesProvider = { (server, patience) throws(LocalFailure) in
            let (pair, secrets) = try key.loadOrCreate()
            let route = socket.route(within: patience) { () throws(SealError) in
                try makeChannel(pair, server.pin)
            }
            return ServerRoutes(secrets, routes: [route])
        }
        let agent = Agent(
            device, by: routes, time: surroundings.time, random: { browser.random(8).littleEndianNumber })
        self.agent = agent
        pages = PageDevice(
            device, surroundings.time, recordSuspension: { agent.recordSuspension() },
            announceChanges: { agent.poked() })
        operations = PageOperations(device, by: routes, time: surroundings.time)
        connectParts()
    }

    private func connectParts() {
        agent.observer = self
        let me = Weak(wrappedValue: self)
        agent.hasViews = { me.wrappedValue?.followers.isEmpty == false }
        happenings = HappeningDetector(
            device, surroundings.time,
            isCaughtUp: { [agent, device] in
                agent.mayReportHappenings() && (try? device.isCatchingUp()) != true
            }
        ) { _ in me.wrappedValue?.needsRefresh = true }
        pages.didChange = { me.wrappedValue?.show($0) }
        // The agent's connection makes room for the operation's.
        operations.didBegin = { me.wrappedValue?.renewConnection() }
        operations.didEnd = { me.wrappedValue?.operationEnded(isJoining: $0) }
    }

    /// Begins to connect.
    func start() throws(StoreError) {
        hasStarted = true
        try agent.start()
        try happenings?.refresh()
    }

    /// Checks the whole database, which takes long for a long log.
    ///
    /// - Throws: `StoreError` if it has a fault.
    func checkDatabase() throws(StoreError) {
        if let problem = try device.store.integrityProblems().first { throw StoreError(.damaged, problem) }
    }

    /// Reads the log again for the pages if it has changed.
    func refreshPages() {
        guard needsRefresh else { return }
        attempt { () throws(StoreError) in try happenings?.refresh() }
        needsRefresh = false
        pages.refresh()
    }

    /// Connects again, even if the WebSocket seems open, because the browser or its machine stood still.
    func resume() {
        guard hasStarted else { return }
        agent.connection.renew()
        agent.poked()
        needsRefresh = true
    }

    /// Runs `body`. If that throws, writes the error to the console.
    private func attempt(_ body: () throws(StoreError) -> Void) {
        do throws(StoreError) { try body() } catch { log(.failed(error)) }
    }

    private func renewConnection() { if socket.isBusy { agent.connection.renew() } }

    private func operationEnded(isJoining: Bool) {
        if isJoining { pages.isJoining = false }
        if hasStarted { agent.poked() }
    }

    /// Returns the whole log as text.
    func log() throws(PageError) -> String {
        do throws(StoreError) { return try LogExport(device.store).lines() } catch {
            throw .device(.store(error, path: device.home.database))
        }
    }

    // MARK: - Pages

    /// Handles a request of a page. The answer may come later.
    func handle(_ request: PageRequest, answer: @escaping (PageAnswer) -> Void) {
        do throws(PageError) {
            switch try pages.step(request) {
            case .answer(let given): answer(given)
            case .document(let make): answer(try make(device, documents))
            case .operation(let operation):
                if operation.isJoining { pages.isJoining = true }
                try operations.run(operation, for: request, answer: answer)
            case .giveUpJoining:
                operations.giveUpJoining()
                answer(PageAnswer(204))
            case .unknown: answer(.unknown)
            }
        } catch {
            answer(PageAnswer(error, device.home, by: request.clocks))
        }
    }

    /// Sends states to a page from now on, by the clocks of its zone.
    func follow(_ page: Int32, by clocks: LocalZone) {
        do throws(PageError) {
            let state = try pages.follow()
            followers[page] = clocks
            agent.wakeUp()
            send(state, to: page, by: clocks)
        } catch {
            let answer = PageAnswer(error, device.home, by: clocks)
            surroundings.browser.log(String(decoding: answer.body, as: UTF8.self))
        }
    }

    /// Sends no more states to a page.
    func unfollow(_ page: Int32) {
        guard followers.removeValue(forKey: page) != nil, followers.isEmpty else { return }
        pages.unfollow()
    }

    private func show(_ state: PageState) {
        for (page, clocks) in followers.sorted(by: { $0.key < $1.key }) { send(state, to: page, by: clocks) }
    }

    private func send(_ state: PageState, to page: Int32, by clocks: LocalZone) {
        surroundings.output(.state(page: page, state.json(by: clocks)))
    }
}

extension RunningDevice: AgentObserver {
    func log(_ event: AgentEvent) { surroundings.browser.log(event.line) }

    func noticed(_ notice: SyncNotice) {
        surroundings.browser.log(notice.sentence)
        guard notice.isAboutConflict else { return }
        attempt { () throws(StoreError) in try happenings?.reportConflict(notice.sentence) }
    }

    func changed(_ what: AgentChange) { needsRefresh = true }
    func wrote(_ written: [Event], on occasion: SelfWriteOccasion, at now: SharedInstant) {}
    func ended() {}
}
