import FocusCore
import FocusDevice
import FocusLink
import FocusStore
import FocusSync
import TestSupport

/// A laptop's situation when a welcome arrived, before any of it was merged.
struct Arrival {
    /// The laptop's log; empty if `mustNote` is false.
    let log: [Event]
    /// The events that the server wasn't known to have.
    let pending: Set<EventID>
    /// The group's other devices, as the welcome lists them.
    let others: [NaiveWaking.Witness]
    /// Whether the laptop has to note the offline work that it shows, before it merges anything.
    let mustNote: Bool
    /// When the machine fell asleep, if that sleep is undecided.
    let asleepSince: ClosedRange<SharedInstant>?
    /// When the welcome arrived, by the laptop's shared time.
    let at: SharedInstant
}

extension Action {
    /// The action without the source of kept work. The laptop may write its own name first, which changes
    /// that source.
    fileprivate var unnamed: Action {
        guard case .record(var record) = self else { return self }
        record.source = ""
        return .record(record)
    }
}

extension [Action] {
    /// The actions except events that only name the laptop.
    var withoutNames: [Action] { filter { !$0.isName } }
}

extension Action {
    /// Whether the action only names a laptop.
    fileprivate var isName: Bool { if case .device = self { true } else { false } }
}

extension Laptop {
    /// Whether the laptop is in a group. If it brings its group again to a server that had lost the group, it
    /// returns; it doesn't join.
    var isInGroup: Bool { (try? device?.store.group()) != nil }

    /// Records that the laptop joins a group on this connection. On joining, another rule says how it notes a
    /// running session, so its return isn't checked here.
    func recordEnrolment(on link: UInt64) {
        joiningLinks.insert(link)
        notes = []
        mayHaveOtherNote = true
    }

    /// Records the laptop's situation when a welcome has arrived on this connection and isn't merged yet.
    ///
    /// - Parameter isLetIn: Whether the laptop was let in just before this, and hasn't finished joining.
    func recordWelcome(_ welcome: Welcome, on link: UInt64, isLetIn: Bool) {
        let isNew = joiningLinks.contains(link)
        let hasNote = (try? device?.store.value(.offlineWorkNote)) != nil
        // If the connection on which the laptop joined has broken, this connection may use the note of the
        // session from before joining. Then this connection isn't checked either.
        if !hasNote, !isLetIn {
            joiningLinks.remove(link)
            mayHaveOtherNote = false
        }
        if hasNote, mayHaveOtherNote { joiningLinks.insert(link) }
        // A log that can't be read is skipped, because the disk may be failing.
        arrivals[link] = (try? arrive(welcome, isNew: isNew)) ?? nil
    }

    /// Returns the situation, or nil if the log is too long for the plain rules.
    private func arrive(_ welcome: Welcome, isNew: Bool) throws -> Arrival? {
        guard let device, try isCheckable() else { return nil }
        let store = device.store
        // If the store has no offline work any more, the notes belonged to a former log.
        if try store.value(.offlineWorkNote) == nil { notes = [] }
        // Without a stored sleep the laptop has none to decide. A new log has no sleeps of the former one.
        if try store.value(.sleep) == nil, sleeps.unknownReason != nil || isNew { sleeps.clear() }
        let pending = try store.pendingOwnEvents()
        let heads = Dictionary(
            uniqueKeysWithValues: try store.replicas().map { ($0.id, $0.chained.seq) })
        let isNews = welcome.vector.heads.contains { $0.value.seq > heads[$0.key] ?? 0 }
        let since = notes.last?.at ?? .zero
        let undecided = sleeps.kept.filter { $0.pause == nil }.map(\.from)
        let mustNote = isNews && pending.contains { $0.time >= since }
        return Arrival(
            log: mustNote ? try wholeLog() ?? [] : [], pending: Set(pending.map(\.id)),
            others: welcome.presence.filter { $0.device != key }
                .map { .init(isConnected: $0.isConnected, lastSeen: $0.lastSeen) },
            mustNote: mustNote,
            asleepSince: undecided.min { $0.lowerBound < $1.lowerBound }, at: try device.now())
    }

    /// Keeps the note of offline work that the laptop made on this connection, until a return uses it.
    func recordNote(on link: UInt64) {
        guard let arrival = arrivals[link], arrival.mustNote, !joiningLinks.contains(link),
            notedLinks.insert(link).inserted
        else { return }
        let note = (try? device?.store.value(.offlineWorkNote)).flatMap { try? OfflineWorkNote(encoded: $0) }
        addNote(arrival, at: note?.notedAt)
    }

