import Testing

@testable import FocusServing

@Suite struct BackupScheduleTests {
    private let second: Int64 = 1_000_000
    private let hour: Int64 = 3_600_000_000

    /// Expects that a backup is begun at an instant, or isn't.
    private func expect(
        _ schedule: inout BackupSchedule, _ isBegun: Bool, at now: Int64,
        _ location: SourceLocation = #_sourceLocation
    ) {
        let begins = schedule.begins(at: now)
        #expect(begins == isBegun, sourceLocation: location)
    }

    @Test("the first backup is made at once, and each an interval after the one before began")
    func interval() {
        var schedule = BackupSchedule(every: hour, age: nil, at: 5 * second)
        expect(&schedule, true, at: 5 * second)
        // Never two at once.
        expect(&schedule, false, at: 5 * second + 2 * hour)
        schedule.ended(isMade: true, at: 65 * second)
        expect(&schedule, false, at: 4 * second + hour)
        expect(&schedule, true, at: 5 * second + hour)
        // One that took longer than the interval is followed by the next.
        schedule.ended(isMade: true, at: 5 * second + 4 * hour)
        expect(&schedule, true, at: 5 * second + 4 * hour)
    }

    @Test("a server that starts anew goes on from the last backup; one from the future says nothing")
    func age() {
        var young = BackupSchedule(every: hour, age: hour - second, at: 0)
        expect(&young, false, at: second - 1)
        expect(&young, true, at: second)
        for age in [hour, 9 * hour, -second, .min] {
            var schedule = BackupSchedule(every: hour, age: age, at: 0)
            expect(&schedule, true, at: 0)
        }
    }

    @Test("a backup that could not be made is tried again soon")
    func failing() {
        var schedule = BackupSchedule(every: hour, age: nil, at: 0)
        expect(&schedule, true, at: 0)
        schedule.ended(isMade: false, at: second)
        expect(&schedule, false, at: 300 * second)
        expect(&schedule, true, at: 301 * second)
    }
}
