import FocusCore
import FocusDevice
import SQLiteKit

// What a driver needs of its machine.
extension Laptop: Timekeeper {
    /// Work takes no time in a simulated world; this is what the machine seems to have taken: as long as the plan
    /// says, or as what was written takes.
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
