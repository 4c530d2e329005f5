import Foundation

/// The seeds of fixed schedules that a run tries: all of them, or a fifth where LOCKSTEP_TURN has a number. The next number
/// has the next fifth.
enum Schedules {
    private static let parts = 5
    private static let turn = ProcessInfo.processInfo.environment["LOCKSTEP_TURN"].flatMap(UInt64.init)

    static func seeds(_ all: ClosedRange<UInt64>) -> [UInt64] {
        all.filter { seed in turn.map { seed % UInt64(parts) == $0 % UInt64(parts) } ?? true }
    }

    /// The part of a sum over all seeds that the tried seeds make up.
    static func share(of count: Int) -> Int { turn == nil ? count : count / parts }
}
