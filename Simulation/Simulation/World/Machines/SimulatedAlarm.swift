import FocusDevice

/// An alarm in virtual time. The machine that set it rings it.
final class SimulatedAlarm: Alarm {
    private var body: (() -> Void)?

    init(_ body: @escaping () -> Void) { self.body = body }

    func ring() {
        let body = body
        self.body = nil
        body?()
    }

    func cancel() { body = nil }
}

/// The alarms of a machine that haven't rung.
struct PendingAlarms {
    private var alarms: [Int: SimulatedAlarm] = [:]
    private var count = 0

    /// Adds an alarm, and returns its number.
    mutating func add(_ alarm: SimulatedAlarm) -> Int {
        count += 1
        alarms[count] = alarm
        return count
    }

    mutating func remove(_ number: Int) { alarms.removeValue(forKey: number) }

    /// Cancels all alarms.
    mutating func cancel() {
        for alarm in alarms.values { alarm.cancel() }
        alarms = [:]
    }
}
