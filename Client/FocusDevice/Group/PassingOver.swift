package import FocusCore
import FocusStore
import FocusText

/// Since when a laptop has waited for others to go on from an epoch that was made for them alone, and how often it has
/// gone on without them. It is kept, so that a laptop that is never connected for long gets there too.
package struct PassingOver: Equatable {
    /// The epoch that was followed like that.
    let newest: EpochID
    /// Since when.
    package let since: SharedInstant
    /// How often it has gone on before.
    package let count: Int

    /// How long it waits the first time; each further time twice as long. Whoever is left out rightly,
    /// until somebody accepts it, makes few epochs in vain like that.
    static let patience = Duration.seconds(180)
    /// It never waits longer than `patience` times two to the power of this: two days.
    private static let mostDoublings = 10

    /// A wait as it was kept.
    ///
    /// - Parameters:
    ///   - count: how often it has gone on before.
    package init(newest: EpochID, since: SharedInstant, count: Int) {
        self.newest = newest
        self.since = since
        self.count = count
    }

    /// What is kept; nil where it hasn't waited yet, or that can't be read.
    package init?(_ text: String?) {
        let words = text?.split(separator: " ").map(String.init) ?? []
        guard words.count == 3, let newest = EpochID(text: words[0]), let since = Int64(words[1]),
            let count = Int(words[2])
        else { return nil }
        self.init(newest: newest, since: SharedInstant(milliseconds: since), count: count)
    }

    /// What is kept, as `init(_:)` reads it.
    package var text: String { "\(newest.text) \(since.milliseconds) \(count)" }

    /// It waits from now on, where it hasn't waited for this epoch yet, or the clock has gone back.
    package static func waiting(_ kept: PassingOver?, at newest: EpochID, now: SharedInstant) -> PassingOver {
        guard let kept, kept.newest == newest, kept.since <= now else {
            return PassingOver(newest: newest, since: now, count: kept?.count ?? 0)
        }
        return kept
    }

    /// It goes on without the others.
    package var done: PassingOver {
        PassingOver(newest: newest, since: since, count: min(count, PassingOver.mostDoublings) + 1)
    }

    /// How much longer it waits.
    package func left(at now: SharedInstant) -> Duration {
        let whole = PassingOver.patience * (1 << min(max(count, 0), PassingOver.mostDoublings))
        return max(.zero, whole - max(.zero, now - since))
    }
}
