package import FocusCore

extension ServerTransaction {
    /// Notes which device has used an invite, and for which group. What it used before, it needs no longer.
    package func redeemInvite(
        _ tokenHash: Digest, by key: Digest, group number: Int64, now: SharedInstant
    ) throws {
        try endInvites(redeemedBy: key, now: now)
        try setRedeemed(tokenHash, by: key, group: number)
    }
}
