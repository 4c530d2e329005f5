/// How a device stands to the others who share the session.
package enum Sharing: Hashable, Sendable {
    /// The device is in no group.
    case alone
    case group(GroupLink)

    /// The connection to the group's server.
    package enum Connection: String, CaseIterable, Hashable, Sendable {
        case online, connecting, offline
    }
}

/// What a person is shown of the group that a device is in.
package struct GroupLink: Hashable, Sendable {
    /// How the connection to the group's server stands.
    package let connection: Sharing.Connection
    /// How many of the device's events the server isn't known to have.
    package let pending: UInt64
    /// The names of the other devices that are connected, in order; only known while this one is.
    package let others: [String]

    /// What is shown of a group; unless said otherwise, with nothing pending and nobody else there.
    package init(_ connection: Sharing.Connection, pending: UInt64 = 0, others: [String] = []) {
        self.connection = connection
        self.pending = pending
        self.others = others
    }
}
