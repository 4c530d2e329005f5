package import FocusCore
package import FocusDevice
import FocusStore
import Observation

/// The device's shown state, and the actions on it. All views, such as the page, subscribe to it
/// (`ModelSubscription`) and have no timer logic of their own. It belongs to one thread. It reads the log
/// when told to, at each second of a running clock, at each minute of a paused one or of a shown press, and
/// when an idle session closes; for a view that shows less, less often (`Pace`).
@Observable package final class DeviceModel {
    /// The presentation, from which every front end draws.
    package private(set) var presentation: Presentation
    /// The data of `focus status`.
    package private(set) var status: DeviceStatus
    /// The reason why the log can't be read, or nil if it can. While there is one, the other properties keep
    /// their last values.
    package private(set) var failure: DeviceFailure?

    /// The timer as it is shown. A press on a view is meant for it.
    @ObservationIgnored package private(set) var shown: ShownTimer
    /// The instant at which `shown` was first shown, or nil if it is shown since the model was made.
    @ObservationIgnored private var shownSince: SteadyInstant?
    /// The view with the press that caused `shown`, or nil if no press on this model caused it.
    @ObservationIgnored private var shownBy: String?

    /// The laptop of the log. It belongs to the model's thread.
    @ObservationIgnored package let device: Device
    @ObservationIgnored private let time: any Scheduler
    @ObservationIgnored private let pace: Pace
    @ObservationIgnored private let announceChanges: () -> Void
    @ObservationIgnored private var alarm: (any Alarm)?
    /// The database's change count at the model's last look.
    @ObservationIgnored private var seenChange: Int64
    /// The last result of `history`, and its inputs.
    @ObservationIgnored private var knownHistory: KnownHistory?
    @ObservationIgnored private var journal = KnownJournal()
    /// The number of times that the result of `history` has changed.
    @ObservationIgnored package private(set) var historyVersion = 0

    /// The longest time until the next look. The record of a connection may become invalid without a change
    /// (`ConnectionState.validity`).
    private static let longestWait = Duration.seconds(30)
    /// The time until a log that can't be read is tried again.
    private static let retryDelay = Duration.seconds(2)

    /// The times at which a view changes though nothing was pressed.
    package enum Pace {
        /// Whenever anything that front ends show may change.
        case everySecond
        /// Only when the timer changes by itself, and at steps of its time. The function returns the time until
        /// the next step, or nil if there is none.
        case steps((Presentation) -> Duration?)
    }

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
        self.device = device
        self.time = time
        self.pace = pace
        self.announceChanges = announceChanges
        seenChange = try device.attempt { device throws(StoreError) in try device.store.changeCount() }
        let status = try device.attempt { device throws(StoreError) in try DeviceStatus(device) }
        self.status = status
        presentation = status.presentation
        shown = status.shown
        setAlarm(status)
    }

    deinit { alarm?.cancel() }

    /// Reads the log, which may have changed.
    package func refresh() { refresh(after: nil, by: "") }

    /// Reads the log.
    ///
    /// - Parameters:
    ///   - pressed: The timer after a press here, if that is the reason for reading.
    ///   - view: The view with that press.
    private func refresh(after pressed: ShownTimer?, by view: String) {
        do throws(DeviceFailure) {
            seenChange = try device.attempt { device throws(StoreError) in try device.store.changeCount() }
            let new = try device.attempt { device throws(StoreError) in try DeviceStatus(device) }
            record(new.shown, after: pressed, by: view)
            show(new)
            if failure != nil { failure = nil }
            setAlarm(new)
        } catch {
            if failure != error { failure = error }
            setAlarm(status)
        }
    }

    /// Reads the log if another process has changed it. The check is cheap enough to be called often.
    package func lookIfChanged() {
        let change = try? device.store.changeCount()
        if change != seenChange { refresh() }
    }

    /// Carries out a person's interactions, as `Device.perform` does, and shows the result. Then tells the other
    /// laptops.
    ///
    /// - Parameters:
    ///   - screen: The timer on the screen, or nil if that isn't known. A press on the timer fails if the timer
    ///     has changed since. It also fails within a second after a change (`ScreenTimer.reaction`), because it
    ///     was meant for the timer shown before. A change by a press on the same view is no reason to fail,
    ///     unless that press took time away and so began the next phase.
    ///   - events: The number of events in the log on the screen, or nil if that isn't known. If the log has
    ///     others now, an undo fails.
    ///   - view: The name of the view that was pressed, if several views share this model.
    @discardableResult
    package func perform(
        _ interactions: Interaction..., ago: Duration = .zero, consent: UndoConsent = .toBeAsked,
        accepting accepted: BackdatingConsent = .all, on screen: ShownTimer? = nil, events: UInt64? = nil,
        by view: String = ""
    ) throws(PerformFailure) -> InteractionResult {
        let seen = screen.map { ScreenTimer($0, age: age(of: $0, by: view)) }
        let performed: InteractionResult
        do throws(PerformFailure) {
            if let seen, let events, interactions.contains(.undo) {
                try device.checkUndo(on: seen, events: events)
            }
            performed = try device.perform(
                interactions, ago: ago, consent: consent, seen: seen, accepting: accepted)
        } catch {
            if case .notNow(.changed(let present)) = error {
                refresh()
                // The person is told what is shown now, so the next press is meant for it.
                if shown == present { shownBy = view }
            }
            throw error
        }
        // Taking time away may end the phase. The same press again isn't meant for the next phase, because
        // nobody pressed for that phase.
        let isAskedFor = !interactions.contains { if case .addTime = $0 { true } else { false } }
        refresh(after: isAskedFor ? performed.shown : nil, by: view)
        announceChanges()
        return performed
    }

    /// Carries out a person's answer to the question that a view showed, as `Device.answer` does, and shows the
    /// result. Then tells the other laptops.
    ///
    /// - Parameter view: The name of the view that was pressed, if several views share this model.
    package func answer(
        _ answer: AbsenceAnswer, to question: AbsenceQuestion, by view: String = ""
    ) throws(PerformFailure) {
        do throws(PerformFailure) {
            let performed = try device.answer(answer, to: question)
            refresh(after: performed.shown, by: view)
        } catch {
            refresh()
            throw error
        }
        announceChanges()
    }

    /// Tells the agent that a setting of this laptop was changed.
    package func didChangeLaptopSetting() { announceChanges() }

    /// Returns the time since the shown timer changed other than by a press on `view`. Returns nil if a press
    /// on `view` changed it, or `screen` isn't shown any more.
    private func age(of screen: ShownTimer, by view: String) -> Duration? {
        guard screen == shown, shownBy != view, let shownSince else { return nil }
        return device.clocks.sinceBoot() - shownSince
    }

    /// Records the shown timer, and the instant at which it was first shown.
    private func record(_ new: ShownTimer, after pressed: ShownTimer?, by view: String) {
        guard new != shown else { return }
        shown = new
        shownSince = device.clocks.sinceBoot()
        shownBy = new == pressed ? view : nil
    }

    /// Shows a status. Views are notified only if it differs from the last one.
    private func show(_ new: DeviceStatus) {
        let newPresentation = new.presentation
        let isPresentationNew = newPresentation != presentation
        // If only the time has passed, the views change only with the clock, with a paused phase's end, or
        // with a press's age. Then the presentation differs too.
        guard isPresentationNew || !new.equalsButForTime(status) else { return }
        status = new
        if isPresentationNew { presentation = newPresentation }
    }

    /// Sets the alarm for the next look.
    ///
    /// - Parameter present: The status now. The shown one is older if only the time has passed since.
    private func setAlarm(_ present: DeviceStatus) {
        alarm?.cancel()
        alarm = nil
        guard let wait = untilNextLook(present) else { return }
        alarm = time.schedule(after: wait) { [weak self] in self?.refresh() }
    }

    /// Returns the time until something may change by itself, or nil if nothing can.
    private func untilNextLook(_ present: DeviceStatus) -> Duration? {
        if failure != nil { return DeviceModel.retryDelay }
        if case .everySecond = pace, let second = presentation.untilNextSecond { return second }
        let timer = TimerState(present.state, at: present.now)
        let change = [timer.nextChange, present.nextCounted].compactMap { $0 }.min()
            .map { max(.milliseconds(1), $0 - present.now) }
        if case .steps(let untilNext) = pace {
            return [change, untilNext(presentation)].compactMap { $0 }.min()
        }
        // The record of a connection is valid only for a while (`ConnectionState.validity`).
        let mayExpire = present.link.state != .offline || change != nil
        let expiry: Duration? = mayExpire ? DeviceModel.longestWait : nil
        let aging = present.recentPress?.untilNextMinute(at: present.now)
        return [change, timer.untilEndMoves, aging, expiry].compactMap { $0 }.min()
    }
}

