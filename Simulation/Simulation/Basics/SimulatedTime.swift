import Synchronization

/// True time in a simulated world: microseconds since it began. Only the world moves it on.
final class SimulatedTime: Sendable {
    private let microseconds = Atomic<Int64>(0)

    /// The instant at which each world begins: 1 January 2026, in microseconds since the Unix epoch.
    static let epoch: Int64 = 1_767_225_600_000_000

    var now: Int64 {
        get { microseconds.load(ordering: .relaxed) }
        set { microseconds.store(newValue, ordering: .relaxed) }
    }
}

extension Int64 {
    /// Returns `count` seconds in microseconds.
    static func seconds(_ count: Int64) -> Int64 { count * 1_000_000 }

    /// Returns `count` minutes in microseconds.
    static func minutes(_ count: Int64) -> Int64 { count * 60_000_000 }
}
