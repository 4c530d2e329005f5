package import FocusCore
package import FocusSync

/// What a member asks for on a connection, in its group's turn. Where its device may no longer act in the group, the
/// connection ends instead.
package struct MemberRequest: Sendable {
    /// What it asks for.
    package enum Asked: Sendable {
        /// Merge an upload.
        case merge(Segment)
        /// Keep or change what the group has besides events.
        case group(GroupRequest)
    }

    /// What is to be done.
    package let asked: Asked
    /// The hash of the device's key, as it was shown in TLS.
    package let device: Digest
    /// The group that the device was welcomed in. Whether it still belongs there is looked up in the request's turn.
    package let group: GroupID
    /// Where the answer goes, and what ends where the device may no longer act.
    package let connection: ConnectionID

    /// What a device asks for on one of its connections.
    package init(_ asked: Asked, by device: Digest, in group: GroupID, from connection: ConnectionID) {
        self.asked = asked
        self.device = device
        self.group = group
        self.connection = connection
    }
}
