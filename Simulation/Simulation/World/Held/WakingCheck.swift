import FocusAgent
import FocusCore
import FocusDevice
import FocusStore
import SQLiteKit
import TestSupport

// What a laptop does about time that its machine slept through, held against `NaiveWaking`.
extension Laptop {
    /// The machine falls asleep.
    func noteFallingAsleep() {
        // The agent hasn't looked in between: it finds one sleep.
        if !sleeps.unlooked.isEmpty { sleeps.lose("slept again at once") }
        sleeps.fellAsleep = agent == nil ? nil : clock.sinceBoot()
    }

    /// The machine wakes.
    func noteWaking() {
        guard let fellAsleep = sleeps.fellAsleep, let hand, let now = try? hand.now() else { return }
        sleeps.fellAsleep = nil
        let length = Duration.milliseconds((clock.sinceBoot() - fellAsleep) / 1000)
        // Less than that is a clock's own inaccuracy.
        guard length >= .seconds(2) else { return }
        let from = now - length
        let sleep = NaiveSleep(from: from - .milliseconds(5_100)...from + .milliseconds(100), length: length)
        sleeps.unlooked.append((sleep, isWorthKeeping(sleep)))
        after(5_100_000) { [self] in lookForSleeps() }
    }

    /// Nil where that can't be told.
    private func isWorthKeeping(_ sleep: NaiveSleep, besides written: [Event] = []) -> Bool? {
        guard sleep.isLong else { return false }
        guard let log = try? wholeLog() else { return nil }
        let names = Set(written.map(\.id))
        return NaiveWaking.isWorthKeeping(sleep, in: log.filter { !names.contains($0.id) })
    }

    /// Whether its log is short enough for the plain rules. Once it isn't, it doesn't become so again: of what is noted and
    /// used later all is seen, or nothing.
    func isCheckable() throws -> Bool {
        guard let store = hand?.store else { return false }
        return try store.eventCount() <= (isDrawn ? Laptop.mostOfDrawn : Laptop.mostChecked)
    }

    /// The events of its log that count; nil if there are too many for the plain rules.
    func wholeLog() throws -> [Event]? {
        guard let store = hand?.store, try isCheckable() else { return nil }
        return try store.allStoredEvents().compactMap(\.counted)
    }

    /// Its agent has looked at the clocks by now.
    ///
    /// - Parameter written: what it has written on account of that; nil where it has decided nothing yet.
    func lookForSleeps(written: [Event]? = nil) {
        guard isAwake, disk.hasPower else { return }
        for (sleep, wasWorthIt) in sleeps.unlooked {
            let isWorthIt = isWorthKeeping(sleep, besides: written ?? [])
            guard wasWorthIt != false || isWorthIt != false else { continue }
            var sleep = sleep
            sleep.mayBeUnknown = wasWorthIt != true || isWorthIt != true || disk.isFull
            // What it has kept says whether it has taken note.
            if sleep.mayBeUnknown, written == nil, sleeps.kept.isEmpty,
                let keeps = try? hand?.store.value(.sleep) != nil
            {
                guard keeps || disk.isFull else { continue }
                sleep.mayBeUnknown = !keeps
            }
            sleeps.kept.append(sleep)
            expectDecision(about: sleep)
        }
        sleeps.unlooked = []
    }

    /// Without its server it decides within a minute.
    private func expectDecision(about sleep: NaiveSleep) {
        guard !sleep.mayBeUnknown, let agent, !disk.isFull else { return }
        let wokeAt = world.now
        after(.seconds(62)) { [self, weak agent] in
            let isSame = agent != nil && agent === self.agent
            guard isSame, sleeps.connectedAt < wokeAt, fullAt < wokeAt, !disk.isFull, disk.hasPower,
                sleeps.muddle == nil
            else { return }
            world.require(
                !sleeps.kept.contains(sleep), "time asleep is decided about within a minute"
            ) { "\(name) has done nothing about \(sleep)" }
            world.reach.note(.waking, "decided in time")
        }
    }

    /// Whether what the laptop knows of sleeps can be told; where it can't, it is noted why.
    func knowsSleeps(_ store: DeviceStore) throws -> Bool {
        if sleeps.muddle != nil, sleeps.unlooked.isEmpty, try store.value(.sleep) == nil { sleeps.settle() }
        // What its agent hasn't looked at the laptop knows nothing of.
        return sleeps.muddle == nil
    }

    /// It has decided though its server can't be asked.
    func checkWaking(_ written: [Event], at now: SharedInstant) throws {
        guard let store = hand?.store else { return }
        let isAlone = try store.group() == nil
        if isAlone { lookForSleeps(written: written) }
        defer { noteDecision(written, isAlone) }
        guard let log = try wholeLog(), sleeps.muddle == nil else {
            owed = nil
            return world.skipReturn("waking: \(sleeps.muddle ?? "a long log")")
        }
        let names = Set(written.map(\.id))
        let before = log.filter { !names.contains($0.id) }
        let own = Set(try store.ownReplicas())
        guard
            let naive = NaiveReturning(
                wakingIn: before, own: own, writer: written.first?.id.replica ?? own.first,
                now: now, waking: NaiveWaking(sleeps.kept), written: written.map(\.action).withoutNames)
        else { return }
        check(written.map(\.action).withoutNames, naive, "on waking a laptop writes what the rules say")
        world.holdReturn("on waking")
        world.reach.note(.rule, (isAlone ? NaiveRule.asleepAlone : .asleepUnasked).rawValue)
        owe(naive, at: now)
    }

