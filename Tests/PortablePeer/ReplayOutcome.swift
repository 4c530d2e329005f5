import FocusCore

/// The meaning of a log as bytes: the encoded state and the encoded journal after replay. The package and
/// WebAssembly must compute the same bytes.
enum ReplayOutcome {
    /// Returns the bytes for these events; nil if they are no log.
    static func bytes(of events: [Event]) -> [UInt8]? {
        guard let log = try? EventLog(events) else { return nil }
        let journal = JournalEntryCollector()
        var state = ReplayState()
        var sink = journal
        log.replay(&state, history: &sink)
        return state.encoded() + journal.entries.flatMap { $0.encoded() }
    }
}
