import FocusCore

/// A limiter for the replay of merged events.
///
/// A single press is shown at once. When many events arrive, each replay may go far back and take long. So
/// events are replayed once the device has caught up, and after that in at most a tenth of the time.
struct ReplayLimiter {
    /// Whether there are merged events that haven't been replayed.
    private(set) var isNeeded = false
    /// Whether the device has merged the events that the server had at the welcome, as far as it can.
    private(set) var reachedWelcome = false
    /// The earliest instant of the next replay.
    private var earliest = SteadyInstant.zero

    /// A replay that takes longer than this is followed by a pause.
    static let short = Duration.milliseconds(5)

    /// Notes that events were merged but not replayed.
    mutating func merged() { isNeeded = true }

    /// Notes that the device has caught up with the welcome.
    mutating func catchUpEnded() { reachedWelcome = true }

    /// Whether events that are merged now may be replayed at once.
    func mayReplay(at now: SteadyInstant) -> Bool { reachedWelcome && now >= earliest }

    /// Whether to replay now.
    func isDue(at now: SteadyInstant) -> Bool { isNeeded && mayReplay(at: now) }

    /// The earliest instant to replay, or nil if there is nothing to replay. It is also nil while the device
    /// catches up, because the device replays when that ends.
    var deadline: SteadyInstant? { isNeeded && reachedWelcome ? earliest : nil }

    /// Notes that everything has been replayed, which took `duration`.
    mutating func replayed(at now: SteadyInstant, taking duration: Duration) {
        isNeeded = false
        if duration > ReplayLimiter.short { earliest = now + duration * 10 }
    }
}

/// A limiter for the work that follows from the group's epochs and devices. The more epochs and devices there
/// are, the longer the work takes. It gets at most a tenth of the time.
struct KeyWorkLimiter {
    /// Whether records arrived that haven't been processed.
    private var isAdoptionDue = false
    /// The earliest instant of the next work.
    private var earliest = SteadyInstant.zero

    /// Notes that an epoch's record arrived.
    mutating func received() { isAdoptionDue = true }

    /// Whether work on epochs may be done now.
    func mayWork(at now: SteadyInstant) -> Bool { now >= earliest }

    /// Whether the records that arrived are due to be processed now.
    func isAdoptionDue(at now: SteadyInstant) -> Bool { isAdoptionDue && mayWork(at: now) }

    /// Returns the instant at which work may be done again, if there is work that has to wait for it;
    /// otherwise nil.
    ///
    /// - Parameter isOpen: Whether the device still has to find out if the newest epoch is valid.
    func deadline(isOpen: Bool, at now: SteadyInstant) -> SteadyInstant? {
        (isAdoptionDue || isOpen) && !mayWork(at: now) ? earliest : nil
    }

    /// Notes that the records were processed, which took `duration`.
    mutating func adopted(at now: SteadyInstant, taking duration: Duration) {
        isAdoptionDue = false
        worked(at: now, taking: duration)
    }

    /// Notes that some work was done, which took `duration`.
    mutating func worked(at now: SteadyInstant, taking duration: Duration) {
        if duration > ReplayLimiter.short { earliest = max(earliest, now + duration * 10) }
    }
}