// MARK: - The history

extension DeviceModel {
    /// Returns the history up to now. It is read at the first call, and again if it has changed since.
    package func history() throws(DeviceFailure) -> History {
        let key = HistoryKey(
            position: status.state.position, events: status.state.eventCount,
            ordinal: TimerState(status.state, at: status.now).run?.ordinal)
        if let known = knownHistory, known.key == key { return known.history }
        let (state, journal) = try device.attempt { device throws(StoreError) in
            try device.store.history(knowing: &self.journal)
        }
        let ended = state.phases(endedBy: status.now)
        if var known = knownHistory, known.version == self.journal.version, known.ended == ended {
            known.key = key
            knownHistory = known
            return known.history
        }
        // Frees the former history first, so that the two aren't in memory together.
        knownHistory = nil
        let history = History(journal, state, at: status.now)
        knownHistory = KnownHistory(
            key: key, version: self.journal.version, ended: ended, history: history)
        historyVersion += 1
        return history
    }

    /// The inputs of the history: the log, and the current run's ended phases.
    private struct HistoryKey: Hashable {
        let position: Position?
        let events: UInt64
        let ordinal: Int64?
    }

    /// A history, and its inputs. After most presses `key` differs, but `version` and `ended` are the same. The
    /// history is then still valid.
    private struct KnownHistory {
        var key: HistoryKey
        /// The version of the journal.
        let version: Int
        /// The current run's ended phases.
        let ended: [PhaseRecord]
        let history: History
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
