import FocusCore
import TestSupport
import Testing

@Suite("Streaks")
struct StreakTests {
    /// Returns the streaks of a history with these numbers of phases of 25 minutes on days of November.
    private func streak(
        _ completed: [Int64: Int], goal: Int64, today: Int64 = 20, _ more: [SettingKey: Int64] = [:],
        _ calendar: LocalCalendar = .fixed()
    ) throws -> Streak? {
        var history = FactHistory(calendar)
        for (day, count) in completed.sorted(by: { $0.key < $1.key }) {
            for number in 0..<Int64(count) { history.add(.november(day), number * 30, 25) }
        }
        var settings = Settings()
        settings.set(.dailyGoal, to: goal)
        for (key, value) in more { settings.set(key, to: value) }
        return Streak(try history.statistics(), Goals(settings), today: .november(today))
    }

    /// Returns a streak as the number of days or weeks and its first and last day of November.
    private func text(_ stretch: Streak.Stretch?) -> String? {
        stretch.map { stretch in
            let days = [stretch.days.lowerBound, stretch.days.upperBound].map { $0.number - 20_392 }
            return "\(stretch.count): \(days[0])...\(days[1])"
        }
    }

    @Test(
        "days in a row that met the goal count, one that didn't ends them, and the longest may be of long ago"
    )
    func rows() throws {
        let present = try streak([10: 2, 11: 2, 12: 3, 13: 1, 18: 2, 19: 2, 20: 2], goal: 2)
        #expect(text(present?.current) == "3: 18...20")
        #expect(text(present?.longest) == "3: 18...20")
        let past = try streak([10: 2, 11: 2, 12: 3, 19: 2, 20: 4], goal: 2)
        #expect(past?.current?.count == 2)
        #expect(text(past?.longest) == "3: 10...12")
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
        #expect(text(streak?.longest) == "2: 19...20")
    }
    // The 15th and 16th, the 22nd and 23rd are weekends.

    @Test("days off don't break a streak, aren't needed, and count if they met the goal")
    func daysOff() throws {
        let weekend: [SettingKey: Int64] = [.daysOff: 96]
        let days: [Int64: Int] = [13: 1, 14: 1, 17: 1, 18: 1]
        #expect(text(try streak(days, goal: 1, today: 18, weekend)?.current) == "4: 13...18")
        #expect(text(try streak(days, goal: 1, today: 18)?.current) == "2: 17...18")
        #expect(
            text(try streak([14: 1, 15: 1, 17: 1], goal: 1, today: 17, weekend)?.current) == "3: 14...17")
        // On and after the weekend, Friday's streak goes on; a missed Monday ends it.
        for today in 14...17 as ClosedRange<Int64> {
            #expect(
                text(try streak([13: 1, 14: 1], goal: 1, today: today, weekend)?.current) == "2: 13...14")
        }
        #expect(try streak([13: 1, 14: 1], goal: 1, today: 18, weekend)?.current == nil)
        // A day off between other days doesn't excuse them.
        #expect(text(try streak([13: 1, 17: 1], goal: 1, today: 17, weekend)?.current) == "1: 17...17")
    }

    @Test("if all days are off, nothing breaks the streak, which is every day that met the goal")
    func allOff() throws {
        let streak = try streak([1: 1, 9: 1, 12: 0, 20: 1], goal: 1, today: 40, [.daysOff: 127])
        #expect(text(streak?.current) == "3: 1...20")
        #expect(text(streak?.longest) == "3: 1...20")
    }

    @Test("days off are those of the place, also if its clocks change on them")
    func clocks() throws {
        // Berlin's clocks change on Sunday, 26 October, five days before the 31st, which is 0 here.
        let days: [Int64: Int] = [-7: 1, -4: 1]
        #expect(
            text(try streak(days, goal: 1, today: -4, [.daysOff: 96], .berlin)?.current) == "2: -7...-4")
    }

    @Test("a goal of phases and of focus time is met by both")
    func both() throws {
        let focus: [SettingKey: Int64] = [.dailyFocus: 50 * 60]
        #expect(text(try streak([19: 1, 20: 2], goal: 1, focus)?.current) == "1: 20...20")
        #expect(text(try streak([19: 2, 20: 2], goal: 0, focus)?.current) == "2: 19...20")
        #expect(try streak([19: 2, 20: 2], goal: 3, focus)?.longest == nil)
    }

    @Test("with only a weekly goal weeks are counted, and this week breaks nothing")
    func weeks() throws {
        let weekly: [SettingKey: Int64] = [.weeklyGoal: 2, .daysOff: 127]
        // Monday the 3rd, Sunday the 9th, Monday the 10th: the first two are of one week.
        let streak = try streak([3: 1, 9: 1, 10: 2, 17: 1], goal: 0, weekly)
        #expect(streak?.unit == .week)
        #expect(text(streak?.current) == "2: 3...16")
        #expect(
            text(try self.streak([3: 1, 10: 1, 16: 1], goal: 0, today: 23, weekly)?.current) == "1: 10...16")
        #expect(try self.streak([3: 1, 10: 1, 16: 1], goal: 0, today: 24, weekly)?.current == nil)
        // Days of this week that are still to come don't count.
        #expect(try self.streak([20: 1, 21: 1], goal: 0, weekly)?.longest == nil)
        #expect(try self.streak([20: 1], goal: 1, weekly)?.unit == .day)
    }
}
