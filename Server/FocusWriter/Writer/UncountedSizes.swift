import FocusCore
import FocusServerStore

/// What devices have brought that was new and isn't counted in the store yet. Each costs a row there, so a batch counts a few
/// devices at once, and many are counted once a second. It is for people: of a server that is killed the last of it is lost.
struct UncountedSizes {
    private var sizes: [Digest: GroupSize] = [:]
    /// When all were counted last; nil before that.
    private var lastCounted: SteadyInstant?

    /// So many are counted at once, so that nobody waits for long.
    private static let atOnce = 256

    /// So many devices of one batch aren't many.
    private static let few = 2

    /// Whether it is time to count, in a batch in which so many devices have brought something.
    func isDue(at now: SteadyInstant, with others: Int) -> Bool {
        if (1...UncountedSizes.few).contains(others) { return true }
        return lastCounted.map { now - $0 >= .seconds(1) } ?? true
    }

    /// Some devices' sizes.
    ///
    /// - Parameter others: how many others are counted with them.
    func some(besides others: Int) -> [(key: Digest, size: GroupSize)] {
        sizes.prefix(max(0, UncountedSizes.atOnce - others)).map { ($0.key, $0.value) }
    }

    /// These are counted now; nil where none were asked for.
    mutating func remove(_ counted: [Digest]?, at now: SteadyInstant) {
        guard let counted else { return }
        for device in counted { sizes[device] = nil }
        if sizes.isEmpty { lastCounted = now }
    }

    /// These devices have brought so much more.
    mutating func add(_ more: [Digest: GroupSize]) { sizes.merge(more) { $0 + $1 } }
}
