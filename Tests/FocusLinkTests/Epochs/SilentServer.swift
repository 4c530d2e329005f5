import FocusCore
import FocusLink
import FocusStore
import FocusSync

/// A server of the test's own: what it is told goes nowhere else.
final class SilentServer: SyncTransport {
    /// What it was told.
    private(set) var told: [[UInt8]] = []
    let unsentBytes = 0
    let peerDescription = "the server"

    func send(_ bytes: [UInt8]) { told.append(bytes) }
    func close() {}
    func abort() {}
}

/// Hears what a connection has to say to a person.
final class NoticeListener: SyncObserver {
    private(set) var notices: [SyncNotice] = []
    private(set) var end: SyncEnd?
    /// How often it was told that the server has more.
    private(set) var acknowledgements = 0
    /// How often it was told that something was refused.
    private(set) var refusals = 0
    /// How often it was told that nothing is left to be done.
    private(set) var settled = 0

    func enrolled(_ enrolled: Enrolled) throws -> SealedLog? { nil }
    func connected(_ presence: [Presence]) {}
    func wrote(_ written: [Event], on occasion: OwnWriting, at now: SharedInstant) {}
    func logChanged() {}
    func keyStands() {}
    func acknowledged() { acknowledgements += 1 }
    func becameIdle(_ traffic: SyncTraffic) { settled += 1 }
    func clockLearnt(_ clock: ClockEstimate) {}
    func heard() {}
    func presenceChanged(_ presence: [Presence]) {}
    func notice(_ notice: SyncNotice) { notices.append(notice) }
    func answered(_ subject: Digest, _ refusal: Refusal?) { if refusal != nil { refusals += 1 } }
    func ended(_ end: SyncEnd) { self.end = end }
}
