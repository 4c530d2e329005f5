import FocusCore
import FocusServerCore
import FocusServerStore
import FocusSync

/// Checks the records of epochs that a server keeps, and its answers to the devices that give them. The rules
/// are those of docs/protocol.md ("Epoch records", "Making one").
///
/// An `EpochCheck` looks at one batch's requests about epochs, in the order in which the writer handled them.
struct EpochCheck {
    /// The writer's decision about a record.
    private enum Fate: Hashable, CustomStringConvertible {
        case kept
        /// The record was there already.
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

    /// A request's connection, and its number there.
    private struct RequestKey: Hashable {
        let connection: ConnectionID
        let number: RequestNumber
    }

    /// The batch's answers that haven't been checked yet.
    private var answers: [RequestKey: GroupAnswer] = [:]
    /// The records that groups' connections are told of and that haven't been checked yet, in order. The
    /// giver's connection isn't told.
    private var added: [GroupID: ArraySlice<(record: EpochRecord, giver: ConnectionID?)>] = [:]

    /// - Parameter outcomes: The batch's answers.
    init(_ outcomes: [WriterOutcome]) {
        for outcome in outcomes {
            switch outcome {
            case .epochAdded(let record, let group, let giver):
                added[group, default: []].append((record: record, giver: giver))
            case .answered(let number, let answer, let connection):
                answers[RequestKey(connection: connection, number: number)] = answer
            default: continue
            }
        }
    }

    /// Checks the result of a request that gives a record or proposes a successor.
    ///
    /// - Parameter contents: The contents of the group. A kept record is added to them.
    /// - Returns: The breach, or nil if there is none.
    mutating func check(_ request: MemberRequest, in contents: inout GroupContents) -> String? {
        guard case .group(let number, let asked) = request.asked else { return nil }
        let record: EpochRecord
        let isSuccessor: Bool
        switch asked {
        case .epoch(let given): (record, isSuccessor) = (given, false)
        case .successor(let proposed, _): (record, isSuccessor) = (proposed, true)
        default: return nil
        }
        let key = RequestKey(connection: request.connection, number: number)
        guard let answer = answers.removeValue(forKey: key) else {
            return "request \(number.rawValue) about \(record.epoch) has no answer"
        }
        let allowed = fates(of: asked, record, contents)
        let fate = fate(of: record, request, answer, isSuccessor: isSuccessor, allowed)
        // The rates of devices aren't known here.
        if fate == .refused(.rate) { return nil }
        if fate == .kept { contents.setRecord(record) }
        guard !allowed.contains(fate) else { return nil }
        return
            "\(isSuccessor ? "successor" : "epoch") \(record.epoch): \(fate), not \(allowed.map(\.description))"
    }

    /// Returns the result of the request, according to the writer's answer and to what it tells the group.
    /// Nobody is told of an epoch that is only named.
    private mutating func fate(
        of record: EpochRecord, _ request: MemberRequest, _ answer: GroupAnswer, isSuccessor: Bool,
        _ allowed: [Fate]
    ) -> Fate {
        switch answer {
        case .refused(let refusal): return .refused(refusal.code)
        case .epochsExist(let others): return .others(Set(others))
        case .done: break
        }
        // A successor is told to all connections, another record to all connections except its giver's.
        if let first = added[request.group]?.first, first.record == record, !record.body.isEmpty,
            first.giver == nil || (!isSuccessor && first.giver == request.connection)
        {
            added[request.group]?.removeFirst()
            return .kept
        }
        return record.body.isEmpty && allowed.contains(.kept) ? .kept : .passedOver
    }

    /// Checks that the group is told of no further record after all of its requests.
    ///
    /// - Returns: A description of a record without a request, or nil if there is none.
    func unexplained(in group: GroupID) -> String? {
        guard let first = added[group]?.first else { return nil }
        return "the record of \(first.record.epoch) answers no request"
    }

    // MARK: - Rules

    /// Returns the results for a record that the rules allow: several if the right one can't be known.
    private func fates(
        of asked: GroupRequest, _ record: EpochRecord, _ contents: GroupContents
    ) -> [Fate] {
        let here = contents.epochs[record.epoch]
        // A record with a body stays. A record without a body is replaced by one with a body.
        let isHere = here.map { $0.body > 0 || record.body.isEmpty } ?? false
        guard record.epoch != record.predecessor else { return [.refused(.notAllowed)] }
        if case .successor(_, let discounted) = asked {
            guard let predecessor = record.predecessor, contents.epochs[predecessor] != nil else {
                return [.refused(.unknownEpoch)]
            }
            let others = contents.epochs.filter { $1.predecessor == predecessor && $1.body > 0 }.map(\.key)
            let standing = Set(others).subtracting(discounted)
            guard standing.isEmpty else { return [.others(standing)] }
            if isHere { return [.refused(.notAllowed)] }
        } else if isHere {
            return [.passedOver]
        }
        return contents.mayBeFull ? [.kept, .refused(.groupFull)] : [.kept]
    }
}
