package import FocusCore
package import FocusSync

/// Whoever is told what a connection to the server brings. All calls come on the connection's loop.
package protocol SyncObserver: OwnWritingObserver {
    /// The server let the device into the group: make it at home there, and give what it has.
    func enrolled(_ enrolled: Enrolled) throws -> SealedLog
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
