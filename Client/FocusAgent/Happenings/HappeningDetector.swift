package import FocusCore
package import FocusDevice
import FocusFront
package import FocusStore

/// Detects each happening of the session, on any laptop, and reports it once.
///
/// It belongs to one thread. Its owner calls `refresh` when the log may have changed, and an alarm calls
/// `refresh` when a phase ends or the warning before that is due. Happenings before the first call aren't
/// reported.
package final class HappeningDetector {
    private let device: Device
    private let time: any Scheduler
    private let isCaughtUp: () -> Bool
    private let tell: ([Happening]) -> Void
    /// The last look; nil before the first one.
    private var last: Look?
    private var warning = PhaseWarning()
    private var alarm: (any Alarm)?

    /// The longest time until the next look for a phase's end: shared time may change meanwhile.
    private static let longest = Duration.seconds(60)

    /// The log as it was at one look.
    private struct Look {
        let state: ReplayState
        let now: SharedInstant
        let group: GroupID?
        /// The last seq of each replica.
        let heads: [ReplicaID: UInt64]
    }

    /// A detector for a device's log.
    ///
    /// - Parameters:
    ///   - time: The clock and alarms of its thread.
    ///   - isCaughtUp: Returns whether all events have arrived that others pressed while this laptop was cut
    ///     off. Until then nothing is reported, so that nobody hears of intermediate states
    ///     (docs/protocol.md).
    ///   - tell: Called with the happenings of one look, in order.
    package init(
        _ device: Device, _ time: any Scheduler, isCaughtUp: @escaping () -> Bool,
        tell: @escaping ([Happening]) -> Void
    ) {
        self.device = device
        self.time = time
        self.isCaughtUp = isCaughtUp
        self.tell = tell
    }

    /// Reads the log, and reports what has happened since the last look.
    ///
    /// - Throws: `StoreError` if the log can't be read; the next look reports what has happened.
    package func refresh() throws(StoreError) {
        guard isCaughtUp() else { return lookAgain(after: .seconds(1)) }
        // Early events may count by now, because their time has come.
        device.updateCounted()
        let store = device.store
        let state = try store.state()
        let now = try device.now()
        let replicas = try store.replicas()
        let look = Look(
            state: state, now: now, group: try store.group(),
            heads: Dictionary(uniqueKeysWithValues: replicas.map { ($0.id, $0.seq) }))
        let before = last
        last = look
        let timer = TimerState(state, at: now)
        let isWarning = warning.update(timer, setting: try LaptopSetting.warnBefore.value(store))
        setAlarm([timer.nextChange, warning.next, try store.nextCounted()], now)
        // Another group has another session, so the two aren't compared.
        guard let before, before.group == look.group else { return }
        let own = Set(replicas.filter { $0.isOwn }.map { $0.id })
        let news = try store.events(beyond: before.heads)
        let press = try store.lastPresser(of: news, own: own)
        let presser = press.map { event -> Happening.Cause in
            let replica = event.id.replica
            return own.contains(replica) ? .own : .other(state.name(of: replica))
        }
        // Early events that count only now aren't among `news`. Their effects are reported as this laptop's
        // own.
        var happenings =
            Happening.changes(
                from: before.state, at: before.now, to: state, at: now, pressedBy: presser ?? .own,
                isCompletion: press.map { if case .complete = $0.action { true } else { false } } ?? false,
                isPlanned: press?.isPlannedStart ?? false)
            + joined(before.state, state, own: own, at: now) + left(before.state, state, at: now)
        if isWarning { happenings.append(Happening(.phaseWarning, .time, timer)) }
        let others = happenings.firstIndex { if case .other = $0.cause { true } else { false } }
        if let others, happenings[others].cause == presser, let press, let undo = Undo(press),
            let undone = try store.event(undo.target)
        {
            happenings[others].message = undone.action.tookBackSentence
        }
        if let message = try conflict(of: news.filter { !own.contains($0.id.replica) }, before, look) {
            // The message belongs to the happening that the late press caused, if there is one.
            if let others {
                happenings[others].message = message
            } else {
                happenings.append(Happening(.conflict, .time, timer, message: message))
            }
        }
        if !happenings.isEmpty { tell(happenings) }
    }

    /// Stores and returns the text about a late press of another laptop, and about a name of the work that
    /// was lost because another laptop had stopped the session before. Returns nil if there is neither. From
    /// then on `focus undo` of the late press asks nothing, because the text says what the undo brings back.
    private func conflict(of news: [Event], _ before: Look, _ look: Look) throws(StoreError) -> String? {
        let late = try LatePress(of: news, after: before.state, in: device.store, look.state, at: look.now)
        let sentences = [
            late.map { $0.sentence(by: look.state.name(of: $0.event.id.replica), at: look.now) },
            try lostLabel(after: news, besides: late?.event, before, look),
        ].compactMap { $0 }
        guard !sentences.isEmpty else { return nil }
        let text = sentences.joined(separator: " ")
        try device.storeConflictNotice(text, about: late?.remedy == nil ? nil : late?.event.id)
        return [text, late?.remedy?.sentence].compactMap { $0 }.joined(separator: " ")
    }

    /// Returns the sentence about a name that this laptop gave to the work after another laptop had stopped
    /// the session. Nil if there is none: a phase of the session or kept work has the name, or another laptop
    /// changed it.
    ///
    /// - Parameter named: The press that the sentence before names.
    private func lostLabel(
        after news: [Event], besides named: Event?, _ before: Look, _ look: Look
    ) throws(StoreError) -> String? {
        guard let run = before.state.current, !run.label.isEmpty, look.state.current?.label != run.label,
            let stop = news.first(where: { if case .stop(run.id, _) = $0.action { true } else { false } }),
            !news.contains(where: { event in
                switch event.action {
                case .label(run.id, _, _), .undo: true
                default: false
                }
            })
        else { return nil }
        let (state, journal) = try device.store.history()
        let stopped = min(stop.action.at ?? stop.time, stop.time)
        let records = History(journal, state, at: look.now).records
        guard records.contains(where: { $0.run == run.id }),
            !records.contains(where: { $0.label == run.label && ($0.run == run.id || $0.endedAt > stopped) })
        else { return nil }
        let name = stop == named ? nil : look.state.name(of: stop.id.replica)
        return stop.sentence(withoutLabel: run.label, by: name, at: look.now)
    }

    /// Reports that contradicting presses were resolved.
    package func reportConflict(_ message: String) throws(StoreError) {
        try device.storeConflictNotice(message)
        let timer = TimerState(try device.store.state(), at: try device.now())
        tell([Happening(.conflict, .time, timer, message: message)])
    }

    /// Returns happenings for laptops that are new in the log. A laptop under a fresh replica isn't new.
    private func joined(
        _ before: ReplayState, _ after: ReplayState, own: Set<ReplicaID>, at now: SharedInstant
    ) -> [Happening] {
        let known = Set(before.devices.values.map { $0.key })
        let isNew = { (replica: ReplicaID, key: Digest?) in
            before.devices[replica] == nil && key != nil && !known.contains(key) && !own.contains(replica)
        }
        return after.devices.filter { isNew($0.key, $0.value.key) }.sorted { $0.key < $1.key }
            .map { Happening(.joined, .other(after.name(of: $0.key)), TimerState(after, at: now)) }
    }

    /// Returns happenings for laptops that have left since. A revocation by another laptop doesn't count.
    private func left(_ before: ReplayState, _ after: ReplayState, at now: SharedInstant) -> [Happening] {
        after.rulings.filter { key, ruling in
            ruling.isRevoked && before.rulings[key]?.isRevoked != true
                && after.devices[ruling.position.replica]?.key == key
        }.sorted { $0.value.position < $1.value.position }
            .map {
                Happening(
                    .left, .other(after.name(of: $0.value.position.replica)), TimerState(after, at: now))
            }
    }

    private func setAlarm(_ changes: [SharedInstant?], _ now: SharedInstant) {
        guard let change = changes.compactMap({ $0 }).min() else {
            alarm?.cancel()
            alarm = nil
            return
        }
        lookAgain(after: min(max(.milliseconds(1), change - now), HappeningDetector.longest))
    }

    private func lookAgain(after wait: Duration) {
        alarm?.cancel()
        alarm = time.schedule(after: wait) { [detector = Weak(wrappedValue: self)] in
            guard let detector = detector.wrappedValue else { return }
            // A log that can't be read now may be readable later.
            do throws(StoreError) { try detector.refresh() } catch {
                detector.lookAgain(after: HappeningDetector.longest)
            }
        }
    }
}

extension Event {
    /// Whether the event is a start that lay ahead when it was pressed.
    fileprivate var isPlannedStart: Bool {
        if case .start(let start) = action, let begins = start.begins { begins > time } else { false }
    }
}
