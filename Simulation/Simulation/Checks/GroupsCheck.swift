import FocusCore
import FocusServerStore
import FocusSync
import FocusWriter

/// Checks each of the writer's batches by the rules of `MergingCheck` and `EpochCheck`: its effects on
/// groups' logs and epochs, and its answers. It reads the store before and after each batch.
struct GroupsCheck {
    private let limits: ServerLimits
    private let store: CheckedStore
    private var requests = MemberRequests()
    /// The contents of the groups. A group with unknown contents is missing.
    private var accounts: [GroupID: GroupContents] = [:]
    /// The sizes of the groups before the batch; nil if no request waits.
    private var sizes: [Int64: (events: Int, bytes: Int)]?

    init(_ limits: ServerLimits, _ store: CheckedStore) {
        self.limits = limits
        self.store = store
    }

    /// Notes a request that the writer begins to handle.
    mutating func note(_ request: WriterRequest) { requests.note(request) }

    /// Forgets a group that the operator has deleted.
    mutating func forget(_ group: GroupID) {
        requests.forget(group)
        accounts[group] = nil
    }

    /// Whether a request waits that a batch may handle.
    var isDue: Bool { !requests.isEmpty }

    /// Begins a batch.
    ///
    /// - Parameters:
    ///   - groups: The existing groups; nil if they weren't read.
    ///   - memory: The server's memory of the groups' logs, if other servers write to its store too;
    ///     otherwise nil. A group is only checked if its memory equals the store.
    mutating func begin(
        _ groups: [GroupID: (number: Int64, quota: GroupQuota)]?, knowing memory: [GroupID: GroupIndex]? = nil
    ) {
        sizes = nil
        guard isDue, let groups else { return }
        if memory != nil { accounts = [:] }
        accounts = accounts.filter { groups[$0.key]?.number == $0.value.number }
        for (group, (number, quota)) in groups {
            if accounts[group] == nil { accounts[group] = store.account(number, quota) }
            accounts[group]?.quota = quota
            if let memory, accounts[group]?.isKnown(to: memory[group]) == false { accounts[group] = nil }
        }
        sizes = store.sizes()
    }

    /// Checks a batch.
    ///
    /// - Parameter now: The server's time when the batch began; nil if its clock may be wrong.
    /// - Returns: The breach, or nil if there is none.
    mutating func note(_ outcomes: [WriterOutcome], at now: SharedInstant?) -> String? {
        let done = requests.note(outcomes)
        guard !done.uploads.isEmpty || !done.others.isEmpty || !done.doubtful.isEmpty else { return nil }
        guard !GroupsCheck.haveFailed(outcomes), let sizes, let after = store.sizes() else {
            accounts = [:]
            return nil
        }
        var rows: [Int64: (events: Int, bytes: Int)] = [:]
        for (number, there) in after {
            let before = sizes[number] ?? (0, 0)
            rows[number] = (there.events - before.events, there.bytes - before.bytes)
        }
        for group in done.doubtful { accounts[group] = nil }
        let before = accounts
        let grown = before.compactMapValues { rows[$0.number]?.bytes }
        return epochs(done.others, outcomes, grown) ?? uploads(done.uploads, before, grown, at: now)
            ?? stored(before, rows)
    }

    /// Whether a part of the batch couldn't be stored.
    static func haveFailed(_ outcomes: [WriterOutcome]) -> Bool {
        outcomes.contains { outcome in
            if case .batch(let tally) = outcome { tally.failures > 0 || tally.problem != nil } else { false }
        }
    }

    private mutating func epochs(
        _ requests: [MemberRequest], _ outcomes: [WriterOutcome], _ grown: [GroupID: Int]
    ) -> String? {
        let asked = requests.filter { request in
            switch request.asked {
            case .group(.epoch), .group(.successor): true
            default: false
            }
        }
        guard !asked.isEmpty else { return nil }
        var check = EpochCheck(outcomes, to: asked, limits, grown: grown)
        for (index, request) in asked.enumerated() {
            guard var account = accounts.removeValue(forKey: request.group) else { continue }
            let trouble = check.note(request, in: &account, before: asked[(index + 1)...])
            accounts[request.group] = account
            if let trouble { return trouble }
        }
        for group in check.doubtful { accounts[group] = nil }
        for group in Set(asked.map(\.group)).sorted() {
            guard let account = accounts[group] else { continue }
            if let left = check.left(of: group) { return left }
            if let there = store.epochs(ofGroup: account.number), there != account.epochs {
                return "\(group) has \(there.count) epochs, and should have \(account.epochs.count)"
            }
        }
        return nil
    }

    private mutating func uploads(
        _ uploads: [MergingCheck.Upload], _ before: [GroupID: GroupContents], _ grown: [GroupID: Int],
        at now: SharedInstant?
    ) -> String? {
        let check = MergingCheck(limits, at: now)
        var epochs: [GroupID: Set<EpochID>] = [:]
        for upload in uploads {
            let group = upload.request.group
            guard let was = before[group], var account = accounts.removeValue(forKey: group) else { continue }
            let known = epochs[group] ?? Set(account.epochs.keys)
            epochs[group] = known
            let trouble = check.note(
                upload, in: &account, from: was, grown: grown[group] ?? 0, epochs: known)
            accounts[group] = account
            if let trouble { return trouble }
        }
        return nil
    }

    /// Checks that the answers match what is stored.
    private mutating func stored(
        _ before: [GroupID: GroupContents], _ rows: [Int64: (events: Int, bytes: Int)]
    ) -> String? {
        var troubles: [String] = []
        for (group, account) in accounts {
            guard let was = before[group] else { continue }
            let (events, bytes) = rows[account.number] ?? (0, 0)
            accounts[group]?.add(rows: bytes)
            if account.events - was.events != events {
                troubles.append("\(group) has \(events) events more, not \(account.events - was.events)")
            }
            if account.brought != was.brought, store.brought(toGroup: account.number) != account.brought {
                troubles.append("who brought the last of \(group)'s replicas and epochs isn't kept")
            }
        }
        // The least of several breaches is reported, so that a seed always reports the same one.
        return troubles.min()
    }
}
