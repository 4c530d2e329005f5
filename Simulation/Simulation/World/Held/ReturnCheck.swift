import FocusCore
import FocusDevice
import FocusLink
import FocusStore
import FocusSync
import TestSupport

/// What a laptop had as a welcome came, before anything of it was taken in.
struct Arrival {
    /// Its log; empty where it is to note nothing.
    let log: [Event]
    /// What of it nobody else was known to have.
    let pending: Set<EventID>
    /// The group's other devices, as the welcome lists them.
    let others: [NaiveWaking.Witness]
    /// Whether it is to note what it shows.
    let notes: Bool
    /// When the machine fell asleep, where nothing is decided about that yet.
    let asleepSince: ClosedRange<SharedInstant>?
    /// When it came, as the laptop believes.
    let at: SharedInstant
}

extension Action {
    /// Without the name of what is kept: a laptop may write its own name before, which moves that.
    fileprivate var unnamed: Action {
        guard case .record(var record) = self else { return self }
        record.source = ""
        return .record(record)
    }
}

extension [Action] {
    /// Without what names the laptop.
    var withoutNames: [Action] { filter { !$0.isName } }
}

extension Action {
    /// Whether it only names a laptop.
    fileprivate var isName: Bool { if case .device = self { true } else { false } }
}

extension Laptop {
    /// Whether it is in a group. Who is let into the group that it is in, by a server that had lost it, returns.
    var isInGroup: Bool { (try? hand?.store.group()) != nil }

    /// It is let into a group on this connection: what somebody is in the middle of alone it notes in its own way.
    func noteLettingIn(on link: UInt64) {
        joining.insert(link)
        notes = []
        hasOtherNote = true
    }

    /// A welcome has come on this connection, and is about to be taken in.
    ///
    /// - Parameter isLetIn: whether it is let into the group just before, and hasn't settled in there yet.
    func noteWelcome(_ welcome: Welcome, on link: UInt64, isLetIn: Bool) {
        let isNew = joining.contains(link)
        let hasNote = (try? hand?.store.value(.shownWork)) != nil
        // What somebody was in the middle of alone is no note that is made here. It outlives the connection that let the
        // laptop in, and is used on a later one where that broke before.
        if !hasNote, !isLetIn {
            joining.remove(link)
            hasOtherNote = false
        }
        if hasNote, hasOtherNote { joining.insert(link) }
        // A log that can't be read now is no news: its disk may be failing.
        arrivals[link] = (try? arrive(welcome, isNew: isNew)) ?? nil
    }

    /// Nil where its log is too long for the plain rules.
    private func arrive(_ welcome: Welcome, isNew: Bool) throws -> Arrival? {
        guard let hand, try isCheckable() else { return nil }
        let store = hand.store
        // Where it has none any more, what was noted is gone with the log that it was of.
        if try store.value(.shownWork) == nil { notes = [] }
        // Of another log's sleeps nothing is kept.
        if try store.value(.sleep) == nil, sleeps.muddle != nil || isNew { sleeps.settle() }
        let pending = try store.pendingOwnEvents()
        let heads = Dictionary(
            uniqueKeysWithValues: try store.replicas().map { ($0.id, $0.chained.seq) })
        let isNews = welcome.vector.heads.contains { $0.value.seq > heads[$0.key] ?? 0 }
        let since = notes.last?.at ?? .zero
        let undecided = sleeps.kept.filter { $0.pause == nil }.map(\.from)
        let isToNote = isNews && pending.contains { $0.time >= since }
        return Arrival(
            log: isToNote ? try wholeLog() ?? [] : [], pending: Set(pending.map(\.id)),
            others: welcome.presence.filter { $0.device != key }
                .map { .init(isConnected: $0.isConnected, lastSeen: $0.lastSeen) },
            notes: isToNote,
            asleepSince: undecided.min { $0.lowerBound < $1.lowerBound }, at: try hand.now())
    }

    /// What came on this connection is taken in: what was noted then stays until it is used.
    func keepNote(on link: UInt64) {
        guard let arrival = arrivals[link], arrival.notes, !joining.contains(link),
            noted.insert(link).inserted
        else { return }
        let kept = (try? hand?.store.value(.shownWork)).flatMap { try? ShownWork(encoded: $0) }
        note(arrival, at: kept?.notedAt)
    }

    /// - Parameter instant: of when the laptop's note is; nil where that can't be seen.
    private func note(_ arrival: Arrival, at instant: SharedInstant?) {
        var at = instant ?? arrival.at
        if at == notes.last?.at { at = arrival.at }
        if let since = arrival.asleepSince, instant != nil, at != arrival.at {
            world.require(
                since.lowerBound - .seconds(1) <= at && at <= since.upperBound + .seconds(1),
                "what was shown is of when the machine fell asleep"
            ) { "\(name) noted it at \(at.milliseconds), not in \(since)" }
        }
        notes.append(
            NaiveNote(
                log: arrival.log, pending: arrival.pending, at: at, isAsleep: arrival.asleepSince != nil))
    }

