package import FocusCore
package import FocusDevice
import FocusStore
import Observation

/// The device's shown state, and the actions on it, for views that observe it (`ModelSubscription`). The views
/// have no timer logic of their own: `ModelCore` has it. It belongs to one thread.
@Observable package final class DeviceModel {
    /// The presentation, from which every front end draws.
    package private(set) var presentation: Presentation
    /// The data of `focus status`.
    package private(set) var status: DeviceStatus
    /// The reason why the log can't be read, or nil if it can. While there is one, the other properties keep
    /// their last values.
    package private(set) var failure: DeviceFailure?

    @ObservationIgnored private let core: ModelCore
    @ObservationIgnored private var knownHistory = KnownHistory()
    /// The last result of `history`, and its inputs.
    @ObservationIgnored private var lastHistory: (key: HistoryKey, history: History)?
    /// The number of times that the result of `history` has changed.
    package var historyVersion: Int { knownHistory.version }

    /// The times at which a view changes though nothing was pressed.
    package typealias Pace = ModelCore.Pace

    /// A model of the device's present state.
    ///
    /// - Parameters:
    ///   - time: The clock and alarms of the model's thread.
    ///   - pace: The times at which the view changes by itself.
    ///   - announceChanges: Tells the agent, and so the other laptops, that something was pressed here.
    package init(
        _ device: Device, _ time: any Scheduler, pace: Pace = .everySecond,
        announceChanges: @escaping () -> Void
    ) throws(DeviceFailure) {
        let core = try ModelCore(device, time, pace: pace, announceChanges: announceChanges)
        self.core = core
        presentation = core.presentation
        status = core.status
        core.didChange = { [weak self] in self?.update(isPresentationNew: $0) }
    }

    /// Shows the core's values. Views are notified only of values that have changed.
    private func update(isPresentationNew: Bool) {
        if failure != core.failure {
            failure = core.failure
        } else {
            status = core.status
            if isPresentationNew { presentation = core.presentation }
        }
    }

    /// The laptop of the log. It belongs to the model's thread.
    package var device: Device { core.device }
    /// The timer as it is shown. A press on a view is meant for it.
    package var shown: ShownTimer { core.shown }

    /// Reads the log, which may have changed.
    package func refresh() { core.refresh() }

    /// Reads the log if another process has changed it. The check is cheap enough to be called often.
    package func lookIfChanged() { core.lookIfChanged() }

    /// Carries out a person's interactions, as `ModelCore.perform` does.
    @discardableResult
    package func perform(
        _ interactions: Interaction..., ago: Duration = .zero, consent: UndoConsent = .toBeAsked,
        accepting accepted: BackdatingConsent = .all, on screen: ShownTimer? = nil, events: UInt64? = nil,
        by view: String = ""
    ) throws(PerformFailure) -> InteractionResult {
        try core.perform(
            interactions, ago: ago, consent: consent, accepting: accepted, on: screen, events: events,
            by: view)
    }

    /// Carries out a person's answer to the question that a view showed, as `ModelCore.answer` does.
    package func answer(
        _ answer: AbsenceAnswer, to question: AbsenceQuestion, by view: String = ""
    ) throws(PerformFailure) { try core.answer(answer, to: question, by: view) }

    /// Tells the agent that a setting of this laptop was changed.
    package func didChangeLaptopSetting() { core.didChangeLaptopSetting() }
}

// MARK: - The history

extension DeviceModel {
    /// Returns the history up to now. It is read at the first call, and again if it has changed since.
    package func history() throws(DeviceFailure) -> History {
        let key = HistoryKey(
            position: status.state.position, events: status.state.eventCount,
            ordinal: TimerState(status.state, at: status.now).run?.ordinal)
        if let last = lastHistory, last.key == key { return last.history }
        // Only `knownHistory` may hold the former history, so that it is freed before the next one is made.
        lastHistory = nil
        let now = status.now
        let history = try device.attempt { device throws(StoreError) in
            try knownHistory.read(device.store, at: now).history
        }
        lastHistory = (key, history)
        return history
    }

    /// The inputs of the history: the log, and the current run's ended phases.
    private struct HistoryKey: Hashable {
        let position: Position?
        let events: UInt64
        let ordinal: Int64?
    }
}

/// A view's subscription to a model: a closure that is called at once, and again after each change of the
/// properties that it read.
///
/// Several changes at once cause one call, in a later turn of the model's thread. The subscription ends when
/// it is cancelled or freed.
package final class ModelSubscription: @unchecked Sendable {
    // Unchecked: models change only on their one thread, so `onChange` is called there too.

    private let time: any Scheduler
    /// The closure; nil once the subscription is cancelled, so that the view is freed.
    private var body: (() -> Void)?
    /// Whether the next call is scheduled.
    private var isDue = false

    /// Calls `body`, which draws from `@Observable` models, and calls it again after each change.
    ///
    /// - Parameter time: The alarms of the models' thread.
    package init(_ time: any Scheduler, _ body: @escaping () -> Void) {
        self.time = time
        self.body = body
        run()
    }

    /// Ends the subscription.
    package func cancel() { body = nil }

    private func run() {
        guard let body else { return }
        isDue = false
        withObservationTracking(body) { [weak self] in self?.changed() }
    }

    /// Handles a change that is about to happen. The new value can be read once this turn is over.
    private func changed() {
        guard !isDue else { return }
        isDue = true
        time.schedule(after: .zero) { [weak self] in self?.run() }
    }
}
