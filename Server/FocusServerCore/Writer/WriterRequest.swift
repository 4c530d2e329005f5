package import FocusCore
package import FocusServerStore
package import FocusSync

/// A request to the writer. The requests of one connection are done in the order in which they arrive.
package enum WriterRequest: Sendable {
    /// Do a member's request in its group.
    case member(MemberRequest)
    /// Let a device in.
    case enrol(Enrol, device: Digest, from: ConnectionID)
    /// End the invites that the device used. It has connected again since it enrolled, so it needs them no
    /// more.
    case endInvites(of: Digest)
    /// The device accepted the group's welcome. It belongs to this group for good, and to no other one.
    case prove(Digest, GroupID, from: ConnectionID)
    /// Record that the device (the first digest) knows the server's announced key (the second).
    case told(Digest, of: Digest)
    /// Record sightings of devices, and the greatest time served. `acceptances` is the number of clock
    /// acceptances by operators that the server knew of when it served that time. It is nil if that number is
    /// known to be current (`raiseGreatestServed`).
    case note([Digest: Sighting], greatestServed: SharedInstant, acceptances: Int64? = nil)
    /// Another process has changed devices, or deleted groups. Read the present state.
    case reload
    /// Do a request that is needed only if several servers share the store.
    case shared(SharedStoreRequest)
    /// Deliver an outcome that is drained (`CommitOutcome`) when all earlier requests are done.
    case barrier
}

/// A member's request on a connection, done in its group's turn. If the device may no longer act in the
/// group, the connection ends instead.
package struct MemberRequest: Sendable {
    /// The content of a member's request.
    package enum Asked: Sendable {
        /// Merge an upload.
        case merge(Segment)
        /// Add or change something in the group besides events.
        case group(RequestNumber, GroupRequest)

        /// Whether it may revoke a device.
        var shutsOut: Bool {
            switch self {
            case .group(_, .revoke): true
            case .group(_, .roster(let roster)): roster.contains(where: \.isRevoked)
            case .merge, .group: false
            }
        }
    }

    /// The content of the request.
    package let asked: Asked
    /// The hash of the device's key, as TLS showed it.
    package let device: Digest
    /// The group that welcomed the device. Whether the device still belongs there is checked in the request's
    /// turn.
    package let group: GroupID
    /// The connection for the answer. It ends if the device may no longer act in the group.
    package let connection: ConnectionID

    /// Creates a request of a device on one of its connections.
    package init(_ asked: Asked, by device: Digest, in group: GroupID, from connection: ConnectionID) {
        self.asked = asked
        self.device = device
        self.group = group
        self.connection = connection
    }
}

/// The cost of requests to the writer, in units of work. One unit is about the cost of hashing an event. The
/// rates of devices and groups use the same unit, so no other kind of request gets more of the writer than
/// uploads do.
enum Work {
    /// The acceptance of a request, and its answer.
    static let asked = 1
    /// The lookup of a row.
    static let lookUp = 2
    /// The write of a row.
    static let row = 8
    /// The number of stored bytes that count as one unit.
    static let bytes = 128
    /// The number of items in memory that a loop visits for one unit.
    static let passed = 16

    /// The budget of a group's turn: 1 or 2 ms.
    static let turn = 2_048
    /// The work after which a batch ends, so that new requests don't wait for long.
    static let batch = 8_192
}

extension WriterRequest {
    /// The work of the request besides its acceptance, if it is known in advance; for an upload, the minimum.
    var work: Int {
        switch self {
        case .member(let request): request.asked.work
        case .enrol: Work.lookUp + Work.row
        case .endInvites, .told, .prove: Work.row
        case .note, .reload, .shared, .barrier: 0
        }
    }

    /// The group and the connection under which the request is queued; nil if it belongs to no group.
    package var place: (group: GroupID, connection: ConnectionID)? {
        switch self {
        case .member(let request): (request.group, request.connection)
        case .prove(_, let group, let connection): (group, connection)
        case .enrol, .endInvites, .told, .note, .reload, .shared, .barrier: nil
        }
    }
}

extension MemberRequest.Asked {
    /// The work of the request besides its acceptance, if it is known in advance; for an upload, the minimum.
    var work: Int {
        switch self {
        case .merge(let segment): segment.count
        case .group(_, .roster(let roster)): roster.count * (Work.lookUp + Work.row)
        case .group(_, .epoch(let record)), .group(_, .successor(let record, _)):
            Work.row + record.body.count / Work.bytes
        case .group(_, .createInvite), .group(_, .revoke): Work.lookUp + Work.row
        }
    }

    /// Whether the request counts against the device's limit on requests. Uploads have their own limit, and
    /// nothing may prevent the revocation of a device.
    var isMetered: Bool {
        switch self {
        case .merge, .group(_, .revoke): false
        case .group: true
        }
    }
}
