/// What was done in some stretch of time.
package struct FocusTotal: Hashable, Sendable {
    /// The focus time: what two machines did at once counts once (docs/timer-rules.md §6).
    package var focus: Duration
    /// How many work phases that began in it were completed: of what two machines completed at once, one counts
    /// (docs/timer-rules.md §6).
    package var completed: Int

    /// So much focus time, and so many completed work phases; unless said otherwise, nothing.
    package init(focus: Duration = .zero, completed: Int = 0) {
        self.focus = focus
        self.completed = completed
    }

    /// Adds what was done in another stretch of time. The two may not overlap, or what they share counts twice.
    package static func += (total: inout FocusTotal, other: FocusTotal) {
        total.focus += other.focus
        total.completed += other.completed
    }
}
