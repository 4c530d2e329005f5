import FocusCore
import FocusSync

/// Of whose revocation the server was told on one connection, and whom it can't keep out for now: it is told of those
/// again, or it would let in whom the group has shut out for as long as the connection lasts.
struct ToldRevocations {
    /// Of whom it was told.
    private(set) var told: Set<Digest> = []
    /// Whom it couldn't keep out when it was told to.
    private var putOff: Set<Digest> = []
    /// When it is told again; nil where there is nobody to be told of.
    private(set) var deadline: SteadyInstant?

    /// So long it is before it is told again.
    private static let pause: ClosedRange<Duration> = .seconds(1)...Limits.longestWait

    /// It is told of these.
    mutating func tell(of keys: Set<Digest>) { told.formUnion(keys) }

    /// It refuses something about a device.
    ///
    /// - Returns: whether it has put the same off before, so that nobody need hear of it again.
    mutating func refused(_ device: Digest, _ refusal: Refusal, at now: SteadyInstant) -> Bool {
        guard told.contains(device), case .after(let wait) = refusal.retry else { return false }
        let isNew = putOff.insert(device).inserted
        if deadline == nil {
            let pause = ToldRevocations.pause
            let wait = wait == .zero ? KeyRotation.patience : wait
            deadline = now + min(max(wait, pause.lowerBound), pause.upperBound)
        }
        return !isNew
    }

    /// Whether the time has come to tell it again; then it isn't waited for any more.
    mutating func endWait(at now: SteadyInstant) -> Bool {
        guard let deadline, deadline <= now else { return false }
        self.deadline = nil
        return true
    }

    /// Of whom it is told again, in order.
    ///
    /// - Parameter settled: those who are kept out by now, or were taken back.
    mutating func again(but settled: Set<Digest>) -> [Digest] {
        putOff.subtract(settled)
        return putOff.sorted { $0.precedes($1) }
    }
}
