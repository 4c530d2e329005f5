package import FocusCore
import FocusStore
import FocusText

/// The time for which this laptop waits before it makes an epoch of its own (docs/protocol.md, "Making one").
/// It waits because another laptop has made an epoch with a key that this laptop can't get. The laptops with
/// that key may make the following epoch, and give this laptop its key. An epoch that this laptop makes
/// instead takes the place of theirs.
///
/// The wait is stored, so that it also ends on a laptop that is never connected for long.
package struct EpochWait: Equatable {
    /// The newest epoch of this laptop, which the other epoch follows.
    let newest: EpochID
    /// The start of the wait, in shared time.
    package let since: SharedInstant
    /// The number of earlier waits after which this laptop made its own epoch.
    package let count: Int

    /// The length of the first wait. Each further one is twice as long. So a laptop that was rightly left out
    /// makes few useless epochs until somebody accepts it.
    static let firstLength = Duration.seconds(180)
    /// The most doublings of `firstLength`. The longest wait is about two days.
    private static let doublingLimit = 10

    /// A stored wait.
    ///
    /// - Parameters:
    ///   - newest: The newest epoch of this laptop.
    ///   - since: The start of the wait, in shared time.
    ///   - count: The number of earlier waits after which this laptop made its own epoch.
    package init(newest: EpochID, since: SharedInstant, count: Int) {
        self.newest = newest
        self.since = since
        self.count = count
    }

    /// Decodes a stored wait. Nil if there is none, or it can't be read.
    package init?(_ text: String?) {
        let words = text?.split(separator: " ").map(String.init) ?? []
        guard words.count == 3, let newest = EpochID(text: words[0]), let since = Int64(words[1]),
            let count = Int(words[2])
        else { return nil }
        self.init(newest: newest, since: SharedInstant(milliseconds: since), count: count)
    }

    /// The text to store, as `init(_:)` reads it.
    package var text: String { "\(newest.text) \(since.milliseconds) \(count)" }

    /// Returns the stored wait. If none was stored for this epoch, or the clock has gone back, returns a new
    /// wait that starts now.
    package static func current(_ stored: EpochWait?, at newest: EpochID, now: SharedInstant) -> EpochWait {
        guard let stored, stored.newest == newest, stored.since <= now else {
            return EpochWait(newest: newest, since: now, count: stored?.count ?? 0)
        }
        return stored
    }

    /// The value to store when this laptop makes its own epoch at the end of the wait: the next wait is twice
    /// as long.
    package var next: EpochWait {
        EpochWait(newest: newest, since: since, count: min(count, EpochWait.doublingLimit) + 1)
    }

    /// Returns the time that is left to wait.
    package func remaining(at now: SharedInstant) -> Duration {
        let whole = EpochWait.firstLength * (1 << min(max(count, 0), EpochWait.doublingLimit))
        return max(.zero, whole - max(.zero, now - since))
    }
}
