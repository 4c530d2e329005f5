import FocusContact
import FocusCore
import FocusDevice
import FocusLink
import FocusStore

/// Detects suspensions of the machine, stores them, and decides about them. The decision about a suspension
/// may be to pause the session as of that time, or to take such a pause back (`SuspensionHandling`).
final class SuspensionMonitor {
    @Weak var agent: Agent?
    private let device: Device
    private let connection: ServerConnection
    private let time: any Scheduler
    private var detector: SuspensionDetector
    /// The suspensions that aren't stored in the log's file yet, the oldest first.
    private var unrecorded: [DetectedSuspension] = []
    /// Whether the machine was suspended since the connection was last renewed: the connection is probably
    /// dead.
    private(set) var hasWoken = false
    /// Whether a suspension is still undecided, as far as the agent knows.
    private var isDeciding = false
    /// The alarm for deciding about suspensions without the server.
    private var decision: (any Alarm)?

    /// The time to wait for the server after a suspension. The server says whether others were there.
    private static let patience = Duration.seconds(60)
    /// The delay before a failed step is tried again, for example because the log was busy.
    private static let respite = Duration.seconds(5)

    /// Detects suspensions from now on.
    init(_ device: Device, _ connection: ServerConnection, time: any Scheduler) {
        self.device = device
        self.connection = connection
        self.time = time
        detector = SuspensionDetector(device.clocks)
    }

    /// Reads the clocks, and remembers a suspension since the last check.
    func check() {
        guard let found = detector.check() else { return }
        unrecorded.append(found)
        hasWoken = true
    }

    /// Notes that the connection is renewed.
    func connectionRenewed() { hasWoken = false }

    /// Returns whether all suspensions up to now are decided.
    func areDecided() -> Bool {
        check()
        if isDeciding {
            agent?.attempt { () throws(StoreError) in isDeciding = try device.hasUndecidedSuspensions() }
        }
        return !isDeciding && unrecorded.isEmpty
    }

    /// Stores suspensions up to now, because a press follows. Most presses decide about the stored
    /// suspensions. For a press that doesn't, `awaitDecision` runs a second later.
    func recordBeforePress() {
        check()
        guard !unrecorded.isEmpty else { return }
        store()
        decision?.cancel()
        decision = time.schedule(after: .seconds(1)) { [monitor = Weak(wrappedValue: self)] in
            monitor.wrappedValue?.awaitDecision()
        }
    }

    /// Stores suspensions up to now in the log's file, and starts to decide about them. Also tries again if
    /// that failed before, for example on a full disk.
    func record() {
        check()
        guard !unrecorded.isEmpty else { return }
        store()
        awaitDecision()
    }

    /// Stops waiting for a decision.
    func cancelDecision() {
        decision?.cancel()
        decision = nil
    }

    /// Stores detected suspensions. Reports decisions about earlier suspensions that were still undecided.
    private func store() {
        var results: [SuspensionResult] = []
        agent?.attempt { () throws(StoreError) in
            while let found = unrecorded.first {
                if let result = try device.record(found) { results.append(result) }
                unrecorded.removeFirst()
            }
        }
        results.forEach(tell)
    }

    /// Waits for a decision about the stored suspensions, if any is undecided. The server's next welcome
    /// decides, or the device itself once `patience` is over. In no group, the device decides at once.
    func awaitDecision() {
        cancelDecision()
        attemptUntilDone { () throws(StoreError) in
            isDeciding = try device.hasUndecidedSuspensions()
            guard isDeciding else { return }
            guard connection.isInGroup else { return try decideAboutSuspensions() }
            decision = time.schedule(after: SuspensionMonitor.patience) {
                [monitor = Weak(wrappedValue: self)] in
                monitor.wrappedValue?.stopWaiting()
            }
        } orAgain: {
            $0.awaitDecision()
        }
    }

    /// Decides without the server, unless the agent is connected.
    private func stopWaiting() {
        // A connected agent will soon hear who was there.
        guard !connection.isConnected else { return awaitDecision() }
        attemptUntilDone { () throws(StoreError) in
            // Another process may have decided meanwhile.
            if try device.hasUndecidedSuspensions() { try decideAboutSuspensions() }
            isDeciding = false
        } orAgain: {
            $0.stopWaiting()
        }
    }

    /// Runs `body`. If that throws, calls `again` a little later, because nothing else would retry it.
    private func attemptUntilDone(
        _ body: () throws(StoreError) -> Void, orAgain again: @escaping (SuspensionMonitor) -> Void
    ) {
        do throws(StoreError) {
            try body()
        } catch {
            agent?.log(.failed(error))
            decision = time.schedule(after: SuspensionMonitor.respite) {
                [monitor = Weak(wrappedValue: self)] in
                monitor.wrappedValue.map(again)
            }
        }
    }

    private func decideAboutSuspensions() throws(StoreError) {
        let result = try device.decideAboutSuspensions()
        isDeciding = false
        tell(result)
    }

    private func tell(_ result: SuspensionResult) {
        agent?.wrote(result.written, on: .waking, at: result.now)
        guard !result.deeds.isEmpty else { return }
        for deed in result.deeds { agent?.notice(.woke(deed)) }
        connection.sendChanges()
        agent?.notifyViews()
    }
}
