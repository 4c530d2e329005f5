import FocusCore
import TestSupport
import Testing

@testable import FocusServing

@Suite struct BackupScheduleTests {
    private let second = Duration.seconds(1)
    private let hour = Duration.seconds(3_600)

    /// Expects that a backup begins at `now`, or that none does.
    private func expect(
        _ schedule: inout BackupSchedule, _ isBegun: Bool, at now: Duration,
        _ location: SourceLocation = #_sourceLocation
    ) {
        let begins = schedule.begins(at: .after(now))
        #expect(begins == isBegun, sourceLocation: location)
    }

    @Test("the first backup is made at once, and each an interval after the one before began")
    func interval() {
        var schedule = BackupSchedule(every: hour, age: nil, at: .after(second * 5))
        expect(&schedule, true, at: second * 5)
        // Two backups never run at the same time.
        expect(&schedule, false, at: second * 5 + hour * 2)
        schedule.ended(isMade: true, at: .after(second * 65))
        expect(&schedule, false, at: second * 4 + hour)
        expect(&schedule, true, at: second * 5 + hour)
        // A backup that takes longer than the interval is followed by the next one at once.
        schedule.ended(isMade: true, at: .after(second * 5 + hour * 4))
        expect(&schedule, true, at: second * 5 + hour * 4)
    }

    @Test("a server that restarts counts from the last backup, unless that is from the future")
    func age() {
        var young = BackupSchedule(every: hour, age: hour - second, at: .zero)
        expect(&young, false, at: second - .microseconds(1))
        expect(&young, true, at: second)
        for age in [hour, hour * 9, .zero - second, .milliseconds(Int64.min)] {
            var schedule = BackupSchedule(every: hour, age: age, at: .zero)
            expect(&schedule, true, at: .zero)
        }
    }

    @Test("a backup that could not be made is tried again soon")
    func failing() {
        var schedule = BackupSchedule(every: hour, age: nil, at: .zero)
        expect(&schedule, true, at: .zero)
        schedule.ended(isMade: false, at: .after(second))
        expect(&schedule, false, at: second * 300)
        expect(&schedule, true, at: second * 301)
    }
}
