import FocusAgent
import FocusCore
import FocusDevice
import FocusStore
import SQLiteKit
import TestSupport

// Checks of a laptop's decisions about its machine's sleeps, by `NaiveWaking`.
extension Laptop {
    /// Records that the machine falls asleep.
    func recordSuspension() {
        // If the agent hasn't looked at the clocks since the last sleep, it takes both sleeps for one.
        if !sleeps.unnoticed.isEmpty { sleeps.markUnknown("slept again at once") }
        sleeps.fellAsleep = agent == nil ? nil : clock.sinceBoot()
    }

    /// Records that the machine wakes.
    func recordWaking() {
        guard let fellAsleep = sleeps.fellAsleep, let device, let now = try? device.now() else { return }
        sleeps.fellAsleep = nil
        let length = Duration.milliseconds((clock.sinceBoot() - fellAsleep) / 1000)
        // A shorter difference may come from the clocks' inaccuracy.
        guard length >= .seconds(2) else { return }
        let from = now - length
        // The agent looks at the clocks every 5 seconds, so its last look was at most 5.1 seconds before the
        // sleep.
        let sleep = NaiveSleep(from: from - .milliseconds(5_100)...from + .milliseconds(100), length: length)
        sleeps.unnoticed.append((sleep, isWorthKeeping(sleep)))
        after(5_100_000) { [self] in lookForSleeps() }
    }

    /// Whether the laptop has to keep this sleep until it is decided, or nil if that isn't known.
    ///
    /// - Parameter written: The events that the agent wrote because of sleeps. They are left out of the log.
    private func isWorthKeeping(_ sleep: NaiveSleep, besides written: [Event] = []) -> Bool? {
        guard sleep.isLong else { return false }
        guard let log = try? wholeLog() else { return nil }
        let names = Set(written.map(\.id))
        return NaiveWaking.isWorthKeeping(sleep, in: log.filter { !names.contains($0.id) })
    }

    /// Returns whether the log is short enough for the plain rules. Logs never get shorter: if the log was
    /// too long when a note of offline work was made, it is too long when the note is used.
    func isCheckable() throws -> Bool {
        guard let store = device?.store else { return false }
        return try store.eventCount() <= (isDrawn ? Laptop.mostOfDrawn : Laptop.mostChecked)
    }

    /// The events of the log that count, or nil if there are too many for the plain rules.
    func wholeLog() throws -> [Event]? {
        guard let store = device?.store, try isCheckable() else { return nil }
        return try store.allStoredEvents().compactMap(\.counted)
    }

    /// Moves the sleeps that the agent has noticed by now to the sleeps that it keeps.
    ///
    /// - Parameter written: The events that it wrote because of them; nil if it has decided nothing yet.
    func lookForSleeps(written: [Event]? = nil) {
        guard isAwake, disk.hasPower else { return }
        for (sleep, hadToBeKept) in sleeps.unnoticed {
            let mustBeKept = isWorthKeeping(sleep, besides: written ?? [])
            // The agent looked at some time between waking and now, so both answers count.
            guard hadToBeKept != false || mustBeKept != false else { continue }
            var sleep = sleep
            sleep.mayBeUnknown = hadToBeKept != true || mustBeKept != true || disk.isFull
            // The store says whether the laptop has noticed the sleep.
            if sleep.mayBeUnknown, written == nil, sleeps.kept.isEmpty,
                let keeps = try? device?.store.value(.sleep) != nil
            {
                guard keeps || disk.isFull else { continue }
                sleep.mayBeUnknown = !keeps
            }
            sleeps.kept.append(sleep)
            expectDecision(about: sleep)
        }
        sleeps.unnoticed = []
    }

    /// Checks after a minute that the laptop has decided about the sleep, if it has had no connection since.
    private func expectDecision(about sleep: NaiveSleep) {
        guard !sleep.mayBeUnknown, let agent, !disk.isFull else { return }
        let wokeAt = world.now
        after(.seconds(62)) { [self, weak agent] in
            let isSame = agent != nil && agent === self.agent
            guard isSame, sleeps.connectedAt < wokeAt, fullAt < wokeAt, !disk.isFull, disk.hasPower,
                sleeps.unknownReason == nil
            else { return }
            world.require(
                !sleeps.kept.contains(sleep), "time asleep is decided about within a minute"
            ) { "\(name) has done nothing about \(sleep)" }
            world.reach.count(.waking, "decided in time")
        }
    }

    /// Returns whether the world knows which sleeps the laptop knows of. If not, `sleeps.unknownReason` says
    /// why.
    func knowsSleeps(_ store: DeviceStore) throws -> Bool {
        if sleeps.unknownReason != nil, sleeps.unnoticed.isEmpty, try store.value(.sleep) == nil {
            sleeps.clear()
        }
        // The laptop doesn't know sleeps that its agent hasn't looked for.
        return sleeps.unknownReason == nil
    }

