import FocusCore
import FocusDevice
import SQLiteKit

// The machine's clocks and alarms, for a driver.
extension Laptop: Scheduler {
    /// Runs the work, which takes no virtual time, and returns a plausible duration. It is 100 µs for each
    /// write to the disk, or a random time up to the plan's `replayTime` if that time is longer.
    func measure<Result>(_ work: () throws -> Result) rethrows -> (result: Result, duration: Duration) {
        let before = disk.writes
        let result = try work()
        let writing = Int64(disk.writes - before) * 100
        guard world.plan.replayTime > 0 else { return (result, .microseconds(writing)) }
        return (result, .microseconds(max(writing, .random(in: 0...world.plan.replayTime, using: &random))))
    }

    func now() -> SteadyInstant { clock.steady }

    func schedule(after delay: Duration, _ body: @escaping () -> Void) -> any Alarm {
        let alarm = SimulatedAlarm(body)
        let number = alarms.add(alarm)
        after(delay.inMicroseconds) { [self] in
            alarms.remove(number)
            alarm.ring()
        }
        return alarm
    }
}
