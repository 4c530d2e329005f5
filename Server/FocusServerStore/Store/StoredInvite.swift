package import FocusCore

/// An invite as the server stores it: the hash of its token, and the access that it gives.
package struct StoredInvite: Hashable, Sendable {
    /// The group that it lets devices into; nil if it lets a device bring a group and isn't used yet.
    package let group: GroupID?
    /// The group's wrapped key; nil if the invite lets a device bring a group, or once the invite has ended.
    package let bundle: [UInt8]?
    /// The last instant at which it can be used.
    let expires: SharedInstant
    /// The device that has used it, or nil if none has.
    package let redeemedBy: Digest?
    /// The instant at which the server ended it, or nil if it hasn't yet.
    let ended: SharedInstant?

    /// Whether it is no longer open: no device gets in by it, or gets its key.
    package func hasEnded(at now: SharedInstant) -> Bool { ended != nil || expires < now }
}

/// The limits on the number of invites and their lifetime.
package enum InviteLimits {
    /// The maximum number of a group's open invites. A device without an open invite may make one beyond this
    /// limit, so that no device can keep the others from inviting.
    package static let ofGroup = 64
    /// The maximum number of a device's open invites.
    package static let ofDevice = 8
    /// The shortest lifetime of an invite: 1 second.
    package static let leastLifetime = Duration.seconds(1)
    /// The longest lifetime of an invite: 7 days.
    package static let lifetime = Duration.seconds(7 * 86_400)
    /// The time for which the store keeps an ended invite with its token's hash: 30 days. Until then the
    /// server can answer that the invite has ended, rather than that it is unknown. The store also keeps only
    /// the last 64 ended invites of each group.
    static let endedKept = Duration.seconds(30 * 86_400)
}

extension ServerTransaction {
    /// Records that a device has used an invite, and for which group. Ends the invites that the device used
    /// before, because it doesn't need them any more.
    package func redeemInvite(
        _ tokenHash: Digest, by key: Digest, group number: Int64, now: SharedInstant
    ) throws {
        try endInvites(redeemedBy: key, now: now)
        try setRedeemed(tokenHash, by: key, group: number)
    }
}
