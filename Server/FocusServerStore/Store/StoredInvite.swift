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
