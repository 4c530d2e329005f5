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

    package let asked: Asked
    package let device: Digest
    package let group: GroupID
    package let connection: ConnectionID

    package init(_ asked: Asked, by device: Digest, in group: GroupID, from connection: ConnectionID) {
        self.asked = asked
        self.device = device
        self.group = group
        self.connection = connection
    }
}
