import FocusCore
import FocusLink
import FocusStore
import FocusSync

/// A server that never answers. It keeps everything that it receives.
final class SilentServer: SyncTransport {
    /// The bytes that the server received.
    private(set) var told: [[UInt8]] = []
    let unsentBytes = 0
    let peerDescription = "the server"

    func send(_ bytes: [UInt8]) { told.append(bytes) }
    func close() {}
    func abort() {}
}

/// Records the notices that a connection has for a person.
final class NoticeListener: SyncObserver {
    private(set) var notices: [SyncNotice] = []
    private(set) var end: SyncEnd?
    /// The number of acknowledgements reported.
    private(set) var acknowledgements = 0
    /// The number of refusals reported.
    private(set) var refusals = 0
    /// The number of reports that the connection is in sync.
    private(set) var settled = 0

    func enrolled(_ enrolled: Enrolled) throws -> SealedLog? { nil }
    func connected(_ presence: [Presence]) {}
    func wrote(_ written: [Event], on occasion: SelfWriteOccasion, at now: SharedInstant) {}
    func notifyViews() {}
    func keyDidSettle() {}
    func acknowledged() { acknowledgements += 1 }
    func becameIdle(_ traffic: SyncTraffic) { settled += 1 }
    func clockLearnt(_ clock: ClockEstimate) {}
    func heard() {}
    func presenceChanged(_ presence: [Presence]) {}
    func notice(_ notice: SyncNotice) { notices.append(notice) }
    func answered(_ subject: Digest, _ refusal: Refusal?) { if refusal != nil { refusals += 1 } }
    func ended(_ end: SyncEnd) { self.end = end }
}
