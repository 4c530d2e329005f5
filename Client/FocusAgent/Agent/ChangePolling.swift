import FocusCore
import FocusDevice
import FocusStore

/// An agent's regular looks for changes that nobody reported: by a command that couldn't reach the agent, or a
/// suspension of the machine.
final class ChangePolling {
    weak var agent: Agent?
    private let device: Device
    private let time: any Scheduler
    private var next: (any Alarm)?
    /// Whether the longer interval between looks, `rest`, is in use.
    private var isResting = false
    /// The database's change count at the agent's last look.
    private var seenChange: Int64?

    /// The interval of the looks.
    private static let interval = Duration.seconds(5)
    /// The interval while nothing runs and no view is open: nobody would see a change earlier.
    private static let rest = Duration.seconds(20)

    init(_ device: Device, time: any Scheduler) {
        self.device = device
        self.time = time
    }

    /// Begins to look, or begins a new interval.
    func schedule() {
        guard let agent else { return }
        isResting = !agent.isLookedAt() && !isRunning
        next = time.schedule(after: isResting ? ChangePolling.rest : ChangePolling.interval) { [weak self] in
            self?.agent?.pollForChanges()
            if self?.agent?.isStopping == false { self?.schedule() }
        }
    }

    /// Ends the looks.
    func cancel() { next?.cancel() }

    /// Returns to the shorter interval if a view has opened, or something may run.
    func wakeUp() {
        guard isResting, let agent, agent.isLookedAt() || isRunning else { return }
        cancel()
        schedule()
    }

    /// Whether the timer runs. True if that can't be read.
    private var isRunning: Bool {
        guard let state = try? device.store.state(), let now = try? device.now() else { return true }
        if case .running = TimerState(state, at: now).status { return true }
        return false
    }

    /// Runs `body`, which handles all changes up to now. If that throws, the changes are still unseen.
    func handleChanges(_ body: () throws -> Void) throws {
        let change = try device.store.changeCount()
        try body()
        seenChange = change
    }

    /// Returns whether the database has changed since the last look.
    func hasChanged() throws -> Bool { try device.store.changeCount() != seenChange }
}
