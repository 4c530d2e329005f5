import FocusCore
import FocusServerCore
import FocusServerStore
import FocusSync

/// Checks each of the writer's batches by the rules of `MergingCheck` and `EpochCheck`: its effects on
/// groups' logs and epochs, and its answers. It reads the store before and after each batch.
struct GroupsCheck {
    private let store: CheckedStore
    /// Whether groups may reach the server's limits. A group with a quota may be full anyway.
    private let mayBeFull: Bool
    private var requests = MemberRequests()
    /// The contents of the groups. A group with unknown contents is missing.
    private var groups: [GroupID: GroupContents] = [:]
    /// The number of each group's events before the batch, by the group's number; nil if no request waits.
    private var sizes: [Int64: Int]?

    init(_ store: CheckedStore, mayBeFull: Bool) {
        self.store = store
        self.mayBeFull = mayBeFull
    }

    /// Records a request that the writer begins to handle.
    mutating func record(_ request: WriterRequest) { requests.add(request) }

    /// Forgets a group that the operator has deleted.
    mutating func forget(_ group: GroupID) {
        requests.forget(group)
        groups[group] = nil
    }

    /// Begins a batch.
    ///
    /// - Parameter memory: The server's memory of the groups' logs, if other servers write to its store too;
    ///   otherwise nil. A group is only checked if its memory equals the store.
    mutating func beginBatch(memory: [GroupID: GroupIndex]? = nil) {
        sizes = nil
        guard !requests.isEmpty, let present = store.groups() else { return }
        if memory != nil { groups = [:] }
        groups = groups.filter { present[$0.key]?.number == $0.value.number }
        for (group, (number, isLimited)) in present {
            if groups[group] == nil { groups[group] = store.contents(number) }
            groups[group]?.mayBeFull = mayBeFull || isLimited
            if let memory, groups[group]?.matches(memory[group]) == false { groups[group] = nil }
        }
        sizes = store.sizes()
    }

    /// Checks a batch.
    ///
    /// - Parameter now: The server's time when the batch began; nil if its clock may be wrong.
    /// - Returns: The breach, or nil if there is none.
    mutating func check(_ commit: CommitOutcome, at now: SharedInstant?) -> String? {
        let handled = requests.removeHandled(by: commit.answers)
        guard !handled.uploads.isEmpty || !handled.requests.isEmpty || !handled.doubtful.isEmpty else {
            return nil
        }
        // If a part of the batch failed, it isn't known here which contents were stored.
        guard commit.tally.isComplete, let sizes, let after = store.sizes() else {
            groups = [:]
            return nil
        }
        // It isn't known which requests of these groups were handled.
        for group in handled.doubtful { groups[group] = nil }
        let before = groups
        return checkEpochs(handled.requests, commit.answers) ?? checkUploads(handled.uploads, before, at: now)
            ?? checkStored(before, sizes, after)
    }

    private mutating func checkEpochs(_ requests: [MemberRequest], _ answers: [WriterOutcome]) -> String? {
        let epochRequests = requests.filter { request in
            switch request.asked {
            case .group(_, .epoch), .group(_, .successor): true
            default: false
            }
        }
        guard !epochRequests.isEmpty else { return nil }
        var epochCheck = EpochCheck(answers)
        for request in epochRequests {
            guard var contents = groups.removeValue(forKey: request.group) else { continue }
            let trouble = epochCheck.check(request, in: &contents)
            groups[request.group] = contents
            if let trouble { return trouble }
        }
        for group in Set(epochRequests.map(\.group)).sorted() {
            guard let contents = groups[group] else { continue }
            if let unexplained = epochCheck.unexplained(in: group) { return unexplained }
            if let stored = store.epochs(ofGroup: contents.number), stored != contents.epochs {
                return "\(group) has \(stored.count) epochs, and should have \(contents.epochs.count)"
            }
        }
        return nil
    }

    private mutating func checkUploads(
        _ uploads: [MergingCheck.Upload], _ before: [GroupID: GroupContents], at now: SharedInstant?
    ) -> String? {
        let mergingCheck = MergingCheck(at: now)
        for upload in uploads {
            let group = upload.request.group
            guard let old = before[group], var contents = groups.removeValue(forKey: group) else { continue }
            let trouble = mergingCheck.check(upload, in: &contents, from: old)
            groups[group] = contents
            if let trouble { return trouble }
        }
        return nil
    }

    /// Checks that the answers match what is stored.
    private func checkStored(
        _ before: [GroupID: GroupContents], _ sizes: [Int64: Int], _ after: [Int64: Int]
    ) -> String? {
        let troubles = groups.compactMap { group, contents -> String? in
            guard let old = before[group] else { return nil }
            let events = (after[contents.number] ?? 0) - (sizes[contents.number] ?? 0)
            let answered = contents.events - old.events
            return events == answered ? nil : "\(group) has \(events) events more, not \(answered)"
        }
        // The least of several breaches is reported, so that a seed always reports the same one.
        return troubles.min()
    }
}
