import FocusClient
import FocusCore
import FocusSeal
import FocusStore
import FocusSync
import SQLiteKit

/// The background program of a laptop, as `focus agent` is without its loop and socket: keeps one connection.
final class Agent: SyncObserver {
    private unowned let laptop: Laptop
    let device: Device
    private(set) var driver: SyncDriver?
    private var backoff = Backoff()
    private var heardAt = Int64.min / 2
    private var online: Set<String> = []
    /// Counts the connections, so that a retry for an earlier one is none.
    private var attempt = 0
    /// How the last connection ended.
    private(set) var lastEnd: SyncEnd?
    /// How often events were written anew.
    private var reauthored = 0
    /// The notices so far.
    private(set) var notices: [SyncNotice] = []

    init(_ laptop: Laptop, _ device: Device) {
        self.laptop = laptop
        self.device = device
    }

    /// Lets go of its connection: its machine doesn't run it any more.
    func cutLoose() { driver = nil }

    /// Begins to connect, where the laptop is in a group.
    func start() { connect() }

    /// The log changed through another program.
    func poked() {
        if driver == nil, lastEnd == nil { connect() }
        driver?.logChanged()
    }

    /// The laptop belongs to something else now, or should try at once.
    func reconsider() {
        backoff.reset()
        if let driver { driver.leave() } else { connect() }
    }

    func woke() { reconsider() }

    /// Whether the server's welcome has come.
    var isConnected: Bool { driver?.isConnected ?? false }

    private func connect() {
        attempt += 1
        guard driver == nil else { return }
        attemptTo {
            guard let log = try GroupLog(device.store), try device.store.value(.serverKey) != nil else {
                return
            }
            let driver = try SyncDriver(
                .sync(log), by: [laptop.route], store: device.store, clock: try device.clock().estimate,
                time: laptop, observer: self)
            self.driver = driver
            driver.start()
        }
    }

    private func attemptTo(_ body: () throws -> Void) {
        do {
            try body()
        } catch {
            laptop.trace("agent error: \(error)")
            if driver == nil { tryAgainLater() }
        }
    }

    private func tryAgainLater() {
        attempt += 1
        let number = attempt
        let wait = backoff.next(using: &laptop.random)
        laptop.after(Int64(wait) * 1000) { [weak self] in
            guard let self, attempt == number else { return }
            connect()
        }
    }

    // MARK: - What the connection brings

    func enrolled(_ enrolled: Enrolled) throws -> GroupLog {
        throw SyncEnd.failed("let in without having asked")
    }

    func connected(_ presence: [Presence]) {
        backoff.reset()
        lastEnd = nil
        laptop.trace("connected")
        online = Set(presence.filter(\.isConnected).map(\.device.hexadecimal))
        note(.online)
    }

    private func note(_ state: Sharing.Connection) {
        attemptTo { try device.note(ServerLink(state, online: online.sorted())) }
    }

    func logChanged() {}

    func settled(_ traffic: SyncTraffic) {}

    func clockLearnt(_ clock: ClockEstimate) {
        laptop.trace("learns that shared time is \(clock.offset) ahead of its own")
        attemptTo { try device.noteClock(offset: clock.offset) }
    }

    func heard() {
        let now = laptop.now()
        guard now - heardAt > .seconds(5) else { return }
        heardAt = now
        attemptTo { try device.noteHeard() }
    }

    func presenceChanged(_ presence: [Presence]) {
        for device in presence {
            if device.isConnected {
                online.insert(device.device.hexadecimal)
            } else {
                online.remove(device.device.hexadecimal)
            }
        }
        note(.online)
    }

    func notice(_ notice: SyncNotice) {
        notices.append(notice)
        laptop.trace("notice \(notice)")
        switch notice {
        case .branchMoved: laptop.names.forget()
        case .reauthored:
            reauthored += 1
            laptop.world.require(reauthored < 100, "a laptop doesn't write the same anew for ever") {
                laptop.name
            }
            laptop.names.forget()
            laptop.hasReauthored = true
        default: break
        }
    }

    func answered(_ subject: Digest, _ refusal: Refusal?) {}

    func ended(_ end: SyncEnd) {
        driver = nil
        lastEnd = end
        laptop.trace("connection ended: \(end)")
        guard laptop.isUp, laptop.disk.hasPower else { return }
        note(.offline)
        if case .closed(.finished) = end { return connect() }
        tryAgainLater()
    }
}