    /// It has done something by itself.
    func take(_ written: [Event], on occasion: OwnWriting, at now: SharedInstant) {
        // A log that can't be read now is no news: its disk may be failing.
        do {
            switch occasion {
            case .returning: try takeReturn(written, at: now)
            case .beside: try checkBeside(written, at: now)
            case .waking: try checkWaking(written, at: now)
            }
        } catch {
            owed = nil
        }
    }

    private func takeReturn(_ written: [Event], at now: SharedInstant) throws {
        owed = nil
        defer {
            notes = []
            hasOtherNote = false
            sleeps.settle()
        }
        // On each return, be it held to the rules or not: what is pending once more, after a server has lost it, a laptop
        // takes for a person's.
        if let store = hand?.store { try checkUndos(written, store) }
        guard let link = receiving, !joining.contains(link) else {
            return world.skipReturn(receiving == nil ? "by no message" : "joining")
        }
        guard let arrival = arrivals.removeValue(forKey: link), let store = hand?.store else {
            return world.skipReturn("a long log")
        }
        guard sleeps.muddle == nil else {
            return world.skipReturn("asleep: \(sleeps.muddle ?? "just now")")
        }
        if arrival.notes, noted.insert(link).inserted {
            guard arrival.asleepSince == nil else {
                return world.skipReturn("asleep: noted and used at once")
            }
            note(arrival, at: now)
        }
        try checkReturn(written, at: now, from: arrival, store)
    }

    /// A laptop knows which undos it wrote by itself, and no server has yet.
    private func checkUndos(_ written: [Event], _ store: DeviceStore) throws {
        let kept = try store.returnUndos()
        returnUndos.formUnion(written.filter { Undo($0) != nil }.map(\.stamp))
        // One that was lost, or written anew, isn't pending any more.
        returnUndos.formIntersection(
            try store.pendingOwnEvents().filter { Undo($0) != nil }.map(\.stamp))
        world.require(
            returnUndos.isSubset(of: kept),
            "a laptop knows which undos it wrote by itself, until a server has them"
        ) { "\(name) knows of \(kept.count), and wrote \(returnUndos.count)" }
    }

    /// On returning the laptop has written what the rules say, as they are written down a second time.
    private func checkReturn(
        _ written: [Event], at now: SharedInstant, from arrival: Arrival, _ store: DeviceStore
    ) throws {
        guard let whole = try wholeLog() else { return world.skipReturn("a long log") }
        // It may have said its own name first, as it does before anything else.
        let names = Set(written.filter { !$0.action.isName }.map(\.id))
        let own = Set(try store.ownReplicas())
        let log = whole.filter { !names.contains($0.id) }
        let pending = Set(try store.pendingOwnEvents().map(\.id)).subtracting(names)
        let kept = try store.returnUndos()
        let actions = written.map(\.action).withoutNames
        let waking = NaiveWaking(sleeps.kept, others: arrival.others)
        guard let writer = written.first?.id.replica ?? own.first,
            let naive = NaiveReturning(
                log, pending: pending, own: own, writer: writer, shown: notes, now: now, waking: waking,
                returnUndos: kept.subtracting(written.map(\.stamp)), written: actions)
        else { return world.require(false, "a log is a log") { "\(name)'s" } }
        world.counts.returns += 1
        world.holdReturn("on returning")
        for action in actions { world.reach.note(.returning, caseOf: action) }
        if !actions.isEmpty { world.counts.returnsWritten += 1 }
        if !waking.sleeps.isEmpty { world.counts.wakings += 1 }
        check(actions, naive, "on returning a laptop writes what the rules say")
        owe(naive, at: now)
    }

    /// What was written is what the plain rules say.
    func check(_ actions: [Action], _ naive: NaiveReturning, _ rule: String) {
        for rule in naive.rules { world.reach.note(.rule, rule.rawValue) }
        for cell in naive.cells { world.reach.note(.rule, "§5 2: pending \(cell)") }
        world.require(actions.map(\.unnamed) == naive.actions.map(\.unnamed), rule) {
            "\(name) wrote \(actions), not \(naive.actions)"
        }
    }

    /// The rules are plain, and slow, where logs are long. So one laptop in four, by lot, is held against them with a log
    /// that is longer than the others' may be.
    static let mostChecked: UInt64 = 6_000
    static let mostOfDrawn: UInt64 = 20_000
    var isDrawn: Bool { (world.plan.seed &+ UInt64(index)).isMultiple(of: 4) }
}

extension World {
    /// What a laptop did by itself is held against the rules.
    func holdReturn(_ what: String) { reach.note(.held, what) }

    /// What a laptop did by itself can't be held against the rules.
    func skipReturn(_ why: String) {
        counts.skipped += 1
        reach.note(.skip, why)
    }
}
