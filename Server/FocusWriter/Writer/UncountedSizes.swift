import FocusCore
import FocusServerStore

/// What devices have brought that was new and isn't counted in the store yet. Each costs a row there, so they are counted
/// once a second at most. It is for people: of a server that is killed the last of it is lost.
struct UncountedSizes {
    private var sizes: [Digest: GroupSize] = [:]
    /// When all were counted last; nil before that.
    private var lastCounted: SteadyInstant?

    /// So many are counted at once, so that nobody waits for long.
    private static let atOnce = 256

    /// Whether all is counted.
    var isEmpty: Bool { sizes.isEmpty }

    /// Whether it is time to count.
    func isDue(at now: SteadyInstant) -> Bool { lastCounted.map { now - $0 >= .seconds(1) } ?? true }

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