    /// Keeps in mind which pauses it wrote without knowing who was there.
    private func noteDecision(_ written: [Event], _ isAlone: Bool) {
        guard !isAlone else { return sleeps.settle() }
        // What it keeps of sleeps before this one stays unknown: a pause that it wrote then may be taken back yet.
        guard sleeps.muddle == nil else { return }
        var pauses = written.filter { if case .pause = $0.action { true } else { false } }
        sleeps.kept = sleeps.kept.compactMap { sleep in
            var sleep = sleep
            if let pause = sleep.pause {
                // What was taken back is done with.
                let isTakenBack = written.contains {
                    guard case .undo(let target) = $0.action else { return false }
                    return (try? hand?.store.event(target)?.stamp) == pause.stamp
                }
                return isTakenBack ? nil : sleep
            }
            guard let pause = pauses.first, let at = pause.action.at, at >= sleep.from.lowerBound else {
                return nil
            }
            pauses.removeFirst()
            sleep.pause = pause
            sleep.mayBeUnknown = false
            return sleep
        }
        sleeps.unlooked = sleeps.unlooked.map { ($0.sleep, isWorthKeeping($0.sleep)) }
    }

    // MARK: - Presses

    /// What its log had before a press, where that decides about sleeps.
    func prepareForPress() -> [Event]? {
        // As the commands do.
        if let agent, clock.sinceBoot() - clock.awake() > 300_000_000 { agent.lookForSleep() }
        lookForSleeps()
        guard !sleeps.isEmpty, let store = hand?.store else { return nil }
        guard (try? knowsSleeps(store)) == true else {
            world.skipReturn("press: \(sleeps.muddle ?? "a sleep just now")")
            return nil
        }
        guard let log = try? wholeLog() else {
            // What this press decides about isn't followed, so nothing is waited for after it.
            sleeps.lose("a press on a long log")
            world.skipReturn("press: a long log")
            return nil
        }
        return sleeps.kept.isEmpty ? nil : log
    }

    /// Of sleeps that are undecided a press decides first.
    func checkPress(
        _ interaction: Interaction, ago: Duration, _ performed: Performed, from log: [Event]?
    ) throws {
        guard let log, let store = hand?.store, let first = sleeps.kept.first(where: { $0.pause == nil })
        else { return checkUnasked(performed, mayBe: log == nil) }
        let decides =
            switch interaction {
            case .nameDevice, .undo, .redo: false
            default: true
            }
        let said = performed.now - ago
        guard decides, ago == 0 || said > first.from.lowerBound else {
            if decides { world.reach.note(.rule, NaiveRule.asleepBeforePress.rawValue) }
            return checkUnasked(performed, mayBe: false)
        }
        guard ago == 0 || said > first.from.upperBound else {
            sleeps.lose("a press of about when it fell asleep")
            return world.skipReturn("press: of about when it fell asleep")
        }
        let own = Set(try store.ownReplicas())
        let actions = performed.events.map(\.action).withoutNames
        guard
            let naive = NaiveReturning(
                wakingIn: log, own: own, writer: performed.events.first?.id.replica ?? own.first,
                now: performed.now, waking: NaiveWaking(sleeps.kept), written: actions)
        else { return }
        let rest = Array(actions.dropFirst(naive.actions.count))
        check(
            Array(actions.prefix(naive.actions.count)), naive,
            "a press decides about time asleep before it does anything else")
        world.reach.note(.rule, NaiveRule.asleepByPress.rawValue)
        world.holdReturn("by a press on waking")
        world.require(
            performed.woken.map(\.summary) == naive.summaries(at: performed.now),
            "what a press did about time asleep is said"
        ) { "\(name) said \(performed.woken), not \(naive.woke)" }
        checkRest(rest, interaction, log, naive, at: performed.now)
        noteDecision(Array(performed.events), try store.group() == nil)
    }

    /// What is pressed is carried out by the pause itself, or begins anew after what seemed to have closed.
    private func checkRest(
        _ rest: [Action], _ interaction: Interaction, _ log: [Event], _ naive: NaiveReturning,
        at now: SharedInstant
    ) {
        let pause = naive.woke.compactMap { outcome -> (RunID, SharedInstant)? in
            if case .pause(let run, let at) = outcome { (run, at) } else { nil }
        }.last
        guard let pause, let shown = NaiveTimer.state(of: log, at: now) else { return }
        switch (interaction, shown.status) {
        case (.pause, _), (.toggle, "running"):
            world.reach.note(.rule, NaiveRule.asleepPressIsPause.rawValue)
            world.require(rest.isEmpty, "a pause on waking is carried out by the pause of the sleep") {
                "\(name) wrote \(rest) besides"
            }
        case (.start, "stopped"), (.toggle, "stopped"):
            world.reach.note(.rule, NaiveRule.asleepStopped.rawValue)
            let isStart = if case .start? = rest.last { true } else { false }
            world.require(
                rest.count == 2 && rest.first == .stop(pause.0, at: pause.1) && isStart,
                "a start on waking ends what seemed to have closed as of the sleep"
            ) { "\(name) wrote \(rest) after \(pause)" }
        default: break
        }
    }

    /// A press that decides nothing says nothing of time asleep.
    private func checkUnasked(_ performed: Performed, mayBe: Bool) {
        guard !mayBe || sleeps.isEmpty else { return }
        world.require(performed.woken.isEmpty, "nothing is paused that wasn't slept through") {
            "\(name) said \(performed.woken)"
        }
    }
}

extension Waking.Deed {
    /// As the plain rules call it.
    var summary: String {
        switch self {
        case .paused(let ago): "paused \(ago.inMilliseconds) ms ago"
        case .tookBack: "took the pause back"
        }
    }
}
