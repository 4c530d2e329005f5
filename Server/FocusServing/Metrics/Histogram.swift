/// How often what was measured lay where: counts by upper bounds, as Prometheus keeps them.
struct Histogram: Hashable, Sendable {
    /// The upper bounds, each part of its bucket, growing.
    let bounds: [Double]
    /// How many lay in each bucket and in none below it; the last is for what lies beyond all bounds.
    private(set) var counts: [UInt64]
    /// The sum of all that was measured.
    private(set) var sum = 0.0

    /// One in which nothing was measured yet.
    init(_ bounds: [Double]) {
        self.bounds = bounds
        counts = [UInt64](repeating: 0, count: bounds.count + 1)
    }

    /// Takes note of one more.
    mutating func observe(_ value: Double) {
        counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
        sum += value
    }
}

extension Histogram {
    /// For seconds, from half a millisecond to ten seconds.
    static let seconds = Histogram([
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ])

    /// For numbers of things.
    static let numbers = Histogram([1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 10_000, 100_000])
}
