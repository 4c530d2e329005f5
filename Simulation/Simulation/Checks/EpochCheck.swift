import FocusCore
import FocusServerStore
import FocusSync
import FocusWriter

/// Which records of epochs a server keeps, and what it answers who gives it one, as docs/protocol.md has it ("Epoch
/// records", "Making one") and docs/operations.md ("epochs-per-group").
///
/// It goes through what one batch was asked about epochs, in the order in which that was done.
struct EpochCheck {
    /// What became of a record.
    private enum Fate: Hashable, CustomStringConvertible {
        case kept
        /// It was here, or there is no room: nobody is told.
        case passedOver
        /// These came before it.
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
    /// What was said in the batch about each group's epochs and wasn't looked at yet, in its order.
    private var said: [GroupID: ArraySlice<WriterOutcome>] = [:]
    private let grown: [GroupID: Int]
    /// Of which groups it can't be told any more what they have.
    private(set) var doubtful: Set<GroupID> = []

    /// Chains of what isn't stored as it came may be counted for a moment.
    private static let slack = 8_192

    /// - Parameters:
    ///   - asked: what the batch was asked about epochs.
    ///   - grown: what the rows of each group's events that came in the batch take, in bytes.
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

    /// Of an epoch a refusal names its id, then 24 zeros.
    private static func isEpoch(_ subject: Digest) -> Bool {
        subject.bytes.dropFirst(8).allSatisfy { $0 == 0 }
    }

    /// A record was given, or a successor proposed.
    ///
    /// - Parameters:
    ///   - account: what the group has; what is kept is added to it.
    ///   - later: what else of the batch follows.
    /// - Returns: what shouldn't be; nil where all should.
    mutating func note(
        _ request: MemberRequest, in account: inout GroupAccount, before later: ArraySlice<MemberRequest>
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
            // It may be another one that asks about the same.
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

    /// What was made of it, by what was said. Nobody is told of an epoch that is only named.
    private mutating func fate(
        of record: EpochRecord, _ request: MemberRequest, isSuccessor: Bool, _ account: GroupAccount,
        _ right: [Fate]
    ) -> Fate {
        switch said[request.group]?.first {
        case .epochAdded(let added, _, let giver)? where added == record && !record.body.isEmpty:
            // Everybody is told, but for who gave one that had been made before.
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

    /// Everything that a group asked was looked at.
    ///
    /// - Returns: what was said that nobody asked for.
    func left(of group: GroupID) -> String? {
        guard !doubtful.contains(group), let first = said[group]?.first else { return nil }
        return "\(first) is nobody's"
    }

    // MARK: - The rules

    /// What may become of a record: more than one thing where that can't be told.
    private func fates(
        of request: MemberRequest, _ record: EpochRecord, _ account: GroupAccount
    ) -> [Fate] {
        let here = account.epochs[record.epoch]
        // Of two with bodies the first stays; one without makes way.
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

    /// Whether there is room for it; both where that can't be told.
    private func rooms(for record: EpochRecord, _ account: GroupAccount, _ request: MemberRequest) -> [Bool] {
        let limit = account.quota.bytes ?? limits.bytesPerGroup
        let bytes = account.bytes + record.body.count
        let isNew = account.epochs[record.epoch] == nil
        guard account.bodies + record.body.count <= limits.epochBytesPerGroup, bytes <= limit,
            !isNew || account.hasPlace(forEpochOf: request.device, limits)
        else { return [false] }
        // What came in the batch may have come before.
        guard let grown = grown[request.group], bytes + grown + EpochCheck.slack > limit else {
            return [true]
        }
        return [true, false]
    }
}
