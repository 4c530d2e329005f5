import FocusCore
import FocusDevice
import FocusLink

// The agent's handling of suspensions of the machine.
extension Agent {
    /// The time to wait for the server after a suspension. The server says whether others were there.
    private static let patience = Duration.seconds(60)
    /// The delay before a failed step is tried again, for example because the log was busy.
    private static let respite = Duration.seconds(5)

    /// Whether happenings may be reported. They may not while events that others pressed meanwhile aren't
    /// here yet, or while a suspension may still become a pause.
    package func mayTell() -> Bool {
        sleeps.check()
        if isDeciding { attempt { isDeciding = try device.isUndecidedAboutSleep() } }
        return reachedWelcome && !isDeciding && !sleeps.areUnrecorded
    }

    /// Detects and stores a suspension before a press, because the press decides about it. If the press
    /// doesn't, the agent decides a moment later.
    package func lookForSleep() {
        sleeps.check()
        guard sleeps.areUnrecorded else { return }
        recordFoundSleeps()
        decision?.cancel()
        decision = time.schedule(after: .seconds(1)) { [weak self] in self?.awaitDecision() }
    }

    /// Stores detected suspensions in the log's file, and starts to decide about them. Also tries again if
    /// that failed before, for example on a full disk.
    func recordSleeps() {
        guard sleeps.areUnrecorded else { return }
        recordFoundSleeps()
        awaitDecision()
    }

    /// Stores detected suspensions. Reports decisions about earlier suspensions that were still undecided.
    private func recordFoundSleeps() {
        var decisions: [SuspensionHandling.Decision] = []
        attempt {
            try sleeps.record { found in
                if let decision = try device.record(found) { decisions.append(decision) }
            }
        }
        decisions.forEach(tell)
    }

    /// Waits for a decision about the stored suspensions, if any is undecided. The server's next welcome
    /// decides, or the device itself once `patience` is over. In no group, the device decides at once.
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

    /// Decides without the server, unless the agent is connected.
    private func stopWaiting() {
        // A connected agent will soon hear who was there.
        guard !isConnected else { return awaitDecision() }
        attemptUntilDone {
            // Another process may have decided meanwhile.
            if try device.isUndecidedAboutSleep() { try decideAboutSleep() }
            isDeciding = false
        } orAgain: {
            $0.stopWaiting()
        }
    }

    /// Runs `body`. If that throws, calls `again` a little later, because nothing else would retry it.
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

    private func tell(_ decision: SuspensionHandling.Decision) {
        observer?.wrote(decision.written, on: .waking, at: decision.now)
        guard !decision.deeds.isEmpty else { return }
        for deed in decision.deeds { record(.woke(deed)) }
        driver?.sendChanges()
        notifyViews()
    }
}

/// The suspensions that an agent has detected, until they are stored and the connection is renewed.
struct DetectedSuspensions {
    private var watch: SuspensionDetector
    /// The suspensions that aren't stored in the log's file yet, the oldest first.
    private var unrecorded: [SuspensionDetector.Found] = []
    /// Whether the machine was suspended since the connection was last renewed: the connection is probably
    /// dead.
    private(set) var hasWoken = false

    /// Detects suspensions from now on, by these clocks.
    init(_ clocks: MachineClocks) { watch = SuspensionDetector(clocks) }

    /// Whether any suspension isn't stored in the log's file yet.
    var areUnrecorded: Bool { !unrecorded.isEmpty }

    /// Reads the clocks, and notes a suspension since the last check.
    mutating func check() {
        guard let found = watch.check() else { return }
        unrecorded.append(found)
        hasWoken = true
    }

    /// Notes that the connection is renewed.
    mutating func wokeUp() { hasWoken = false }

    /// Stores each suspension by `body`, in order. If that throws, the remaining suspensions are kept.
    mutating func record(_ body: (SuspensionDetector.Found) throws -> Void) rethrows {
        while let found = unrecorded.first {
            try body(found)
            unrecorded.removeFirst()
        }
    }
}
