import FocusCore
import FocusServerStore
import FocusSync
import FocusWriter

/// Checks the records of epochs that a server keeps, and its answers to the devices that give them. The rules
/// are those of docs/protocol.md ("Epoch records", "Making one").
///
/// An `EpochCheck` looks at one batch's requests about epochs, in the order in which the writer handled them.
struct EpochCheck {
    /// The writer's decision about a record.
    private enum Fate: Hashable, CustomStringConvertible {
        case kept
        /// The record was there already, or there is no room. The device gets no answer.
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

    /// The batch's answers about each group's epochs that haven't been checked yet, in order.
    private var said: [GroupID: ArraySlice<WriterOutcome>] = [:]
    /// The groups with contents that can't be known any more.
    private(set) var doubtful: Set<GroupID> = []

    /// - Parameter asked: The batch's requests about epochs.
    init(_ outcomes: [WriterOutcome], to asked: [MemberRequest]) {
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
    ///   - contents: The contents of the group. A kept record is added to them.
    ///   - later: The batch's requests about epochs that follow.
    /// - Returns: The breach, or nil if there is none.
    mutating func note(
        _ request: MemberRequest, in contents: inout GroupContents, before later: ArraySlice<MemberRequest>
    ) -> String? {
        let record: EpochRecord
        let isSuccessor: Bool
        switch request.asked {
        case .group(.epoch(let given)): (record, isSuccessor) = (given, false)
        case .group(.successor(let proposed, _)): (record, isSuccessor) = (proposed, true)
        default: return nil
        }
        guard !doubtful.contains(request.group) else { return nil }
        let right = fates(of: request, record, contents)
        let fate = fate(of: record, request, isSuccessor: isSuccessor, right)
        if fate == .refused(.rate) {
            // The refusal may belong to a later request about the same epoch.
            let isAgain = later.contains {
                $0.connection == request.connection && EpochCheck.record(of: $0)?.epoch == record.epoch
            }
            if isAgain { doubtful.insert(request.group) }
            return nil
        }
        if fate == .kept { contents.keep(record) }
        // Without an answer, it isn't known which of the allowed results is the right one.
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

    /// Returns the result of the request, according to the writer's answers. A record without a body gets no
    /// answer when it is kept.
    private mutating func fate(
        of record: EpochRecord, _ request: MemberRequest, isSuccessor: Bool, _ right: [Fate]
    ) -> Fate {
        switch said[request.group]?.first {
        case .epochAdded(let added, _, let giver)? where added == record && !record.body.isEmpty:
            // A successor is sent to all connections, another record to all connections except its giver's.
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
        of request: MemberRequest, _ record: EpochRecord, _ contents: GroupContents
    ) -> [Fate] {
        let here = contents.epochs[record.epoch]
        // A record with a body stays. A record without a body is replaced by one with a body.
        let isHere = here.map { $0.body > 0 || record.body.isEmpty } ?? false
        let followsItself = record.epoch == record.predecessor
        guard case .group(.successor(_, let discounted)) = request.asked else {
            if isHere || followsItself { return [.passedOver] }
            return contents.mayBeFull ? [.kept, .passedOver] : [.kept]
        }
        guard !followsItself else { return [.refused(.notAllowed)] }
        guard let predecessor = record.predecessor, contents.epochs[predecessor] != nil else {
            return [.refused(.unknownEpoch)]
        }
        let others = contents.epochs.filter { $1.predecessor == predecessor && $1.body > 0 }.map(\.key)
        let standing = Set(others).subtracting(discounted)
        guard standing.isEmpty else { return [.others(standing)] }
        if isHere { return [.refused(.notAllowed)] }
        return contents.mayBeFull ? [.kept, .refused(.groupFull)] : [.kept]
    }
}
