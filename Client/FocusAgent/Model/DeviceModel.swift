package import FocusCore
package import FocusDevice
import FocusStore
import Observation

/// What the device shows and what can be done there, for every view: the full-screen view, the page, `status
/// --follow`. Views follow it (`Following`) and hold no timer logic of their own.
///
/// It lives on one thread. It reads the device's log as it is told to look, and by itself at each whole second of
/// the shown clock while that runs, and when a session that was left closes. While nothing can change by itself it
/// sleeps.
@Observable package final class DeviceModel {
    /// What every front end draws from.
    package private(set) var presentation: Presentation
    /// All that `focus status` knows.
    package private(set) var status: DeviceStatus
    /// Why the log can't be read; nil while it can. Meanwhile the rest is what it was last.
    package private(set) var failure: DeviceFailure?

    /// What the timer shows: what a press on a view is meant for.
    @ObservationIgnored package private(set) var shown: ShownTimer
    /// When it came to show that, where no press here brought it.
    @ObservationIgnored private var shownSince: SteadyInstant?

    /// The laptop whose log is followed. It belongs to the model's thread.
    @ObservationIgnored package let device: Device
    @ObservationIgnored private let time: any Timekeeper
    @ObservationIgnored private let tellOthers: () -> Void
    @ObservationIgnored private var alarm: (any Alarm)?
    /// What the database looked like when the model last looked.
    @ObservationIgnored private var seenChange: Int64
    /// What `history` gave last, and the presence it was asked for in.
    @ObservationIgnored private var knownHistory: KnownHistory?
    @ObservationIgnored private var journal = KnownJournal()
    /// How often what `history` gives has changed.
    @ObservationIgnored package private(set) var historyVersion = 0

    /// A notice of the server's can't be trusted for longer than this (`ServerLink.goodFor`), so one that says
    /// something is looked at again.
    private static let longest = Duration.seconds(30)
    /// How long until a log that can't be read is tried again.
    private static let retry = Duration.seconds(2)

    /// - Parameters:
    ///   - time: of the thread that the model lives on.
    ///   - tellOthers: lets the agent, and so the other laptops, know that something was pressed here.
    package init(
        _ device: Device, _ time: any Timekeeper, tellOthers: @escaping () -> Void
    ) throws(DeviceFailure) {
        self.device = device
        self.time = time
        self.tellOthers = tellOthers
        seenChange = try device.attempt { device throws(StoreError) in try device.store.changeCount() }
        let status = try device.attempt { device throws(StoreError) in try DeviceStatus(device) }
        self.status = status
        presentation = status.presentation
        shown = status.shown
        setAlarm()
    }

    deinit { alarm?.cancel() }

    /// Looks at the log: something may have changed there.
    package func refresh() { refresh(after: nil) }

    /// - Parameter pressed: what a press here has led to, where that is why to look.
    private func refresh(after pressed: ShownTimer?) {
        do throws(DeviceFailure) {
            seenChange = try device.attempt { device throws(StoreError) in try device.store.changeCount() }
            let new = try device.attempt { device throws(StoreError) in try DeviceStatus(device) }
            refresh(new.shown, pressed)
            show(new)
            if failure != nil { failure = nil }
        } catch {
            if failure != error { failure = error }
        }
        setAlarm()
    }

    /// Looks at the log where another process has changed it: cheap enough to be asked often.
    package func lookIfChanged() {
        let change = try? device.store.changeCount()
        if change != seenChange { refresh() }
    }

    /// Carries out what a person asks for, as `Device.perform` does, shows it and lets the others know.
    ///
    /// - Parameter screen: What was on the screen; nil where nothing is known of that. What doesn't hold any more, or came
    ///   there a moment ago by something else than a press on this model's views, isn't pressed through; nor is the phase
    ///   that follows as the time of one was taken away.
    @discardableResult
    package func perform(
        _ interactions: Interaction..., ago: Duration = .zero, consent: UndoConsent = .toBeAsked,
        on screen: ShownTimer? = nil
    ) throws(PerformFailure) -> Performed {
        let performed: Performed
        do throws(PerformFailure) {
            performed = try device.perform(
                interactions, ago: ago, consent: consent, seen: screen.map { SeenTimer($0, age: age(of: $0)) }
            )
        } catch {
            if case .notNow(.changed(let present)) = error {
                refresh()
                // The person is told what is shown now, so the next press is meant for it.
                if shown == present { shownSince = nil }
            }
            throw error
        }
        // Less time may end the phase. The same press again isn't meant for the one after it, which nobody has asked for.
        let isAskedFor = !interactions.contains { if case .addTime = $0 { true } else { false } }
        refresh(after: isAskedFor ? performed.shown : nil)
        tellOthers()
        return performed
    }

    /// How long ago something else than a press here brought what is shown.
    private func age(of screen: ShownTimer) -> Duration? {
        guard screen == shown, let shownSince else { return nil }
        return device.clocks.sinceBoot() - shownSince
    }

    /// Notes since when the timer shows what it does.
    private func refresh(_ new: ShownTimer, _ pressed: ShownTimer?) {
        guard new != shown else { return }
        shown = new
        shownSince = new == pressed ? nil : device.clocks.sinceBoot()
    }

    /// Shows a status. What doesn't differ from before tells nobody.
    private func show(_ new: DeviceStatus) {
        let shown = new.presentation
        // By the clock alone nothing changes, while it isn't shown to run.
        guard shown != presentation || !new.equalsButForTime(status) else { return }
        status = new
        if shown != presentation { presentation = shown }
    }

    private func setAlarm() {
        alarm?.cancel()
        alarm = nil
        guard let wait = untilNextLook else { return }
        alarm = time.schedule(after: wait) { [weak self] in self?.refresh() }
    }

    /// How long until something may have changed by itself; nil where nothing can.
    private var untilNextLook: Duration? {
        if failure != nil { return DeviceModel.retry }
        if let second = presentation.untilNextSecond { return second }
        let changes = [TimerState(status.state, at: status.now).nextChange, status.nextCounted]
        let change = changes.compactMap { $0 }.min().map { max(.milliseconds(1), $0 - status.now) }
        let isNoted = status.link.state != .offline
        guard change != nil || isNoted else { return nil }
        return min(change ?? DeviceModel.longest, DeviceModel.longest)
    }
}

