import Foundation

/// The seeds of the fixed schedules that a run of the tests tries: all seeds, or a fifth of them if
/// LOCKSTEP_TURN is set to a number. The next number selects the next fifth.
enum Schedules {
    private static let parts = 5
    private static let turn = ProcessInfo.processInfo.environment["LOCKSTEP_TURN"].flatMap(UInt64.init)

    static func seeds(_ all: ClosedRange<UInt64>) -> [UInt64] {
        all.filter { seed in turn.map { seed % UInt64(parts) == $0 % UInt64(parts) } ?? true }
    }

    /// Returns the share of `count`, an amount over all seeds, that the tried seeds account for.
    static func share(of count: Int) -> Int { turn == nil ? count : count / parts }
}
