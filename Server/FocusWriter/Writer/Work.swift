package import FocusCore
import FocusSync

/// How much work a request makes for the writer. One is about what it costs to hash an event: the same that a device's
/// and a group's rates count, so that nobody gets more of the writer by asking for something else than events to be
/// merged.
enum Work {
    /// To take a request up, and to say what came of it.
    static let asked = 1
    /// To look a row up.
    static let lookUp = 2
    /// To write a row.
    static let row = 8
    /// What bytes to be stored cost, a work for so many of them.
    static let bytes = 128
    /// How many things in memory are gone through for one.
    static let passed = 16

    /// A group has its turn for so much of it: 1 or 2 ms.
    static let turn = 2_048
    /// A batch ends once it has done so much, so that what comes meanwhile doesn't wait for long.
    static let batch = 8_192
}

extension WriterRequest {
    /// How much work it is besides being taken up, where that can be told beforehand; of an upload, at least.
    var work: Int {
        switch self {
        case .member(let request): request.asked.work
        case .enrol: Work.lookUp + Work.row
        case .endInvites, .told, .prove: Work.row
        case .note, .reload, .barrier: 0
        }
    }

    /// The group whose turn it is done in, and the connection that asks for it; nil where it belongs to no group.
    package var place: (group: GroupID, connection: ConnectionID)? {
        switch self {
        case .member(let request): (request.group, request.connection)
        case .prove(_, let group, let connection): (group, connection)
        case .enrol, .endInvites, .told, .note, .reload, .barrier: nil
        }
    }
}

extension MemberRequest.Asked {
    /// How much work it is besides being taken up, where that can be told beforehand; of an upload, at least.
    var work: Int {
        switch self {
        case .merge(let segment): segment.count
        case .group(.roster(let roster)): roster.count * (Work.lookUp + Work.row)
        case .group(.epoch(let record)), .group(.successor(let record, _)):
            Work.row + record.body.count / Work.bytes
        case .group(.createInvite), .group(.revoke): Work.lookUp + Work.row
        }
    }

    /// What a refusal is about, of what is refused to a device that has asked for as much as it may, and counted against
    /// that. Uploads see to that themselves, and nobody is kept from shutting a device out.
    var metered: Digest? {
        switch self {
        case .group(.createInvite(let request)): request.tokenHash
        case .group(.roster(let roster)): roster.first?.device
        case .group(.epoch(let record)), .group(.successor(let record, _)): Digest(naming: record.epoch)
        case .merge, .group(.revoke): nil
        }
    }
}