// MARK: - The history

extension DeviceModel {
    /// The history up to now. Read when it is first asked for, and again where it has changed since.
    package func history() throws(DeviceFailure) -> History {
        let key = HistoryKey(
            position: status.state.position, events: status.state.eventCount,
            ordinal: TimerState(status.state, at: status.now).run?.ordinal)
        if let known = knownHistory, known.of == key { return known.history }
        let (state, journal) = try device.attempt { device throws(StoreError) in
            try device.store.history(knowing: &self.journal)
        }
        let ended = state.phases(endedBy: status.now)
        if var known = knownHistory, known.version == self.journal.version, known.ended == ended {
            known.of = key
            knownHistory = known
            return known.history
        }
        // What was made before is let go first: the two don't have to be there at once.
        knownHistory = nil
        let history = History(journal, state, at: status.now)
        knownHistory = KnownHistory(
            of: key, version: self.journal.version, ended: ended, history: history)
        historyVersion += 1
        return history
    }

    /// How many entries of the journal were read so far.
    package var entriesRead: Int { journal.entriesRead }

    /// What the history depends on: the log, and which of the current run's phases have ended.
    private struct HistoryKey: Hashable {
        let position: Position?
        let events: UInt64
        let ordinal: Int64?
    }

    /// A history, and what it was made of. Most presses leave no record, so it holds on.
    private struct KnownHistory {
        var of: HistoryKey
        let version: Int
        let ended: [PhaseRecord]
        let history: History
    }
}

/// A view that follows a model: a closure that is called at once, and again after each change of what it read.
///
/// However much changes at once, it is called once, in a later turn of the thread that the model lives on. It
/// follows until it is cancelled or let go.
package final class Following: @unchecked Sendable {
    // Unchecked: models change on their one thread, so `onChange` is called there as all else is.

    private let time: any Timekeeper
    /// Nil once it is cancelled: what the view holds is let go then, itself too.
    private var body: (() -> Void)?
    private var isDue = false

    /// Calls `body`, which draws from `@Observable` models, and keeps calling it.
    ///
    /// - Parameter time: of the thread that the models live on.
    package init(_ time: any Timekeeper, _ body: @escaping () -> Void) {
        self.time = time
        self.body = body
        run()
    }

    /// It is not called any more.
    package func cancel() { body = nil }

    private func run() {
        guard let body else { return }
        isDue = false
        withObservationTracking(body) { [weak self] in self?.changed() }
    }

    /// Something is about to change; it has changed once this turn is over.
    private func changed() {
        guard !isDue else { return }
        isDue = true
        time.schedule(after: .zero) { [weak self] in self?.run() }
    }
}
