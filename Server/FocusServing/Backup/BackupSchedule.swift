import FocusCore

/// When the server makes its next backup by itself.
struct BackupSchedule: Hashable, Sendable {
    private let interval: Duration
    private var next: SteadyInstant
    private(set) var began: SteadyInstant?

    /// A backup that could not be made is tried again so soon, or after the interval where that is shorter.
    private static let retry = Duration.seconds(300)

    /// - Parameters:
    ///   - interval: from one backup to the next.
    ///   - age: how old the last backup is by the wall clock; nil where there is none. One that is
    ///     from the future says nothing.
    init(every interval: Duration, age: Duration?, at now: SteadyInstant) {
        self.interval = interval
        let isSensible = age.map { (.zero..<interval).contains($0) } ?? false
        next = now + (isSensible ? interval - (age ?? .zero) : .zero)
    }

    /// Whether to make one now; `ended` has to follow then.
    mutating func begins(at now: SteadyInstant) -> Bool {
        guard began == nil, now >= next else { return false }
        began = now
        return true
    }

    /// It was made, or could not be.
    mutating func ended(isMade: Bool, at now: SteadyInstant) {
        let wait = isMade ? interval : min(interval, BackupSchedule.retry)
        // The time that it took doesn't add up over the days.
        next = max(now, isMade ? (began ?? now) + wait : now + wait)
        began = nil
    }
}