    /// Adds the laptop's note to the notes for the plain rules.
    ///
    /// - Parameter instant: The instant of the laptop's note, or nil if it isn't known.
    private func addNote(_ arrival: Arrival, at instant: SharedInstant?) {
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

    /// Checks the events that the laptop wrote by itself.
    func checkWritten(_ written: [Event], on occasion: SelfWriteOccasion, at now: SharedInstant) {
        // A log that can't be read is skipped, because the disk may be failing.
        do {
            switch occasion {
            case .returning: try handleReturn(written, at: now)
            case .beside: try checkSideRuns(written, at: now)
            case .waking: try checkWaking(written, at: now)
            }
        } catch {
            expectedReports = nil
        }
    }

    private func handleReturn(_ written: [Event], at now: SharedInstant) throws {
        expectedReports = nil
        defer {
            notes = []
            mayHaveOtherNote = false
            sleeps.clear()
            recordContinuation()
        }
        // The undos are checked on each return, even if the plain rules skip it. An undo that is pending
        // again, because a server lost it, counts as a person's.
        if let store = device?.store { try checkUndos(written, store) }
        guard let link = receiving, !joiningLinks.contains(link) else {
            return world.countSkippedCheck(receiving == nil ? "by no message" : "joining")
        }
        guard let arrival = arrivals.removeValue(forKey: link), let store = device?.store else {
            return world.countSkippedCheck("a long log")
        }
        guard sleeps.unknownReason == nil else {
            return world.countSkippedCheck("asleep: \(sleeps.unknownReason ?? "just now")")
        }
        if arrival.mustNote, notedLinks.insert(link).inserted {
            guard arrival.asleepSince == nil else {
                return world.countSkippedCheck("asleep: noted and used at once")
            }
            addNote(arrival, at: now)
        }
        try checkReturn(written, at: now, from: arrival, store)
    }

    /// Checks that a laptop knows which undos it wrote by itself and no server has yet.
    private func checkUndos(_ written: [Event], _ store: DeviceStore) throws {
        let storedUndos = try store.returnUndos()
        returnUndos.formUnion(written.filter { Undo($0) != nil }.map(\.stamp))
        // An undo that was lost or re-authored isn't pending any more.
        returnUndos.formIntersection(
            try store.pendingOwnEvents().filter { Undo($0) != nil }.map(\.stamp))
        world.require(
            returnUndos.isSubset(of: storedUndos),
            "a laptop knows which undos it wrote by itself, until a server has them"
        ) { "\(name) knows of \(storedUndos.count), and wrote \(returnUndos.count)" }
    }

    /// Checks that on returning the laptop wrote the actions that `NaiveReturning` says.
    private func checkReturn(
        _ written: [Event], at now: SharedInstant, from arrival: Arrival, _ store: DeviceStore
    ) throws {
        guard let whole = try wholeLog() else { return world.countSkippedCheck("a long log") }
        // The ids of the events that the laptop wrote, without its own name, which it writes before anything
        // else. The plain rules start from the log without these events.
        let writtenIDs = Set(written.filter { !$0.action.isName }.map(\.id))
        let own = Set(try store.ownReplicas())
        let log = whole.filter { !writtenIDs.contains($0.id) }
        let pending = Set(try store.pendingOwnEvents().map(\.id)).subtracting(writtenIDs)
        let storedUndos = try store.returnUndos()
        let actions = written.map(\.action).withoutNames
        let waking = NaiveWaking(sleeps.kept, others: arrival.others)
        guard let writer = written.first?.id.replica ?? own.first,
            let naive = NaiveReturning(
                log, pending: pending, own: own, writer: writer, shown: notes, now: now, waking: waking,
                returnUndos: storedUndos.subtracting(written.map(\.stamp)), continued: continuation,
                written: actions)
        else { return world.require(false, "a laptop's events form a log") { "\(name)'s" } }
        world.countReturnCheck("on returning")
        for action in actions { world.reach.count(.returning, caseOf: action) }
        check(actions, naive, "on returning a laptop writes what the rules say")
        expectReports(naive, at: now)
    }

    /// Checks that the actions that were written equal those of the plain rules.
    func check(_ actions: [Action], _ naive: NaiveReturning, _ rule: String) {
        for rule in naive.rules { world.reach.count(.rule, rule.rawValue) }
        for cell in naive.cells { world.reach.count(.rule, "§5 2: pending \(cell)") }
        world.require(actions.map(\.unnamed) == naive.actions.map(\.unnamed), rule) {
            "\(name) wrote \(actions), not \(naive.actions)"
        }
    }

    /// The greatest number of events that the plain rules are applied to, because they are slow. One laptop
    /// in four, drawn by the seed, has the higher limit `mostOfDrawn`.
    static let mostChecked: UInt64 = 6_000
    static let mostOfDrawn: UInt64 = 20_000
    var isDrawn: Bool { (world.plan.seed &+ UInt64(index)).isMultiple(of: 4) }
}

extension World {
    /// Counts one check of a laptop's own actions.
    func countReturnCheck(_ what: String) { reach.count(.checked, what) }

    /// Counts one case in which a laptop's own actions can't be checked.
    func countSkippedCheck(_ why: String) {
        reach.count(.unchecked, why)
    }
}
