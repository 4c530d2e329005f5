import FocusCore
import FocusSync

/// The reports of revocations to the server on one connection. A report that the server couldn't apply yet is
/// repeated. Otherwise the server would let in a device that the group has shut out, until the connection
/// ends.
struct RevocationReports {
    /// The devices that the server was told to shut out.
    private(set) var told: Set<Digest> = []
    /// The devices that the server couldn't shut out when it was told to.
    private var postponed: Set<Digest> = []
    /// The instant of the next repetition; nil if there is nothing to repeat.
    private(set) var deadline: SteadyInstant?

    /// The range of the delay before a repetition.
    private static let delays: ClosedRange<Duration> = .seconds(1)...Limits.longestWait

    /// Notes that the server is told to shut these devices out.
    mutating func tell(of keys: Set<Digest>) { told.formUnion(keys) }

    /// Notes that the server refuses a request.
    ///
    /// - Returns: Whether this repeats a refusal that was noted before. Then nobody need be told again.
    mutating func refused(_ request: GroupRequest, _ refusal: Refusal, at now: SteadyInstant) -> Bool {
        guard case .revoke(let device) = request, told.contains(device),
            case .after(let wait) = refusal.retry
        else { return false }
        let isNew = postponed.insert(device).inserted
        if deadline == nil {
            let delays = RevocationReports.delays
            let wait = wait == .zero ? KeyRotation.patience : wait
            deadline = now + min(max(wait, delays.lowerBound), delays.upperBound)
        }
        return !isNew
    }

    /// Whether the wait for a repetition is over. If so, the wait is cleared.
    mutating func endWait(at now: SteadyInstant) -> Bool {
        guard let deadline, deadline <= now else { return false }
        self.deadline = nil
        return true
    }

    /// Returns the devices with reports to repeat, in order.
    ///
    /// - Parameter settled: The devices that are shut out by now or were readmitted. They are forgotten.
    mutating func devicesToRepeat(except settled: Set<Digest>) -> [Digest] {
        postponed.subtract(settled)
        return postponed.sorted { $0.precedes($1) }
    }
}
