import FocusCore
import TestSupport
import Testing

@Suite("Goals and days off")
struct GoalTests {
    @Test("each bit of the setting is a day of the week, from Monday")
    func bits() {
        for number in 0..<7 as Range<Int64> {
            let off = DaysOff(bits: 1 << number)
            // The 17th is a Monday.
            for day in 17...23 as ClosedRange<Int64> {
                #expect(off.contains(.november(day)) == (day == 17 + number))
            }
            #expect(off.weekdays == [Int(number) + 1])
        }
        #expect(DaysOff(bits: 0).isEmpty)
        #expect(DaysOff(bits: 127).weekdays == Array(1...7))
    }

    @Test("a goal is met by all of its parts, and nothing meets a goal that asks for nothing")
    func met() {
        let total = FocusTotal(focus: minutes(100), completed: 4)
        for (completed, focus, isMet) in [
            (4, 0, true), (5, 0, false), (0, 100, true), (0, 101, false), (4, 100, true), (4, 101, false),
            (5, 100, false), (0, 0, false),
        ] as [(Int64, Int64, Bool)] {
            let goal = Goal(completed: completed, focus: minutes(focus))
            #expect(goal.isMet(by: total) == isMet, "\(completed), \(focus)")
        }
    }

    @Test("a day off has no daily goal, and the goal of its week stays")
    func dayOff() {
        var settings = Settings()
        settings.set(.daysOff, to: 96)
        settings.set(.weeklyGoal, to: 30)
        let goals = Goals(settings)
        #expect(goals.goal(of: .november(21)) == Goal(completed: 8, focus: 0))
        #expect(goals.goal(of: .november(22)) == .nothing)
        #expect(goals.weekly == Goal(completed: 30, focus: 0))
    }
}
