import FocusCore
import FocusServerStore
import FocusSync
import FocusWriter

/// Checks the records of epochs that a server keeps, and its answers to the devices that give them. The rules
/// are those of docs/protocol.md ("Epoch records", "Making one") and docs/operations.md ("epochs-per-group").
///
/// It looks at one batch's requests about epochs, in the order in which the writer handled them.
struct EpochCheck {
    /// The writer's decision about a record.
    private enum Fate: Hashable, CustomStringConvertible {
        case kept
        /// The record was there already, or there is no room. Nobody is told.
        case passedOver
        /// The record wasn't kept, because these successors of the same epoch exist.
        case others(Set<EpochID>)
        case refused(RefusalCode)

        var description: String {
            switch self {
            case .kept: "kept"
            case .passedOver: "passed over"
            case .others(let others): "follows \(others.sorted())"
            case .refused(let code): "refused as \(code)"
            }
        }
    }

    private let limits: ServerLimits
    /// The batch's answers about each group's epochs that haven't been checked yet, in order.
    private var said: [GroupID: ArraySlice<WriterOutcome>] = [:]
    private let grown: [GroupID: Int]
    /// The groups with contents that can't be known any more.
    private(set) var doubtful: Set<GroupID> = []

    /// A tolerance in bytes. The server may briefly count more bytes for segments that it stores in another
    /// form than they arrived in.
    private static let slack = 8_192

    /// - Parameters:
    ///   - asked: The batch's requests about epochs.
    ///   - grown: The bytes of the rows of each group's events that arrived in the batch.
    init(
        _ outcomes: [WriterOutcome], to asked: [MemberRequest], _ limits: ServerLimits,
        grown: [GroupID: Int]
    ) {
        self.limits = limits
        self.grown = grown
        let groups = Dictionary(asked.map { ($0.connection, $0.group) }) { first, _ in first }
        for outcome in outcomes {
            switch outcome {
            case .epochAdded(_, let group, _): said[group, default: []].append(outcome)
            case .answered(.epochsExist, let connection):
                if let group = groups[connection] { said[group, default: []].append(outcome) }
            case .answered(.refused(let subject, _), let connection) where EpochCheck.isEpoch(subject):
                if let group = groups[connection] { said[group, default: []].append(outcome) }
            default: continue
            }
        }
    }

    /// Whether the subject of a refusal is an epoch: its id, then 24 zeros.
    private static func isEpoch(_ subject: Digest) -> Bool {
        subject.bytes.dropFirst(8).allSatisfy { $0 == 0 }
    }

    /// Checks the result of a request that gives a record or proposes a successor.
    ///
    /// - Parameters:
    ///   - account: The contents of the group. A kept record is added to it.
    ///   - later: The batch's requests about epochs that follow.
    /// - Returns: The breach, or nil if there is none.
    mutating func note(
        _ request: MemberRequest, in account: inout GroupContents, before later: ArraySlice<MemberRequest>
    ) -> String? {
        let record: EpochRecord
        let isSuccessor: Bool
        switch request.asked {
        case .group(.epoch(let given)): (record, isSuccessor) = (given, false)
        case .group(.successor(let proposed, _)): (record, isSuccessor) = (proposed, true)
        default: return nil
        }
        guard !doubtful.contains(request.group) else { return nil }
        let right = fates(of: request, record, account)
        let fate = fate(of: record, request, isSuccessor: isSuccessor, account, right)
        if fate == .refused(.rate) {
            // The refusal may belong to a later request about the same epoch.
            let isAgain = later.contains {
                $0.connection == request.connection && EpochCheck.record(of: $0)?.epoch == record.epoch
            }
            if isAgain { doubtful.insert(request.group) }
            return nil
        }
        if fate == .kept { account.keep(record, by: request.device, limits) }
        if record.body.isEmpty, right.count > 1 { doubtful.insert(request.group) }
        guard !right.contains(fate) else { return nil }
        return
            "\(isSuccessor ? "successor" : "epoch") \(record.epoch): \(fate), not \(right.map(\.description))"
    }

    private static func record(of request: MemberRequest) -> EpochRecord? {
        switch request.asked {
        case .group(.epoch(let record)), .group(.successor(let record, _)): record
        default: nil
        }
    }

    /// Returns the result of the request, according to the writer's answers. Nobody is told of an epoch that
    /// is only named.
    private mutating func fate(
        of record: EpochRecord, _ request: MemberRequest, isSuccessor: Bool, _ account: GroupContents,
        _ right: [Fate]
    ) -> Fate {
        switch said[request.group]?.first {
        case .epochAdded(let added, _, let giver)? where added == record && !record.body.isEmpty:
            // A successor is told to all connections, another record to all connections except its giver's.
            guard giver == nil || !isSuccessor && giver == request.connection else { break }
            said[request.group]?.removeFirst()
            return .kept
        case .answered(.epochsExist(let others), let connection)? where connection == request.connection:
            guard isSuccessor else { break }
            said[request.group]?.removeFirst()
            return .others(Set(others))
        case .answered(.refused(let subject, let refusal), let connection)?
        where connection == request.connection && subject == Digest(naming: record.epoch):
            said[request.group]?.removeFirst()
            return .refused(refusal.code)
        default: break
        }
        return record.body.isEmpty && right == [.kept] ? .kept : .passedOver
    }

    /// Checks that no answer about the group's epochs is left after all of its requests.
    ///
    /// - Returns: A description of an answer without a request, or nil if there is none.
    func left(of group: GroupID) -> String? {
        guard !doubtful.contains(group), let first = said[group]?.first else { return nil }
        return "\(first) is nobody's"
    }

    // MARK: - Rules

    /// Returns the results for a record that the rules allow: several if the right one can't be known.
    private func fates(
        of request: MemberRequest, _ record: EpochRecord, _ account: GroupContents
    ) -> [Fate] {
        let here = account.epochs[record.epoch]
        // A record with a body stays. One without makes way for one with a body.
        let isHere = here.map { $0.body > 0 || record.body.isEmpty } ?? false
        let rooms = rooms(for: record, account, request)
        let followsItself = record.epoch == record.predecessor
        guard case .group(.successor(_, let discounted)) = request.asked else {
            return isHere || followsItself ? [.passedOver] : rooms.map { $0 ? .kept : .passedOver }
        }
        guard !followsItself else { return [.refused(.notAllowed)] }
        guard let predecessor = record.predecessor, account.epochs[predecessor] != nil else {
            return [.refused(.unknownEpoch)]
        }
        let others = account.epochs.filter { $1.predecessor == predecessor && $1.body > 0 }.map(\.key)
        let standing = Set(others).subtracting(discounted)
        guard standing.isEmpty else { return [.others(standing)] }
        return isHere ? [.refused(.notAllowed)] : rooms.map { $0 ? .kept : .refused(.groupFull) }
    }

    /// Returns whether there is room for the record; both values if that isn't known.
    private func rooms(for record: EpochRecord, _ account: GroupContents, _ request: MemberRequest) -> [Bool]
    {
        let limit = account.quota.bytes ?? limits.bytesPerGroup
        let bytes = account.bytes + record.body.count
        let isNew = account.epochs[record.epoch] == nil
        guard account.bodies + record.body.count <= limits.epochBytesPerGroup, bytes <= limit,
            !isNew || account.hasPlace(forEpochOf: request.device, limits)
        else { return [false] }
        // Events of this batch may have been counted before the record.
        guard let grown = grown[request.group], bytes + grown + EpochCheck.slack > limit else {
            return [true]
        }
        return [true, false]
    }
}
