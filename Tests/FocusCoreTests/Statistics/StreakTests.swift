import FocusCore
import TestSupport
import Testing

@Suite("Streaks")
struct StreakTests {
    private func streak(_ completed: [Int64: Int], goal: Int64, today: Int64 = 20) throws -> Streak? {
        var history = FactHistory()
        for (day, count) in completed.sorted(by: { $0.key < $1.key }) {
            for number in 0..<Int64(count) { history.add(.november(day), number * 30, 25) }
        }
        return Streak(try history.statistics(), goal: goal, today: .november(today))
    }

    @Test(
        "days in a row that met the goal count, one that didn't ends them, and the longest may be of long ago"
    )
    func rows() throws {
        let present = try streak([10: 2, 11: 2, 12: 3, 13: 1, 18: 2, 19: 2, 20: 2], goal: 2)
        #expect(present?.current == .november(18) ... .november(20))
        #expect(present?.longest == .november(18) ... .november(20))
        let past = try streak([10: 2, 11: 2, 12: 3, 19: 2, 20: 4], goal: 2)
        #expect(past?.current?.count == 2)
        #expect(past?.longest == .november(10) ... .november(12))
        #expect(try streak([20: 1], goal: 0) == nil)
        let empty = try #require(try streak([:], goal: 1))
        #expect(empty.current == nil && empty.longest == nil)
    }

    @Test("a goal that isn't met yet today breaks nothing until the day is over")
    func today() throws {
        #expect(try streak([18: 1, 19: 1], goal: 1)?.current?.count == 2)
        #expect(try streak([18: 2, 19: 2, 20: 1], goal: 2)?.current?.count == 2)
        #expect(try streak([17: 1, 18: 1], goal: 1)?.current == nil)
        #expect(try streak([17: 1, 18: 1], goal: 1)?.longest?.count == 2)
    }

    @Test("days that lie ahead don't count")
    func ahead() throws {
        let streak = try streak([19: 1, 20: 1, 21: 1], goal: 1)
        #expect(streak?.longest == .november(19) ... .november(20))
    }
}
