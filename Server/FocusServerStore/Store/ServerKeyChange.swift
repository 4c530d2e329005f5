package import FocusCore
import FocusSeal

/// How far a change of the server's key has come: which key is announced, and who knows.
package struct ServerKeyChange {
    /// The announced key's hash.
    package let next: Digest
    /// Since when it is announced.
    package let since: SharedInstant
    /// The devices that know; the revoked are none of them.
    package let told: [StoredDevice]
    /// The devices that don't know yet; the revoked are none of them.
    package let untold: [StoredDevice]
    /// How many invites can still be used that name the present key alone.
    package let olderInvites: Int

    /// How far it has come; nil where no key is announced, or the server has it already.
    package init?(_ snapshot: some ServerSnapshot, present: Digest, now: SharedInstant) throws {
        guard let announced = try snapshot.announcedKey(), announced.key != present else { return nil }
        (next, since) = announced
        let knowing = try snapshot.devices(toldOf: next)
        let devices = try snapshot.devices().filter { $0.isProved && $0.revoked == nil }
        told = devices.filter { knowing.contains($0.key) }
        untold = devices.filter { !knowing.contains($0.key) }
        olderInvites = try snapshot.openInvites(unawareOf: next, now: now)
    }
}
