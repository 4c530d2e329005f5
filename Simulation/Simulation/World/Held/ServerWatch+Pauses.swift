import FocusServing
import FocusSync
import FocusWriter

// The times at which the server doesn't read from a connection.
extension ServerWatch {
    /// Records that the server stops or resumes reading from a connection, and checks a pause that ends.
    func pauses(_ connection: ConnectionID, _ isPaused: Bool) {
        guard let seen = self[connection] else { return }
        if isPaused {
            seen.pace.pausedSince = seen.pace.pausedSince ?? now
        } else {
            checkPause(of: seen)
            (seen.pace.pausedSince, seen.pace.lastReason) = (nil, nil)
        }
    }

    /// Checks at the end of a call that each paused connection has a reason for its pause, or had one a
    /// moment ago.
    func lookAtPauses() {
        for seen in all where seen.pace.pausedSince != nil && !seen.isOver {
            if hasReason(seen) { seen.pace.lastReason = now } else { checkPause(of: seen) }
        }
        guard let talking, turns.hasToWait, let seen = self[talking], !seen.isOver else { return }
        require(
            seen.pace.pausedSince != nil || !hasSaidSomething ? nil : "\(seen.line.peerDescription)",
            "who waits for its turn isn't read from")
    }

    private func hasReason(_ seen: SeenConnection) -> Bool {
        // An unknown device is looked up in a shared store, because another server may have let it in. If the
        // laptop's end is over, the unsent bytes stop counting without notice.
        isStopping || number != nil && seen.hello == nil || turns.isAwaited
            || (seen.line as? ServerEnd)?.isAlone == true
            || seen.pace.hasReason(seen.line.unsentBytes, at: now)
    }

    /// Checks that a pause without a reason hasn't lasted too long. The server notices only once a second
    /// that a reason has expired, and turns take a moment.
    private func checkPause(of seen: SeenConnection) {
        guard !seen.isOver, let since = seen.pace.pausedSince else { return }
        let patience: Int64 = .seconds(1) + 300_000
        let idle = now - (seen.pace.lastReason ?? since)
        require(
            idle <= patience
                ? nil
                : "\(idle / 1_000) of \((now - since) / 1_000) ms for \(seen.line.peerDescription): \(seen.pace)",
            "a server listens to whoever asks for no more than it may")
    }
}
