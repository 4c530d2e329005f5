/// What others may have changed in a store that several servers share, by the numbers of groups.
package struct StoreNews: Hashable, Sendable {
    /// The groups that have other events or epochs, or that came.
    package var logs: Set<Int64>
    /// The groups whose rosters say something else, also of who is connected.
    package var rosters: Set<Int64>
    /// Whether it may be anything: all of it has to be read anew.
    package var isAll: Bool

    /// Nothing, where nothing is said.
    package init(logs: Set<Int64> = [], rosters: Set<Int64> = [], isAll: Bool = false) {
        self.logs = logs
        self.rosters = rosters
        self.isAll = isAll
    }

    /// Whether nothing has changed.
    package var isEmpty: Bool { logs.isEmpty && rosters.isEmpty && !isAll }

    /// Both of it.
    package mutating func formUnion(_ more: StoreNews) {
        logs.formUnion(more.logs)
        rosters.formUnion(more.rosters)
        isAll = isAll || more.isAll
    }
}

/// What became of commits whose answers were lost. One may be kept long after that: as the database goes on with it though nobody
/// listens any more.
package struct LostCommits: Hashable, Sendable {
    /// What those have changed that were kept.
    package var news: StoreNews
    /// Whether there are some of which it isn't decided yet.
    package var areOpen: Bool

    /// None were kept, where nothing is said.
    package init(news: StoreNews = StoreNews(), areOpen: Bool = false) {
        (self.news, self.areOpen) = (news, areOpen)
    }
}
