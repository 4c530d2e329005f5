import FocusCore
import FocusDevice
import FocusStore

/// An agent's regular checks for changes that no process reported: what a command wrote while it couldn't reach
/// the agent, and suspensions of the machine.
final class ChangePolling {
    @Weak var agent: Agent?
    private let device: Device
    private let time: any Scheduler
    private var next: (any Alarm)?
    /// Whether `longInterval` is in use.
    private var isResting = false
    /// The database's change count before the last successful `handleChanges`; nil before the first.
    private var seenChange: Int64?

    /// The interval between two checks.
    private static let interval = Duration.seconds(5)
    /// The longer interval, for when the timer doesn't run and no view is open. Nobody waits for a change then.
    private static let longInterval = Duration.seconds(20)

    init(_ device: Device, time: any Scheduler) {
        self.device = device
        self.time = time
    }

    /// Schedules the next check, which then schedules another.
    func schedule() {
        guard let agent else { return }
        isResting = !agent.hasViews() && !isRunning
        let interval = isResting ? ChangePolling.longInterval : ChangePolling.interval
        next = time.schedule(after: interval) { [polling = Weak(wrappedValue: self)] in
            guard let polling = polling.wrappedValue else { return }
            polling.agent?.pollForChanges()
            if polling.agent?.isStopping == false { polling.schedule() }
        }
    }

    /// Cancels the next check.
    func cancel() { next?.cancel() }

    /// Returns to the shorter interval if a view has opened, or something may run.
    func wakeUp() {
        guard isResting, let agent, agent.hasViews() || isRunning else { return }
        cancel()
        schedule()
    }

    /// Whether the timer runs, or will by itself. True if that can't be read.
    private var isRunning: Bool {
        guard let state = try? device.shownState(), let now = try? device.now() else { return true }
        switch TimerState(state, at: now).status {
        case .waiting, .running: return true
        case .stopped, .paused: return false
        }
    }

    /// Runs `body`, which handles all changes up to now. If that throws, the changes are still unseen.
    func handleChanges(_ body: () throws(StoreError) -> Void) throws(StoreError) {
        let change = try device.store.changeCount()
        try body()
        seenChange = change
    }

    /// Returns whether the database may have changed since the last successful `handleChanges`.
    func hasChanged() throws(StoreError) -> Bool { try device.store.changeCount() != seenChange }
}