    /// Checks a decision about sleeps that the laptop made without asking its server.
    func checkWaking(_ written: [Event], at now: SharedInstant) throws {
        guard let store = device?.store else { return }
        let isAlone = try store.group() == nil
        if isAlone { lookForSleeps(written: written) }
        defer { recordDecision(written, isAlone) }
        guard let log = try wholeLog(), sleeps.unknownReason == nil else {
            expectedReports = nil
            return world.countSkippedCheck("waking: \(sleeps.unknownReason ?? "a long log")")
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
        world.countReturnCheck("on waking")
        world.reach.count(.rule, (isAlone ? NaiveRule.asleepInNoGroup : .asleepUnasked).rawValue)
        expectReports(naive, at: now)
    }

    /// Records the decision's effects on the known sleeps. A laptop in a group may still take a pause back
    /// once it knows whether other devices were connected.
    private func recordDecision(_ written: [Event], _ isAlone: Bool) {
        guard !isAlone else { return sleeps.clear() }
        // If earlier sleeps aren't known, they stay unknown, because the pause of such a sleep may still be
        // taken back.
        guard sleeps.unknownReason == nil else { return }
        var pauses = written.filter { if case .pause = $0.action { true } else { false } }
        sleeps.kept = sleeps.kept.compactMap { sleep in
            var sleep = sleep
            if let pause = sleep.pause {
                // A pause that was taken back needs no further decision.
                let isTakenBack = written.contains {
                    guard case .undo(let target) = $0.action else { return false }
                    return (try? device?.store.event(target)?.stamp) == pause.stamp
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
        sleeps.unnoticed = sleeps.unnoticed.map { ($0.sleep, isWorthKeeping($0.sleep)) }
    }

    // MARK: - Presses

    /// Returns the log before a press, if the press has to decide about sleeps; otherwise nil.
    func prepareForPress() -> [Event]? {
        // The commands look for a sleep as well.
        if let agent, clock.sinceBoot() - clock.awake() > 300_000_000 { agent.recordSuspension() }
        lookForSleeps()
        guard !sleeps.isEmpty, let store = device?.store else { return nil }
        guard (try? knowsSleeps(store)) == true else {
            world.countSkippedCheck("press: \(sleeps.unknownReason ?? "a sleep just now")")
            return nil
        }
        guard let log = try? wholeLog() else {
            // The effect of this press on sleeps isn't followed, so no decision is expected after it.
            sleeps.markUnknown("a press on a long log")
            world.countSkippedCheck("press: a long log")
            return nil
        }
        return sleeps.kept.isEmpty ? nil : log
    }

    /// Checks that a press first decides about the sleeps that aren't decided yet.
    func checkPress(
        _ interaction: Interaction, ago: Duration, _ performed: InteractionResult, from log: [Event]?
    ) throws {
        guard let log, let store = device?.store, let first = sleeps.kept.first(where: { $0.pause == nil })
        else { return checkReportsNothing(performed, mayDecide: log == nil) }
        let decides =
            switch interaction {
            case .nameDevice, .undo, .redo: false
            default: true
            }
        let said = performed.now - ago
        guard decides, ago == 0 || said > first.from.lowerBound else {
            if decides { world.reach.count(.rule, NaiveRule.asleepBeforePress.rawValue) }
            return checkReportsNothing(performed, mayDecide: false)
        }
        guard ago == 0 || said > first.from.upperBound else {
            sleeps.markUnknown("a press of about when it fell asleep")
            return world.countSkippedCheck("press: of about when it fell asleep")
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
        world.reach.count(.rule, NaiveRule.asleepByPress.rawValue)
        world.countReturnCheck("by a press on waking")
        world.require(
            performed.suspensionDeeds.map(\.summary) == naive.summaries(at: performed.now),
            "what a press did about time asleep is said"
        ) { "\(name) said \(performed.suspensionDeeds), not \(naive.suspensionOutcomes)" }
        checkRest(rest, interaction, log, naive, at: performed.now)
        recordDecision(Array(performed.events), try store.group() == nil)
    }

    /// Checks the actions of a press after its decision about sleeps. A pause adds nothing to the sleep's
    /// pause. If the session seemed to have ended by itself, a start first stops it as of the sleep.
    private func checkRest(
        _ rest: [Action], _ interaction: Interaction, _ log: [Event], _ naive: NaiveReturning,
        at now: SharedInstant
    ) {
        let pause = naive.suspensionOutcomes.compactMap { outcome -> (RunID, SharedInstant)? in
            if case .pause(let run, let at) = outcome { (run, at) } else { nil }
        }.last
        guard let pause, let shown = NaiveTimer.state(of: log, at: now) else { return }
        switch (interaction, shown.status) {
        case (.pause, _), (.toggle, "running"):
            world.reach.count(.rule, NaiveRule.asleepPressIsPause.rawValue)
            world.require(rest.isEmpty, "a pause on waking is carried out by the pause of the sleep") {
                "\(name) wrote \(rest) besides"
            }
        case (.start, "stopped"), (.toggle, "stopped"), (.rest, "stopped"):
            world.reach.count(.rule, NaiveRule.asleepStopped.rawValue)
            let isStart = if case .start? = rest.last { true } else { false }
            world.require(
                rest.count == 2 && rest.first == .stop(pause.0, at: pause.1) && isStart,
                "a start on waking ends what seemed to have closed as of the sleep"
            ) { "\(name) wrote \(rest) after \(pause)" }
        default: break
        }
    }

    /// Checks that a press that decides nothing reports nothing about time asleep.
    ///
    /// - Parameter mayDecide: Whether the world can't tell if the press decides. Then this checks only
    ///   presses without a sleep to decide about.
    private func checkReportsNothing(_ performed: InteractionResult, mayDecide: Bool) {
        guard !mayDecide || sleeps.isEmpty else { return }
        world.require(performed.suspensionDeeds.isEmpty, "nothing is paused that wasn't slept through") {
            "\(name) said \(performed.suspensionDeeds)"
        }
    }
}

extension SuspensionHandling.Deed {
    /// The plain rules' name of this deed.
    var summary: String {
        switch self {
        case .paused(let ago): "paused \(ago.inMilliseconds) ms ago"
        case .tookBack: "took the pause back"
        }
    }
}
