/// When the server makes its next backup by itself. Instants are microseconds on a clock that never jumps.
struct BackupSchedule: Hashable, Sendable {
    private let interval: Int64
    private var next: Int64
    private(set) var began: Int64?

    /// A backup that could not be made is tried again so soon, or after the interval where that is shorter: 5 minutes.
    private static let retry: Int64 = 300_000_000

    /// - Parameters:
    ///   - interval: from one backup to the next, in microseconds.
    ///   - age: how old the last backup is by the wall clock, in microseconds; nil where there is none. One that is
    ///     from the future says nothing.
    init(every interval: Int64, age: Int64?, at now: Int64) {
        self.interval = interval
        let isSensible = age.map { (0..<interval).contains($0) } ?? false
        next = now + (isSensible ? interval - (age ?? 0) : 0)
    }

    /// Whether to make one now; `ended` has to follow then.
    mutating func begins(at now: Int64) -> Bool {
        guard began == nil, now >= next else { return false }
        began = now
        return true
    }

    /// It was made, or could not be.
    mutating func ended(isMade: Bool, at now: Int64) {
        let wait = isMade ? interval : min(interval, BackupSchedule.retry)
        // The time that it took doesn't add up over the days.
        next = max(now, isMade ? (began ?? now) + wait : now + wait)
        began = nil
    }
}
