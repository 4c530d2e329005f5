package import FocusCore
package import FocusDevice
import FocusStore

/// The device's shown state, and the actions on it. The page uses it, and `DeviceModel`, which makes it
/// observable. It belongs to one thread.
///
/// It reads the log when told to, and when an idle session closes. It also reads it at each second of a running
/// clock, and at each minute of a paused one or of a shown press. A view that shows less needs that less often
/// (`Pace`).
package final class ModelCore {
    /// The presentation, from which every front end draws.
    package private(set) var presentation: Presentation
    /// The data of `focus status`.
    package private(set) var status: DeviceStatus
    /// The reason why the log can't be read, or nil if it can. While there is one, the other properties keep
    /// their last values.
    package private(set) var failure: DeviceFailure?

    /// The timer as it is shown. A press on a view is meant for it.
    package private(set) var shown: ShownTimer
    /// The instant at which `shown` was first shown, or nil if it is shown since the model was made.
    private var shownSince: SteadyInstant?
    /// The view with the press that caused `shown`, or nil if no press on this model caused it.
    private var shownBy: String?

    /// The laptop of the log. It belongs to the model's thread.
    package let device: Device
    private let time: any Scheduler
    private let pace: Pace
    private let announceChanges: () -> Void
    private var alarm: (any Alarm)?
    /// Called after a change of `presentation`, `status` or `failure`. `isPresentationNew`: Whether the first
    /// has changed.
    package var didChange: (_ isPresentationNew: Bool) -> Void = { _ in }
    /// The database's change count at the model's last look.
    private var seenChange: Int64

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

    deinit { end() }

    /// Cancels the next look. In Embedded Swift, which has no weak references, the owner has to call this at
    /// the end.
    package func end() {
        alarm?.cancel()
        alarm = nil
    }

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
            if failure != nil {
                failure = nil
                didChange(false)
            }
            setAlarm(new)
        } catch {
            if failure != error {
                failure = error
                didChange(false)
            }
            setAlarm(status)
        }
    }

    /// Reads the log if another process has changed it. The check is cheap enough to be called often.
    package func lookIfChanged() {
        let change = try? device.store.changeCount()
        if change != seenChange { refresh() }
    }

    /// Carries out a person's interactions, as `Device.perform` does, and shows the result. Then tells the
    /// other laptops.
    ///
    /// - Parameters:
    ///   - screen: The timer on the screen, or nil if that isn't known. A press on the timer fails if the timer
    ///     has changed since. It also fails within a second after a change (`ScreenTimer.reaction`), because it
    ///     was meant for the timer shown before. A change by a press on the same view is no reason to fail,
    ///     unless that press took time away and so began the next phase.
    ///   - events: The number of events in the log on the screen, or nil if that isn't known. If the log has
    ///     others now, an undo fails.
    ///   - view: The name of the view that was pressed, if several views share this model.
    package func perform(
        _ interactions: [Interaction], ago: Duration = .zero, consent: UndoConsent = .toBeAsked,
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
        didChange(isPresentationNew)
    }

    /// Sets the alarm for the next look.
    ///
    /// - Parameter present: The status now. The shown one is older if only the time has passed since.
    private func setAlarm(_ present: DeviceStatus) {
        end()
        guard let wait = untilNextLook(present) else { return }
        alarm = time.schedule(after: wait) { [core = Weak(wrappedValue: self)] in core.wrappedValue?.refresh()
        }
    }

    /// Returns the time until something may change by itself, or nil if nothing can.
    private func untilNextLook(_ present: DeviceStatus) -> Duration? {
        if failure != nil { return ModelCore.retryDelay }
        if case .everySecond = pace, let second = presentation.untilNextSecond { return second }
        let timer = TimerState(present.state, at: present.now)
        let change = [timer.nextChange, present.nextCounted].compactMap { $0 }.min()
            .map { max(.milliseconds(1), $0 - present.now) }
        if case .steps(let untilNext) = pace {
            return [change, untilNext(presentation)].compactMap { $0 }.min()
        }
        // The record of a connection is valid only for a while (`ConnectionState.validity`).
        let mayExpire = present.link.state != .offline || change != nil
        let expiry: Duration? = mayExpire ? ModelCore.longestWait : nil
        let aging = present.recentPress?.untilNextMinute(at: present.now)
        return [change, timer.untilEndMoves, aging, expiry].compactMap { $0 }.min()
    }
}
