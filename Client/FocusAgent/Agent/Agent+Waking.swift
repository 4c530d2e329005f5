import FocusCore
import FocusDevice
import FocusLink

// What the agent does about time that the machine slept through.
extension Agent {
    /// How long after waking the server is waited for, which says whether others were there.
    private static let patience = Duration.seconds(60)
    /// How long before what the log was too busy for is tried again.
    private static let respite = Duration.seconds(5)

    /// Whether all is known that the person may be told of: not while it isn't here yet what others pressed meanwhile,
    /// nor while a sleep may yet turn out to be a pause.
    package func mayTell() -> Bool {
        sleeps.check()
        if isDeciding { attempt { isDeciding = try device.isUndecidedAboutSleep() } }
        return hasCaughtUp && !isDeciding && !sleeps.areUnrecorded
    }

    /// Notices and keeps a sleep at once, as something is about to be pressed, which decides about it; where it comes to
    /// nothing, the agent does a moment later.
    package func lookForSleep() {
        sleeps.check()
        guard sleeps.areUnrecorded else { return }
        recordFoundSleeps()
        decision?.cancel()
        decision = time.schedule(after: .seconds(1)) { [weak self] in self?.awaitDecision() }
    }

    /// Keeps what was slept in the log's file, which may have been full before, and sees to it that it is decided about.
    func recordSleeps() {
        guard sleeps.areUnrecorded else { return }
        recordFoundSleeps()
        awaitDecision()
    }

    private func recordFoundSleeps() {
        var decisions: [Waking.Decision] = []
        attempt {
            try sleeps.record { found in
                if let decision = try device.record(found) { decisions.append(decision) }
            }
        }
        decisions.forEach(tell)
    }

    /// Has it decided about what was slept, where anything was: the server's next welcome does that, or this device
    /// itself.
    func awaitDecision() {
        decision?.cancel()
        decision = nil
        attemptUntilDone {
            isDeciding = try device.isUndecidedAboutSleep()
            guard isDeciding else { return }
            guard membership != nil else { return try decideAboutSleep() }
            decision = time.schedule(after: Agent.patience) { [weak self] in self?.stopWaiting() }
        } orAgain: {
            $0.awaitDecision()
        }
    }

    private func stopWaiting() {
        // Connected, it hears of the others in a moment.
        guard !isConnected else { return awaitDecision() }
        attemptUntilDone {
            // Somebody else may have decided meanwhile.
            if try device.isUndecidedAboutSleep() { try decideAboutSleep() }
            isDeciding = false
        } orAgain: {
            $0.stopWaiting()
        }
    }

    /// Does something that may fail; where it does, again a little later: nothing else would see to it.
    private func attemptUntilDone(_ body: () throws -> Void, orAgain again: @escaping (Agent) -> Void) {
        do {
            try body()
        } catch {
            say(.failed(error))
            decision = time.schedule(after: Agent.respite) { [weak self] in self.map(again) }
        }
    }

    private func decideAboutSleep() throws {
        let decision = try device.decideAboutSleep()
        isDeciding = false
        tell(decision)
    }

    private func tell(_ decision: Waking.Decision) {
        observer?.wrote(decision.written, on: .waking, at: decision.now)
        guard !decision.deeds.isEmpty else { return }
        for deed in decision.deeds { record(.woke(deed)) }
        driver?.sendChanges()
        logChanged()
    }
}

/// The machine's sleeps that an agent has found, up to where they are dealt with.
struct FoundSleeps {
    private var watch: SleepWatch
    /// Those that the log's file has yet to take note of, the oldest first.
    private var unrecorded: [SleepWatch.Found] = []
    /// Whether the machine has slept since the agent last looked around: its connection is likely dead.
    private(set) var hasWoken = false

    /// From now on, by these clocks.
    init(_ clocks: MachineClocks) { watch = SleepWatch(clocks) }

    /// Whether the log's file has yet to take note of any.
    var areUnrecorded: Bool { !unrecorded.isEmpty }

    /// Looks at the clocks.
    mutating func check() {
        guard let found = watch.check() else { return }
        unrecorded.append(found)
        hasWoken = true
    }

    /// The connection was seen to.
    mutating func wokeUp() { hasWoken = false }

    /// Has the log's file take note of each in turn. Where that fails, the rest stay.
    mutating func record(_ body: (SleepWatch.Found) throws -> Void) rethrows {
        while let found = unrecorded.first {
            try body(found)
            unrecorded.removeFirst()
        }
    }
}
