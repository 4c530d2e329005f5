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
        case .member(_, let request, _): request.work
        case .merge(let segment, _, _, _): segment.count
        case .roster(let roster, _, _): roster.count * (Work.lookUp + Work.row)
        case .epoch(let record, _, _), .successor(let record, _, _, _):
            Work.row + record.body.count / Work.bytes
        case .enrol, .createInvite, .revoke: Work.lookUp + Work.row
        case .settled, .told, .prove: Work.row
        case .note, .reload, .barrier: 0
        }
    }

    /// The group whose turn it is done in, and the connection that asks for it; nil where it belongs to no group.
    package var place: (group: GroupID, connection: ConnectionID)? {
        switch self {
        case .member(_, let request, _): request.place
        case .merge(_, let group, _, let connection), .createInvite(_, let group, _, let connection),
            .revoke(_, let group, let connection), .roster(_, let group, let connection),
            .epoch(_, let group, let connection), .successor(_, _, let group, let connection),
            .prove(_, let group, let connection):
            (group, connection)
        case .enrol, .settled, .told, .note, .reload, .barrier: nil
        }
    }

    /// The group that a member asks this in; nil where it is asked in none.
    var group: GroupID? { place?.group }

    /// What a refusal is about, of what is refused to a device that has asked for as much as it may, and counted against
    /// that. Uploads see to that themselves, and nobody is kept from shutting a device out.
    var metered: Digest? {
        switch self {
        case .createInvite(let request, _, _, _): request.tokenHash
        case .roster(let roster, _, _): roster.first?.device
        case .epoch(let record, _, _), .successor(let record, _, _, _): Digest(naming: record.epoch)
        case .member, .merge, .enrol, .prove, .revoke, .settled, .told, .note, .reload, .barrier: nil
        }
    }
}
