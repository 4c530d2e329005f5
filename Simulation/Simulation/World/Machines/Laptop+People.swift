import FocusAgent
import FocusContact
import FocusCore
import FocusDevice
import FocusLink
import FocusStore
import SQLiteKit
import TestSupport

// The person at the laptop.
extension Laptop {
    /// Makes a random press, if the machine is awake.
    func press(seed: UInt64) {
        // The label names the group that the person sees, so the present group has to be known.
        updateMembershipIfNeeded()
        var dice = SeededGenerator(seed: seed)
        let ago: Duration =
            Int.random(in: 0..<100, using: &dice) < 12
            ? dice.length(.seconds(1), upTo: .seconds(3600)) : .zero
        let consent: UndoConsent = Bool.random(using: &dice) ? .always : .toBeAsked
        press(interaction(using: &dice, seed), ago: ago, consent: consent, using: &dice)
    }

    /// Makes this press.
    func press(_ press: Step.Press, seed: UInt64) {
        var dice = SeededGenerator(seed: seed)
        let interaction: Interaction? =
            switch press {
            case .start(let label): .start(label: label)
            case .pause: .pause
            case .resume: .resume
            case .stop: .stop
            case .skip: .skip
            case .undo: .undo
            case .redo: .redo
            case .add(let seconds): .addTime(.seconds(seconds))
            case .label(let text): .label(text)
            case .workLength(let seconds): .set(.workLength, seconds)
            case .log(let label): entry(label).map(Interaction.add)
            case .split: splittingLast(using: &dice)
            case .importFile(let label): importFile(label)
            }
        guard let interaction else { return }
        self.press(interaction, ago: .zero, consent: .always, using: &dice)
    }

    private func press(
        _ interaction: Interaction, ago: Duration, consent: UndoConsent, using dice: inout SeededGenerator
    ) {
        guard isAwake, let device, operations.count < Laptop.maxOperations else { return }
        if let browser { return browser.press(interaction, consent) }
        updateMembershipIfNeeded()
        let before = prepareForPress()
        device.updateCounted()
        let latest = (try? device.store.greatestStamp()) ?? .zero
        do {
            let performed = try device.perform(interaction, ago: ago, consent: consent)
            guard disk.hasPower else { return world.restartIfStopped(self) }
            checkStamps(of: performed.events, after: latest)
            checkEpoch(of: performed.events, device.store)
            // The laptop may have written an undo by itself and then lost it. Then this press may have got
            // the undo's stamp, which no longer names an undo.
            returnUndos.subtract(performed.events.map(\.stamp))
            world.counts.presses += 1
            world.reach.count(.press, caseOf: interaction)
            if case .set(let key, _) = interaction { world.reach.count(.setting, key.rawValue) }
            if membership == .member { world.ledger.record(performed.events, by: self) }
            trace("presses \(interaction): \(performed.events.map { "\($0.id.seq)@\($0.stamp.rawValue)" })")
            try? checkPress(interaction, ago: ago, performed, from: before)
        } catch {
            world.counts.refusedPresses += 1
            countProblem(error)
            trace("can't press \(interaction): \(error)")
            if case .store = error {
                world.require(disk.isFull || !disk.hasPower, "only a disk keeps a press from being kept") {
                    "\(name): \(error)"
                }
            }
            return world.restartIfStopped(self)
        }
        if Int.random(in: 0..<max(30, logLength), using: &dice) == 0 { checkStateNow() }
        if let operation = passOn(device) { run(operation, within: GroupOperation.pressPatience) }
    }

    /// Says that the laptop's clock is right (`focus clock accept`).
    func acceptClock() {
        guard isAwake, let device else { return }
        do {
            let done = try device.bringBack()?.done
            if let done { hasReauthored = hasReauthored || !done.isEmpty }
            trace(
                "accepts its clock: \(done.map { "\($0.written.count) brought back" } ?? "nothing is ahead")")
            if let operation = passOn(device) { run(operation, within: GroupOperation.pressPatience) }
        } catch {
            trace("can't accept its clock: \(error)")
        }
        world.restartIfStopped(self)
    }

    /// Notices which group the laptop is in. The group can only have changed if a group operation runs or a
    /// disk was just put in.
    private func updateMembershipIfNeeded() {
        if !operations.isEmpty || membership == .unknown { updateMembership() }
    }

    private func countProblem(_ failure: PerformFailure) {
        if case .notNow(let reason) = failure {
            world.reach.count(.problem, caseOf: reason)
        } else {
            world.reach.count(.problem, caseOf: failure)
        }
    }

    /// Checks Lamport's condition: a press is stamped after all events that the laptop had.
    func checkStamps(of events: [Event], after latest: Stamp) {
        var latest = latest
        for event in events {
            world.require(event.stamp > latest, "a press is stamped after all that its laptop has") {
                "\(name): \(event.stamp.rawValue) isn't after \(latest.rawValue)"
            }
            latest = event.stamp
        }
    }

    /// Checks that a press is sealed under the newest epoch that the laptop has.
    func checkEpoch(of events: [Event], _ store: DeviceStore) {
        guard let last = events.last, let newest = try? store.epochs().last?.id else { return }
        world.require(
            (try? store.lastEpoch(of: last.id.replica)) == newest, "a press is sealed under the newest key"
        ) { name }
    }

    /// The number of group operations under way at which people stop pressing.
    private static let maxOperations = 4

    /// The approximate length of the group's log. The cost of comparing states is proportional to it, so
    /// longer logs are compared less often.
    private var logLength: Int { world.ledger.counts[group, default: 0] }

    private func checkStateNow() {
        do {
            try checkState()
            try checkAcknowledged()
        } catch {
            world.require(!disk.hasPower, "a log can be read") { "\(name): \(error)" }
        }
    }

    private func interaction(using dice: inout SeededGenerator, _ seed: UInt64) -> Interaction {
        // A press outside a group has a label without a group, because the press may come along into any
        // group.
        let text =
            "\(isOutside ? "alone" : "g\(group)") p\(seed % 1_000_000_007)\(seed.isMultiple(of: 3) ? "" : " #work")"
        if Int.random(in: 0..<10, using: &dice) == 0, let correction = correction(text, using: &dice) {
            return correction
        }
        switch Int.random(in: 0..<100, using: &dice) {
        case ..<10: return .start(label: Bool.random(using: &dice) ? text : nil)
        case ..<16: return .pause
        case ..<22: return .resume
        case ..<42: return .toggle
        case ..<46: return .stop
        case ..<56: return .skip
        case ..<68: return .addTime(.seconds(Int64.random(in: -600...600, using: &dice)))
        case ..<78: return .label(text)
        case ..<80:
            let name = ["classic", "long", "deep"].randomElement(using: &dice) ?? "deep"
            let choices: [Interaction] = [
                .useProfile(name), .saveProfile("deep"), .removeProfile("deep"),
            ]
            return choices.randomElement(using: &dice) ?? .useProfile(name)
        case ..<86:
            let key = SettingKey.allCases.randomElement(using: &dice) ?? .workLength
            // A phase that lasts a whole day seldom runs out within a world.
            let longest: Int64 = [86_400, 3_600, 60].randomElement(using: &dice) ?? 60
            let range = key.range.lowerBound...max(key.range.lowerBound, min(key.range.upperBound, longest))
            return .set(key, .random(in: range, using: &dice))
        case ..<94: return .undo
        case ..<98: return .redo
        default: return .nameDevice(text)
        }
    }
}
