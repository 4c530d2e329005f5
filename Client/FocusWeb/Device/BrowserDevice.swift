package import FocusAgent
import FocusCore
package import FocusDevice
import FocusPage
import FocusStore
import FocusText
package import SQLiteKit

/// A device that runs in a browser (docs/architecture.md, "FocusWeb"): its log, its agent and the server of its pages.
///
/// The browser calls it with events, and it calls the browser. It sends, answers and shows nothing before all
/// earlier awaited changes are stored (`BrowserStorage.awaitedNumber`). A press is one. Events of the server are
/// none, because the server sends them again.
package final class BrowserDevice {
    /// The reason why storing failed.
    package enum StoringFailure: Int32, Sendable {
        /// The browser has no room.
        case full = 1
        /// Another tab owns the stored records now.
        case otherOwner = 2
        case other = 3
    }

    /// The result of `begin`.
    package enum BeginResult: Int32, Sendable {
        case running = 0
        /// The stored records can't be used. The device answers requests with the reason.
        case unusable = 1
        /// A newer version has written the stored records. The device answers requests with that.
        case newer = 2
    }

    private enum State {
        /// The browser is adding the stored records.
        case new
        case running(RunningDevice, BrowserStorage)
        case unusable(UnusableDevice)
        /// Another tab owns the stored records.
        case lost
    }

    /// The check of the whole database, once in a device's life.
    private enum DatabaseCheck {
        /// The first state hasn't been shown yet.
        case unplanned
        /// The check may begin from this instant on.
        case planned(SteadyInstant)
        case over
    }

    private let browser: any WebBrowser
    private let makeChannel: SecureChannelMaker
    private var state = State.new
    private var records = StoredContents.FoundRecords()
    private var surroundings: DeviceSurroundings?
    private var outputs = HeldOutputs()
    /// The requests that have no answer yet.
    private var unanswered: Set<Int32> = []
    /// The name of the time zone of each page that follows.
    private var followers: [Int32: String] = [:]
    /// The instant at which the device begins to connect, unless a page follows or asks before. Nil if it has begun,
    /// or won't.
    private var startsAt: SteadyInstant?
    private var check = DatabaseCheck.unplanned
    /// The instant from which on changes are stored that aren't awaited; nil if there are none.
    private var storesAt: SteadyInstant?

    /// The number of changed blocks that are stored without a delay, even if they aren't awaited: 1 MiB.
    private static let batchSize = 256
    /// The delay before changes are stored that aren't awaited. Several are then stored together, and a press
    /// seldom waits for their transaction.
    private static let storingDelay = Duration.milliseconds(100)
    /// The longest time for which a new device waits for a page. The first state is shown before the device writes.
    private static let startDelay = Duration.milliseconds(100)
    /// The time from the first state to the check of the database, in which a person may press.
    private static let checkDelay = Duration.seconds(2)

    /// A device that `begin` starts.
    ///
    /// - Parameter makeChannel: Makes the secure channel to the server on a WebSocket.
    package init(in browser: any WebBrowser, _ makeChannel: @escaping SecureChannelMaker) {
        self.browser = browser
        self.makeChannel = makeChannel
    }

    // MARK: - Calls of the browser

    /// Adds a stored record. Called for each of them before `begin`.
    package func stored(_ record: [UInt8]) { records.insert(record) }

    /// Opens the device on the stored records.
    ///
    /// - Parameter configuration: The JSON object of a `BrowserConfiguration`.
    package func begin(_ configuration: [UInt8], at time: BrowserTime) -> BeginResult {
        let browser = browser
        let clocks = BrowserClocks(time) { hexadecimal(browser.random(16)) }
        let me = Weak(wrappedValue: self)
        surroundings = DeviceSurroundings(
            browser: browser, clocks: clocks, time: DeadlineScheduler(clocks),
            configuration: BrowserConfiguration(parsing: configuration), makeChannel: makeChannel,
            output: { me.wrappedValue?.append($0) })
        let contents = StoredContents(records)
        records = StoredContents.FoundRecords()
        if let damage = contents.damage {
            state = .unusable(UnusableDevice(damage, contents.image))
        } else {
            run(on: BrowserStorage(contents))
        }
        endCall()
        switch state {
        case .running: return .running
        case .unusable(let device) where device.isNewer: return .newer
        case .unusable, .new, .lost: return .unusable
        }
    }

    /// Handles a page's request, in the JSON form of a `PageRequest`. `WebBrowser.answer` follows.
    package func request(_ id: Int32, _ json: [UInt8], at time: BrowserTime) {
        handle(time) {
            start()
            unanswered.insert(id)
            do throws(PageError) {
                try answer(id, to: PageRequest(parsing: json))
            } catch {
                append(.answer(id, PageAnswer(error, RunningDevice.home)))
            }
        }
    }

    /// Sends states to a page from now on. Its times are those of the zone with this name, or of the browser's
    /// zone.
    package func follow(_ page: Int32, zone: String, at time: BrowserTime) {
        handle(time) {
            followers[page] = zone
            running?.follow(page, by: clocks(of: zone))
        }
    }

    /// Sends no more states to a page.
    package func unfollow(_ page: Int32, at time: BrowserTime) {
        handle(time) {
            followers[page] = nil
            running?.unfollow(page)
        }
    }

    /// Called when the WebSocket is open.
    package func opened(at time: BrowserTime) { handle(time) { running?.socket.opened() } }

    /// Called when the WebSocket has received bytes.
    package func received(_ bytes: [UInt8], at time: BrowserTime) {
        handle(time) { running?.socket.received(bytes) }
    }

    /// Called when the WebSocket has closed, or couldn't be opened.
    package func closed(at time: BrowserTime) { handle(time) { running?.socket.closed() } }

    /// Called when all changes up to this number are stored.
    package func stored(upTo number: UInt64, at time: BrowserTime) {
        handle(time) { if case .running(_, let storage) = state { storage.markStored(upTo: number) } }
    }

    /// Called when storing changes has failed, and none of them are stored.
    package func failed(_ failure: StoringFailure, at time: BrowserTime) {
        handle(time) {
            switch failure {
            case .full: restart(after: BrowserText.full)
            case .other: restart(after: BrowserText.notStored)
            case .otherOwner:
                stop(answering: BrowserText.otherOwner)
                state = .lost
            }
        }
    }

    /// Called at the time of the last `WebBrowser.wake`.
    package func woke(at time: BrowserTime) { handle(time) {} }

    /// Called when the page is visible again, or the browser is online again: the WebSocket may be dead.
    package func resumed(at time: BrowserTime) { handle(time) { running?.resume() } }

    // MARK: - The running device

    /// The parts of a device that can be used, for the simulator, which checks them.
    package struct Parts {
        /// The device with its log.
        package let device: Device
        /// The agent. Another observer has to pass everything on to the agent's own one.
        package let agent: Agent
        /// The disk with the log.
        package let disk: VirtualDisk
        /// The encoded key of the device; nil if there is none.
        package let encodedKey: [UInt8]?
        /// Whether everything that was written is stored.
        package let isStored: Bool
        /// Whether all awaited changes are stored.
        package let isDurable: Bool
    }

    /// The parts of the device; nil if it can't be used.
    package var parts: Parts? {
        guard case .running(let running, let storage) = state else { return nil }
        return Parts(
            device: running.device, agent: running.agent, disk: storage.disk, encodedKey: storage.deviceKey,
            isStored: storage.newestNumber <= storage.storedNumber,
            isDurable: storage.awaitedNumber <= storage.storedNumber)
    }

    private var running: RunningDevice? { if case .running(let running, _) = state { running } else { nil } }

    /// Runs a device on stored contents.
    ///
    /// - Parameter isReadOnly: Whether nothing can be stored, so that the device doesn't connect.
    private func run(on storage: BrowserStorage, isReadOnly: Bool = false) {
        guard let surroundings else { return }
        do throws(StoreError) {
            let running = try RunningDevice(storage, in: surroundings)
            state = .running(running, storage)
            if !isReadOnly { startsAt = instant(after: BrowserDevice.startDelay) }
            for (page, zone) in followers.sorted(by: { $0.key < $1.key }) {
                running.follow(page, by: clocks(of: zone))
            }
        } catch {
            surroundings.time.cancelAll()
            state = .unusable(UnusableDevice(error, storage.storedImage))
        }
    }

    /// Begins to connect, unless the device has begun, or can only read.
    private func start() {
        guard startsAt != nil, case .running(let running, let storage) = state else { return }
        startsAt = nil
        do throws(StoreError) { try running.start() } catch { end(because: error, storage) }
    }

    /// Checks the whole database, if nothing waits to be stored or answered.
    private func checkDatabase() {
        guard unanswered.isEmpty, case .running(let running, let storage) = state,
            storage.newestNumber == storage.storedNumber
        else { return }
        check = .over
        do throws(StoreError) { try running.checkDatabase() } catch { end(because: error, storage) }
    }

    /// Ends the running device, because its database can't be used. Requests are answered with the reason from now on.
    private func end(because error: StoreError, _ storage: BrowserStorage) {
        let unusable = UnusableDevice(error, storage.storedImage)
        stop(answering: unusable.reason)
        state = .unusable(unusable)
        browser.reportUnusable()
    }

    /// Returns the instant after a delay. The browser calls the device then.
    private func instant(after delay: Duration) -> SteadyInstant? {
        guard let time = surroundings?.time else { return nil }
        time.schedule(after: delay) {}
        return time.now() + delay
    }

    /// Ends the running device, and answers all requests with a sentence.
    private func stop(answering sentence: String) {
        surroundings?.time.cancelAll()
        (startsAt, storesAt) = (nil, nil)
        if case .planned = check { check = .over }
        outputs.removeAll()
        browser.ask(.disconnect)
        for id in unanswered.sorted() { browser.answer(id, PageAnswer(browserError: sentence)) }
        unanswered = []
    }

    /// Runs the device on the stored contents, for reading only: the browser stores nothing any more.
    private func restart(after sentence: String) {
        guard case .running(_, let storage) = state else { return }
        stop(answering: sentence)
        storage.rollBack()
        storage.disk.refusesWrites = true
        run(on: storage, isReadOnly: true)
    }

    private func clocks(of zone: String) -> LocalZone { (Zone(named: zone) ?? browser.zone).clocks }

    // MARK: - The beginning and end of each call

    private func handle(_ time: BrowserTime, _ body: () -> Void) {
        guard let surroundings else { return }
        if surroundings.clocks.advance(to: time) { running?.resume() }
        surroundings.time.runDue()
        body()
        endCall()
    }

    /// Stores changes, passes on the outputs that wait for nothing more, and does all work that is due.
    private func endCall() {
        guard let surroundings else { return }
        // The browser stores the changes of a press while the states after it are made. A state that was just
        // asked for goes out before the start.
        storeChanges()
        passOutputs()
        surroundings.time.runDue()
        let now = surroundings.time.now()
        if let startsAt, startsAt <= now || !followers.isEmpty { start() }
        if case .planned(let start) = check, start <= now { checkDatabase() }
        running?.refreshPages()
        passOutputs()
        storeChanges()
        browser.wake(after: surroundings.time.untilNext)
    }

    /// Passes on the outputs that wait for nothing more.
    private func passOutputs() {
        var storedNumber = UInt64.max
        if case .running(_, let storage) = state { storedNumber = storage.storedNumber }
        for output in outputs.release(upTo: storedNumber) { pass(output) }
    }

    /// Begins to store changes, unless they may wait, or others are being stored.
    private func storeChanges() {
        guard case .running(_, let storage) = state, mayStore(storage),
            let (number, records) = storage.collectChanges()
        else { return }
        storesAt = nil
        browser.store(records, number: number)
    }

    /// Whether to store changes now. Changes that aren't awaited wait a while for further ones.
    private func mayStore(_ storage: BrowserStorage) -> Bool {
        guard storage.hasChanges, let now = surroundings?.time.now() else { return false }
        if storage.hasAwaitedChanges || storage.disk.changedBlockCount >= BrowserDevice.batchSize {
            return true
        }
        if let storesAt { return storesAt <= now }
        storesAt = instant(after: BrowserDevice.storingDelay)
        return false
    }

    /// Passes on an output once all awaited changes before it are stored.
    private func append(_ output: HeldOutputs.Output) {
        var number: UInt64 = 0
        if case .running(_, let storage) = state { number = storage.awaitedNumber }
        outputs.append(output, after: number)
    }

    private func pass(_ output: HeldOutputs.Output) {
        switch output {
        case .socket(let request):
            browser.ask(request)
            if request == .connect { running?.socket.began() }
        case .answer(let id, let answer): if unanswered.remove(id) != nil { browser.answer(id, answer) }
        case .state(let page, let state):
            guard followers[page] != nil else { return }
            browser.show("\(state)", on: page)
            guard case .unplanned = check, let start = instant(after: BrowserDevice.checkDelay) else {
                return
            }
            check = .planned(start)
        }
    }

    // MARK: - Answers

    private func answer(_ id: Int32, to request: PageRequest) throws(PageError) {
        switch state {
        case .running(let running, _):
            guard request.isForLog else { return running.handle(request) { self.append(.answer(id, $0)) } }
            append(.answer(id, .log(try running.log())))
        case .unusable(let device): append(.answer(id, device.answer(request)))
        case .lost, .new: append(.answer(id, PageAnswer(browserError: BrowserText.otherOwner)))
        }
    }
}
