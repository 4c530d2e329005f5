package import FocusCore

/// The history that a process has read already. It is made again only if it has changed: most presses add no
/// entry to it.
package struct KnownHistory: Sendable {
    private var journal = KnownJournal()
    private var made: Made?
    /// The number of times that the history was made. While it stays, the history is the same.
    package private(set) var version = 0

    /// A history, and its inputs.
    private struct Made: Sendable {
        let journalVersion: Int
        /// The current run's phases that are over, although no event has ended them.
        let ended: [PhaseRecord]
        let history: History
    }

    /// Creates a value without a history.
    package init() {}

    /// Returns the state after replaying a log, and the history up to `now`.
    ///
    /// Cost: that of `DeviceStore.history(knowing:)`. If the history has changed, also linear in it.
    package mutating func read(
        _ store: DeviceStore, at now: SharedInstant
    ) throws(StoreError) -> (state: ReplayState, history: History) {
        let (state, entries) = try store.history(knowing: &journal)
        let ended = state.phases(endedBy: now)
        if let made, made.journalVersion == journal.version, made.ended == ended {
            return (state, made.history)
        }
        // Frees the former history first, so that the two aren't in memory together.
        made = nil
        let history = History(entries, state, at: now)
        made = Made(journalVersion: journal.version, ended: ended, history: history)
        version += 1
        return (state, history)
    }
}
