/// Why something was refused (docs/protocol.md, "Errors"). A newer server may send codes that aren't named here:
/// then the message and `retry` say enough.
package struct RefusalCode: RawRepresentable, Hashable, Sendable {
    /// The byte that stands for it on the wire; 0 is no code.
    package let rawValue: UInt8

    /// The code with this byte, whether it is named here or not.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// No protocol version that both sides speak.
    package static let version = RefusalCode(rawValue: 1)
    /// The server doesn't know the device's key: the device may join with an invite.
    package static let unknownDevice = RefusalCode(rawValue: 2)
    /// The device's key is kept out for ever.
    package static let revoked = RefusalCode(rawValue: 3)
    /// There is no such invite, or it ended long ago, or another device used it.
    package static let tokenInvalid = RefusalCode(rawValue: 4)
    /// The invite has ended: a new one is needed.
    package static let tokenExpired = RefusalCode(rawValue: 5)
    /// The device may not do that: with this kind of invite, for this group, or for another group's device.
    package static let notAllowed = RefusalCode(rawValue: 6)
    /// A frame is longer than it may be.
    package static let frameTooLarge = RefusalCode(rawValue: 7)
    /// A frame or a message isn't as it should be, or may not come now; of an upload, a stamp that doesn't rise.
    package static let malformed = RefusalCode(rawValue: 8)
    /// An upload begins beyond the event after the server's head.
    package static let gap = RefusalCode(rawValue: 9)
    /// The server has other events under the same names.
    package static let parted = RefusalCode(rawValue: 10)
    /// An event lies over 2 minutes ahead.
    package static let clockAhead = RefusalCode(rawValue: 11)
    /// The server isn't sure of its own clock, and takes nothing new.
    package static let clockNotSure = RefusalCode(rawValue: 12)
    /// An event of an epoch that the server has no record of.
    package static let unknownEpoch = RefusalCode(rawValue: 13)
    /// Too much at once: there is a time after which more is taken.
    package static let rate = RefusalCode(rawValue: 14)
    /// Too many groups or devices. Of events `groupFull` says that.
    package static let quota = RefusalCode(rawValue: 15)
    /// The server has as many connections, or holds as much in memory for them, as it may.
    package static let busy = RefusalCode(rawValue: 16)
    /// The server is about to end, and says when to come back.
    package static let shuttingDown = RefusalCode(rawValue: 17)
    /// The server has failed at this; of an upload, it could not be stored.
    package static let `internal` = RefusalCode(rawValue: 18)
    /// The other side said nothing for too long.
    package static let silence = RefusalCode(rawValue: 19)
    /// The server's disk is full.
    package static let noRoom = RefusalCode(rawValue: 20)
    /// The group has as many events, or as much of them, as the server takes.
    package static let groupFull = RefusalCode(rawValue: 21)
}

/// A refusal as it is sent: a code for programs, a message for people, and whether trying again can help.
package struct Refusal: Error, Hashable, Sendable {
    /// Whether trying again can help.
    package enum Retry: Hashable, Sendable {
        /// Not before a person has mended something.
        case never
        /// After so long at the earliest; nothing leaves it to the other side.
        case after(Duration)
    }

    /// Why, for programs.
    package var code: RefusalCode
    /// Why, for people: what the other side wrote, at most `Limits.text` bytes of UTF-8.
    package var message: String
    /// Whether trying again can help, and when.
    package var retry: Retry
    /// With `RefusalCode.version`, the versions that the refusing side speaks; empty with every other code.
    package var versions: [ProtocolVersion]

    /// A refusal.
    ///
    /// - Parameters:
    ///   - message: a few words for people.
    ///   - versions: with `RefusalCode.version`, those that this side speaks.
    package init(
        _ code: RefusalCode, _ message: String, retry: Retry = .never, versions: [ProtocolVersion] = []
    ) {
        self.code = code
        self.message = message
        self.retry = retry
        self.versions = versions
    }
}
