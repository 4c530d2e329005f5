package import FocusCore
package import FocusDevice
package import FocusSync

/// Whoever is told what a connection to the server brings. All calls come on the connection's loop.
package protocol SyncObserver: OwnWritingObserver {
    /// The server let the device into the group: make it at home there, and give what it has. Nil if it didn't ask for that.
    func enrolled(_ enrolled: Enrolled) throws -> SealedLog?
    /// The welcome arrived.
    func connected(_ presence: [Presence])
    /// The log may come to something else now.
    func logChanged()
    /// The group's key is as it should be, as far as this device can see to that: it may be asked for from now on. Told
    /// again and again.
    func keyStands()
    /// The server has more of what is here than it was known to have, whatever else is still open.
    func acknowledged()
    /// Both sides have the same, as far as is known, and the group's key is as it should be.
    func becameIdle(_ traffic: SyncTraffic)
    /// Shared time is known better.
    func clockLearnt(_ clock: ClockEstimate)
    /// Something was heard from the server.
    func heard()
    func presenceChanged(_ presence: [Presence])
    /// Something that a person should know.
    func notice(_ notice: SyncNotice)
    /// What was asked about an invite's token or a device was done, or refused.
    func answered(_ subject: Digest, _ refusal: Refusal?)
    /// The connection is over.
    func ended(_ end: SyncEnd)
}

/// How much a connection has moved.
package struct SyncTraffic: Hashable, Sendable {
    /// Events that the server has from this device since.
    package var sent: UInt64 = 0
    /// Events that were new here.
    package var received: UInt64 = 0

    /// So many events each way; none where nothing is said.
    package init(sent: UInt64 = 0, received: UInt64 = 0) {
        self.sent = sent
        self.received = received
    }
}

/// When a device does by itself what docs/timer-rules.md §5 says.
package enum OwnWriting: Hashable, Sendable {
    /// It has caught up with its server.
    case returning
    /// Another's start has arrived, beside which a session of its own stands.
    case beside
    /// The machine was asleep, and the server can't be asked who was there.
    case waking
}

/// Whoever is told what a device writes by itself.
package protocol OwnWritingObserver: AnyObject {
    /// The device has done what it does by itself on such an occasion, at `now`: it wrote
    /// these events, or none. What it says of that comes next.
    func wrote(_ written: [Event], on occasion: OwnWriting, at now: SharedInstant)
}

/// What is wrong with the way to a server.
package enum ConnectionTrouble: Hashable, Sendable {
    /// No address is known.
    case noAddress
    /// The server ended the connection without a word.
    case closedByServer
    /// What answers there is no Lockstep server.
    case otherProtocol
    /// The network failed: what was being done, and what the system said.
    case network(String)
}

/// Why a connection to the server is over.
package enum SyncEnd: Error, Hashable, Sendable {
    /// No address led to the server; what was wrong with the last one.
    case unreachable(ConnectionTrouble)
    /// The server there shows another key than the pinned one.
    case otherServer(String)
    /// The session ended.
    case closed(ClientClosing)
    /// The server at this address says that there is more than any group has.
    case excess(Excess, by: String)
    /// The connection broke.
    case broken(ConnectionTrouble)
    /// Something is wrong on this device, which has to be mended there.
    case device(DeviceFailure)
    /// The device's own log or keys failed it otherwise.
    case failed(String)

    /// What an error on this device means for the connection.
    package init(failing error: any Error) {
        self = (error as? DeviceFailure).map { .device($0) } ?? .failed("\(error)")
    }
}

extension SyncEnd {
    /// What keeps the laptop from its server after this; nil if the laptop itself ended the connection.
    package var obstacle: ServerObstacle? {
        switch self {
        case .unreachable, .broken: .unreachable
        case .otherServer: .otherKey
        case .excess: .excess
        case .device, .failed: .ownFault
        case .closed(let closing):
            switch closing {
            case .finished: nil
            case .serverLeft, .silence: .unreachable
            case .malformed: .turnedAway
            case .excess: .excess
            case .otherGroup: .otherGroup
            case .version(let mismatch): mismatch.upgrade == .client ? .olderDevice : .olderServer
            case .refused(let refusal):
                switch refusal.code {
                case .revoked: .revoked
                case .unknownDevice: .unknownDevice
                default: .turnedAway
                }
            }
        }
    }

    /// Whether the server has shut the laptop out.
    var isRevocation: Bool { obstacle == .revoked }

    /// Whether it is this one server that doesn't serve the laptop now, and another one of the group's may: it is full or about
    /// to end, or can't store anything.
    package var isOfOneServer: Bool {
        guard case .closed(.refused(let refusal)) = self else { return false }
        return switch refusal.code {
        case .busy, .internal, .noRoom, .shuttingDown: true
        default: false
        }
    }

    /// How long the server is left alone at least: as long as it asked for, 15 minutes at most.
    package var patience: Duration {
        switch self {
        case .closed(.refused(let refusal)):
            guard case .after(let wait) = refusal.retry else { return .zero }
            return min(wait, Limits.longestWait)
        case .excess: return Limits.retry
        default: return .zero
        }
    }
}
