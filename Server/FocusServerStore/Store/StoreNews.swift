/// The changes that other servers may have made in a shared store, by the numbers of groups.
package struct StoreNews: Hashable, Sendable {
    /// The groups with new events or epochs, and the new groups.
    package var logs: Set<Int64>
    /// The groups with changed rosters. A change of the connected devices counts too.
    package var rosters: Set<Int64>
    /// Whether anything may have changed, so that the whole store must be read again.
    package var isAll: Bool

    /// Creates news of these changes, by default none.
    package init(logs: Set<Int64> = [], rosters: Set<Int64> = [], isAll: Bool = false) {
        self.logs = logs
        self.rosters = rosters
        self.isAll = isAll
    }

    /// Whether nothing has changed.
    package var isEmpty: Bool { logs.isEmpty && rosters.isEmpty && !isAll }

    /// Adds the changes of `more`.
    package mutating func formUnion(_ more: StoreNews) {
        logs.formUnion(more.logs)
        rosters.formUnion(more.rosters)
        isAll = isAll || more.isAll
    }
}

/// The outcome of commits with lost answers. The database may finish such a commit long after the connection
/// to it is lost.
package struct UnknownCommits: Hashable, Sendable {
    /// The changes of the commits that were kept.
    package var news: StoreNews
    /// Whether the outcome of some commits is still open.
    package var areOpen: Bool

    /// Creates an outcome, by default that none were kept and none are open.
    package init(news: StoreNews = StoreNews(), areOpen: Bool = false) {
        (self.news, self.areOpen) = (news, areOpen)
    }
}
