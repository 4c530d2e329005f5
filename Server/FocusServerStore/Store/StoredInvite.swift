package import FocusCore

/// An invite as the server keeps it: its token's hash, and what it opens.
package struct StoredInvite: Hashable, Sendable {
    /// The group that it lets in to, or has let in to; nil where it gives the right to bring one.
    package let group: GroupID?
    /// The group's key, wrapped; nil where it brings a group, and once the bundle was deleted.
    package let bundle: [UInt8]?
    /// Until when it can be used.
    let expires: SharedInstant
    /// The device that has used it.
    package let redeemedBy: Digest?
    /// When it was found to let in nobody any more; nil before.
    let ended: SharedInstant?

    /// Whether it lets in nobody, and gives nobody the key that it gave.
    package func hasEnded(at now: SharedInstant) -> Bool { ended != nil || expires < now }
}

/// How many invites there may be, and how long they may be used.
package enum InviteLimits {
    /// A group has so many invites open at once. One more is for each device that has none open, so that nobody keeps
    /// the others from inviting.
    package static let ofGroup = 64
    /// A device has so many invites open at once at most.
    package static let ofDevice = 8
    /// The shortest that an invite may be used: 1 second.
    package static let leastLifetime = Duration.seconds(1)
    /// The longest that an invite may be used: 7 days.
    package static let lifetime = Duration.seconds(7 * 86_400)
    /// The hash of an ended invite's token is kept for so long to say that it has ended rather than that there was none:
    /// 30 days. Of a group's invites the last 64 that ended are kept; the schema sees to that.
    static let endedKept = Duration.seconds(30 * 86_400)
}

extension ServerTransaction {
    /// Notes which device has used an invite, and for which group. What it used before, it needs no longer.
    package func redeemInvite(
        _ tokenHash: Digest, by key: Digest, group number: Int64, now: SharedInstant
    ) throws {
        try endInvites(redeemedBy: key, now: now)
        try setRedeemed(tokenHash, by: key, group: number)
    }
}
