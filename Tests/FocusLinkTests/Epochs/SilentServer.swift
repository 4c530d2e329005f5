import FocusCore
import FocusLink
import FocusStore
import FocusSync

/// A server that never answers. It keeps everything that it receives.
final class SilentServer: SyncTransport {
    /// Whether the server receives bytes only when the test sets `unsentBytes` to 0.
    private let isSlow: Bool
    /// The bytes that were sent.
    private(set) var told: [[UInt8]] = []
    var unsentBytes = 0 {
        didSet { most = max(most, unsentBytes) }
    }
    /// The greatest number of unsent bytes so far.
    private(set) var most = 0
    let peerDescription = "the server"

    init(isSlow: Bool = false) { self.isSlow = isSlow }

    /// The messages that were sent.
    var messages: [Message] {
        get throws {
            var decoder = FrameDecoder()
            var messages: [Message] = []
            for bytes in told {
                decoder.append(bytes[...])
                while let frame = try decoder.next() { messages.append(try Message(frame)) }
            }
            return messages
        }
    }

    /// The requests that were sent, with their numbers, in order.
    var requests: [(number: RequestNumber, request: GroupRequest)] {
        get throws {
            var requests: [(number: RequestNumber, request: GroupRequest)] = []
            for case .request(let number, let request) in try messages { requests.append((number, request)) }
            return requests
        }
    }

    func send(_ bytes: [UInt8]) {
        told.append(bytes)
        if isSlow { unsentBytes += bytes.count }
    }

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
    /// The requests that the server was reported to have done, in order.
    private(set) var done: [GroupRequest] = []
    /// The number of reports that the connection is in sync.
    private(set) var settled = 0

    func enrolled(_ enrolled: Enrolled) -> SealedLog? { nil }
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
    func answered(_ request: GroupRequest, _ refusal: Refusal?) {
        if refusal != nil { refusals += 1 } else { done.append(request) }
    }
    func ended(_ end: SyncEnd) { self.end = end }
}
