package import FocusCore
package import FocusDevice
import FocusSeal
package import FocusStore
package import FocusSync

/// An observer of a connection to the server. All calls are made on the connection's loop.
package protocol SyncObserver: SelfWriteObserver {
    /// Enters the group into which the server let the device. Returns the group's log, or nil if the observer
    /// didn't ask to join. A throw ends the connection.
    func enrolled(_ enrolled: Enrolled) throws(StoreError) -> SealedLog?
    /// The welcome arrived.
    func connected(_ presence: [Presence])
    /// The log's state may have changed.
    func notifyViews()
    /// The group's newest key is settled as far as this device can tell, so an invite may hand it out. Called
    /// repeatedly.
    func keyDidSettle()
    /// The server acknowledged events of this device. Other work may still be open.
    func acknowledged()
    /// Both sides have the same events as far as is known, and the group's key is settled.
    func becameIdle(_ traffic: SyncTraffic)
    /// The estimate of shared time improved.
    func clockLearnt(_ clock: ClockEstimate)
    /// Something was received from the server.
    func heard()
    func presenceChanged(_ presence: [Presence])
    /// Something happened that a person should know.
    func notice(_ notice: SyncNotice)
    /// The server answered a request; `refusal` is nil if it did as asked. If the server shuts a device out
    /// because somebody else asked for it, this is called as if this device had asked.
    func answered(_ request: GroupRequest, _ refusal: Refusal?)
    /// The connection has ended.
    func ended(_ end: SyncEnd)
}

/// The number of events that a connection has moved.
package struct SyncTraffic: Hashable, Sendable {
    /// Events that the server acknowledged during the connection.
    package var sent: UInt64 = 0
    /// Events from the server that were new here.
    package var received: UInt64 = 0

    /// Makes a count of events in both directions.
    package init(sent: UInt64 = 0, received: UInt64 = 0) {
        self.sent = sent
        self.received = received
    }
}

/// An occasion on which a device writes by itself (docs/timer-rules.md §5).
package enum SelfWriteOccasion: Hashable, Sendable {
    /// The device has caught up with its server.
    case returning
    /// A run of this device has become a side run, because another device began one at about the same time.
    case beside
    /// The machine was suspended, and the server can't say who pressed meanwhile.
    case waking
}

/// An observer of the events that a device writes by itself.
package protocol SelfWriteObserver: AnyObject {
    /// The device has done its own actions on an occasion, at `now`. It wrote these events, which may be
    /// none. Notices about them follow.
    func wrote(_ written: [Event], on occasion: SelfWriteOccasion, at now: SharedInstant)
}

/// A failure on the way to a server.
package enum ConnectionTrouble: Hashable, Sendable {
    /// No address is known.
    case noAddress
    /// The server ended the connection without a message.
    case closedByServer
    /// The program at the address is no Lockstep server.
    case otherProtocol
    /// The network failed: the operation, and the system's message.
    case network(String)
}

/// The reason why a connection to the server ended.
package enum SyncEnd: Error, Hashable, Sendable {
    /// No address led to the server. The trouble is that of the last address.
    case unreachable(ConnectionTrouble)
    /// The server at this address shows another key than the pinned one.
    case otherServer(String)
    /// The session ended.
    case closed(ClientCloseReason)
    /// The server at this address lists more than any group has.
    case excess(GroupSizeError, by: String)
    /// The connection broke.
    case broken(ConnectionTrouble)
    /// This device failed, and a person has to fix that here.
    case device(DeviceFailure)
    /// The device's own log or keys failed in another way.
    case failed(String)

    /// The end of a connection that an error on this device causes.
    package init(failing error: LocalFailure) {
        self =
            switch error {
            case .store(let error): .failed(error.message)
            case .seal(let error): .failed(error.description)
            case .device(let failure): .device(failure)
            }
    }
}

extension SyncEnd {
    /// The obstacle between the laptop and its server after this end; nil if the laptop itself ended the
    /// connection.
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
                case .shuttingDown: .shutDown
                default: .turnedAway
                }
            }
        }
    }

    /// Whether the server has shut the laptop out.
    var isRevocation: Bool { obstacle == .revoked }

    /// Whether the server refused the invite: it was used, has ended, or was never made there.
    package var isInviteRefusal: Bool {
        guard case .closed(.refused(let refusal)) = self else { return false }
        return refusal.code == .tokenInvalid || refusal.code == .tokenExpired
    }

    /// Whether only this server can't serve the laptop now: it is full, is shutting down, or can't store
    /// anything. Another server of the group may serve it.
    package var isOfOneServer: Bool {
        guard case .closed(.refused(let refusal)) = self else { return false }
        return switch refusal.code {
        case .busy, .internal, .noRoom, .shuttingDown: true
        default: false
        }
    }

    /// The minimum time before the next attempt: as long as the server asked for, at most 15 minutes. If the
    /// server sent too much, it is a minute.
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
