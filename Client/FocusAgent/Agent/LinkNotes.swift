import FocusCore
import FocusDevice
import FocusSync

/// What an agent notes of its connection where commands can read it, and how fresh that is.
struct LinkNotes {
    /// How the connection stands.
    private(set) var link = ServerLink(.offline)
    private var notedAt = SteadyInstant.zero
    private var heardAt: SteadyInstant?
    /// What was learnt of shared time, where the log has yet to take note of it.
    private var clock: ClockEstimate?

    /// The connection stands like this from now on, and that is noted.
    mutating func change(to link: ServerLink, at now: SteadyInstant) {
        self.link = link
        notedAt = now
    }

    /// Whether the note has to be made again before it grows stale.
    func isAging(at now: SteadyInstant) -> Bool {
        link.state != .offline && now - notedAt > ServerLink.goodFor / 3
    }

    /// The server was heard: whether to note that. Every 5 seconds is often enough for the 30 seconds after which a
    /// session begins offline.
    mutating func heard(at now: SteadyInstant) -> Bool {
        if let heardAt, now - heardAt <= .seconds(5) { return false }
        heardAt = now
        return true
    }

    /// Shared time was learnt.
    mutating func learn(_ clock: ClockEstimate) { self.clock = clock }

    /// Has the log take note of the clock that was learnt. Where that fails, as on a full disk, it stays to be noted.
    mutating func recordClock(_ body: (ClockEstimate) throws -> Void) rethrows {
        guard let clock else { return }
        try body(clock)
        self.clock = nil
    }
}
