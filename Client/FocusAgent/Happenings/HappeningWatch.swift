package import FocusCore
package import FocusDevice
import FocusStore
import FocusWords

/// Notices what happens to the session, whoever brought it about, and tells of each once.
///
/// It lives on one thread, is told to look when the log may have changed, and looks by itself when a phase runs
/// out. What happened before it began isn't told.
package final class HappeningWatch {
    private let device: Device
    private let time: any Timekeeper
    private let isCaughtUp: () -> Bool
    private let tell: ([Happening]) -> Void
    private var last: Look?
    private var alarm: (any Alarm)?

    /// How long until the next phase's end is looked for at most: shared time may be learnt meanwhile.
    private static let longest = Duration.seconds(60)

    /// What was seen.
    private struct Look {
        let state: ReplayState
        let now: SharedInstant
        let group: GroupID?
        /// How far each replica was.
        let heads: [ReplicaID: UInt64]
    }

    /// - Parameters:
    ///   - time: of the thread that it lives on.
    ///   - isCaughtUp: Whether all that others pressed meanwhile is here. Until then nothing is told, so that nobody
    ///     hears of an in-between (docs/protocol.md).
    ///   - tell: is given what happened at once, in its order.
    package init(
        _ device: Device, _ time: any Timekeeper, isCaughtUp: @escaping () -> Bool,
        tell: @escaping ([Happening]) -> Void
    ) {
        self.device = device
        self.time = time
        self.isCaughtUp = isCaughtUp
        self.tell = tell
    }

    /// Looks whether anything has happened.
    ///
    /// - Throws: where the log can't be read; what has happened is told of after the next look.
    package func refresh() throws {
        guard isCaughtUp() else { return lookAgain(after: .seconds(1)) }
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
        setAlarm([TimerState(state, at: now).nextChange, try store.nextCounted()], now)
        // Another group's session is another: it isn't compared.
        guard let before, before.group == look.group else { return }
        let own = Set(replicas.filter(\.isOwn).map(\.id))
        let news = try store.events(beyond: before.heads)
        let presser = try store.lastPresser(of: news, own: own).map { event -> Happening.Cause in
            let replica = event.id.replica
            return own.contains(replica) ? .own : .other(state.name(of: replica))
        }
        var happenings =
            Happening.changes(
                from: before.state, at: before.now, to: state, at: now, pressedBy: presser ?? .own)
            + joined(before.state, state, own: own, at: now) + left(before.state, state, at: now)
        if let message = try latePress(of: news.filter { !own.contains($0.id.replica) }, before, look) {
            try device.noteResolved(message)
            if let place = happenings.firstIndex(where: { if case .other = $0.cause { true } else { false } })
            {
                happenings[place].message = message
            } else {
                happenings.append(Happening(.conflict, .time, TimerState(state, at: now), message: message))
            }
        }
        if !happenings.isEmpty { tell(happenings) }
    }

    /// What to say of another laptop's press that reaches back, and that phases left the history for; nil where there
    /// was none. Its undo needs no consent any more: everybody is told what it brings back.
    private func latePress(of news: [Event], _ before: Look, _ look: Look) throws -> String? {
        let store = device.store
        guard let late = try LatePress(of: news, after: before.state, in: store, look.state, at: look.now)
        else { return nil }
        if late.remedy != nil { try store.setLatePress(late.event.id) }
        return late.sentence(by: look.state.name(of: late.event.id.replica))
    }

    /// Something was done about presses that contradicted each other.
    package func conflict(_ message: String) throws {
        try device.noteResolved(message)
        let timer = TimerState(try device.store.state(), at: try device.now())
        tell([Happening(.conflict, .time, timer, message: message)])
    }

    /// The laptops that weren't there before. One that takes a fresh replica is the same laptop.
    private func joined(
        _ before: ReplayState, _ after: ReplayState, own: Set<ReplicaID>, at now: SharedInstant
    ) -> [Happening] {
        let known = Set(before.devices.values.map(\.key))
        let isNew = { (replica: ReplicaID, key: Digest?) in
            before.devices[replica] == nil && key != nil && !known.contains(key) && !own.contains(replica)
        }
        return after.devices.filter { isNew($0.key, $0.value.key) }.sorted { $0.key < $1.key }
            .map { Happening(.joined, .other(after.name(of: $0.key)), TimerState(after, at: now)) }
    }

    /// The laptops that have left since. What another says of them is no leaving.
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
        lookAgain(after: min(max(.milliseconds(1), change - now), HappeningWatch.longest))
    }

    private func lookAgain(after wait: Duration) {
        alarm?.cancel()
        alarm = time.schedule(after: wait) { [weak self] in
            // A log that can't be read now may be the next time.
            do { try self?.refresh() } catch { self?.lookAgain(after: HappeningWatch.longest) }
        }
    }
}
