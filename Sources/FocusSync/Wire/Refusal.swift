/// The code of a refusal (docs/protocol.md, "Errors"). A newer server may send codes that aren't named here.
/// For these, the message and `retry` are enough.
package struct RefusalCode: RawRepresentable, Hashable, Sendable {
    /// The code's byte on the wire; 0 stands for no code.
    package let rawValue: UInt8

    /// Creates the code with this byte, whether it is named here or not.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// There is no protocol version that both sides speak.
    package static let version = RefusalCode(rawValue: 1)
    /// The server doesn't know the device's key. The device may join with an invite.
    package static let unknownDevice = RefusalCode(rawValue: 2)
    /// The device's key is revoked, for ever.
    package static let revoked = RefusalCode(rawValue: 3)
    /// There is no such invite, it ended long ago, or another device used it.
    package static let tokenInvalid = RefusalCode(rawValue: 4)
    /// The invite has ended. A new one is needed.
    package static let tokenExpired = RefusalCode(rawValue: 5)
    /// The device may not do that: with this kind of invite, for this group, or to another group's device.
    package static let notAllowed = RefusalCode(rawValue: 6)
    /// A frame is longer than it may be.
    package static let frameTooLarge = RefusalCode(rawValue: 7)
    /// A frame or a message is malformed or may not come now. In an ack: a stamp doesn't rise.
    package static let malformed = RefusalCode(rawValue: 8)
    /// In an ack: the upload begins after the event that follows the server's head.
    package static let gap = RefusalCode(rawValue: 9)
    /// In an ack: the server has other events with the same ids.
    package static let parted = RefusalCode(rawValue: 10)
    /// In an ack: an event lies over 2 minutes ahead of shared time.
    package static let clockAhead = RefusalCode(rawValue: 11)
    /// In an ack: the server isn't sure of its clock and takes nothing new.
    package static let clockNotSure = RefusalCode(rawValue: 12)
    /// The server has no record of the epoch, or of a successor's predecessor.
    package static let unknownEpoch = RefusalCode(rawValue: 13)
    /// Too much at once. A time is named after which more is taken.
    package static let rate = RefusalCode(rawValue: 14)
    /// Too many groups, devices or open invites. For events the code is `groupFull`.
    package static let quota = RefusalCode(rawValue: 15)
    /// The server has reached its limit of connections, or of memory for them.
    package static let busy = RefusalCode(rawValue: 16)
    /// The server is shutting down. It names a time to come back.
    package static let shuttingDown = RefusalCode(rawValue: 17)
    /// The server failed. In an ack: it could not store the upload.
    package static let `internal` = RefusalCode(rawValue: 18)
    /// The other side sent nothing for too long.
    package static let silence = RefusalCode(rawValue: 19)
    /// The server's disk is full.
    package static let noRoom = RefusalCode(rawValue: 20)
    /// The group has as many events, bytes, replicas or epochs as the server takes.
    package static let groupFull = RefusalCode(rawValue: 21)
}

/// A refusal on the wire: a code for programs, a message for people, and whether a retry can help.
package struct Refusal: Error, Hashable, Sendable {
    /// Whether a retry can help.
    package enum Retry: Hashable, Sendable {
        /// No retry helps before a person has fixed something.
        case never
        /// A retry can help after at least this time. Zero leaves the time to the other side.
        case after(Duration)
    }

    /// The reason, for programs.
    package var code: RefusalCode
    /// The reason, for people: at most `Limits.text` bytes of UTF-8, written by the other side.
    package var message: String
    /// Whether and when a retry can help.
    package var retry: Retry
    /// The versions that the refusing side speaks, with `RefusalCode.version`; empty with every other code.
    package var versions: [ProtocolVersion]

    /// Creates a refusal.
    ///
    /// - Parameters:
    ///   - message: A few words for people.
    ///   - versions: The versions that this side speaks, with `RefusalCode.version`.
    package init(
        _ code: RefusalCode, _ message: String, retry: Retry = .never, versions: [ProtocolVersion] = []
    ) {
        self.code = code
        self.message = message
        self.retry = retry
        self.versions = versions
    }
}
