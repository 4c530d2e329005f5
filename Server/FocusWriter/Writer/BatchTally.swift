package import FocusServerStore

/// What a batch of the writer's came to, for whoever counts.
package struct BatchTally: Hashable, Sendable {
    /// How many requests there were.
    package var requests = 0
    /// How many events were new.
    package var events = 0
    /// How many events of uploads were there already.
    package var duplicates = 0
    /// How many turns, or requests that belong to no group, failed by themselves: the rest was stored.
    package var failures = 0
    /// How long it took.
    package var duration = Duration.zero
    /// Why nothing of it was stored; nil where it was.
    package var problem: StoreTrouble?
}
