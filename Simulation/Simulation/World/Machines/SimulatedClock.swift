import FocusCore
import FocusDevice
import Synchronization

/// A machine's clocks: a wall clock, which can be set and may be wrong, and a steady clock, which counts from
/// the machine's start. All values are in microseconds.
final class SimulatedClock: Sendable {
    private struct Setting {
        /// When the machine started.
        var started: Int64 = 0
        /// The number of times that it has started.
        var boots = 1
        /// The number of microseconds by which the wall clock is set ahead, without drift.
        var error: Int64
        /// The total time that the machine has slept since it started.
        var slept: Int64 = 0
        /// The time from its start until it fell asleep; nil while it is awake.
        var asleep: Int64?
    }

    private let time: SimulatedTime
    private let setting: Mutex<Setting>
    /// The number of parts in a million by which both clocks are fast.
    private let rate: Int64

    /// The machine's number, part of its boot identifier, which no other machine has.
    private let number: Int

    /// - Parameters:
    ///   - error: The number of microseconds by which the wall clock is ahead.
    ///   - rate: The number of parts in a million by which both clocks are fast.
    init(_ time: SimulatedTime, machine number: Int, error: Int64, rate: Int64) {
        self.number = number
        self.time = time
        self.rate = rate
        setting = Mutex(Setting(error: error))
    }

    /// Returns the time that the clocks gain by their rate until the instant `now`.
    private func drift(_ now: Int64) -> Int64 { now / 1_000_000 * rate + now % 1_000_000 * rate / 1_000_000 }

    /// Returns the microseconds since the machine started.
    func sinceBoot() -> Int64 {
        let now = time.now
        let started = setting.withLock { $0.started }
        return now - started + drift(now) - drift(started)
    }

    /// The present instant of the steady clock, as programs read it.
    var steady: SteadyInstant { SteadyInstant(microseconds: sinceBoot()) }

    /// Shared time by the machine's wall clock, to the millisecond, as the server's store keeps it.
    var shared: SharedInstant { SharedInstant(milliseconds: wall() / 1000) }

    /// Returns the microseconds since the Unix epoch by the machine's wall clock.
    func wall() -> Int64 {
        let now = time.now
        return SimulatedTime.epoch + now + drift(now) + setting.withLock { $0.error }
    }

    /// The number of microseconds by which the wall clock is set ahead, without drift.
    var error: Int64 { setting.withLock { $0.error } }

    /// Returns the microseconds since the machine started, without time asleep.
    func awake() -> Int64 {
        let now = sinceBoot()
        return setting.withLock { ($0.asleep ?? now) - $0.slept }
    }

    /// Records that the machine falls asleep.
    func suspend() {
        let now = sinceBoot()
        setting.withLock { $0.asleep = now }
    }

    /// Records that the machine wakes.
    func resume() {
        let now = sinceBoot()
        setting.withLock { setting in
            if let asleep = setting.asleep { setting.slept += now - asleep }
            setting.asleep = nil
        }
    }

    /// Steps the wall clock by `error` microseconds.
    func step(by error: Int64) { setting.withLock { $0.error += error } }

    /// Sets the wall clock right.
    func mend() {
        let drift = drift(time.now)
        setting.withLock { $0.error = -drift }
    }

    /// Restarts the machine: the steady clock begins at 0 in a new boot.
    func restart() {
        let now = time.now
        setting.withLock {
            $0.started = now
            $0.boots += 1
            $0.slept = 0
            $0.asleep = nil
        }
    }

    /// The clocks as `focus` reads them.
    var machineClocks: MachineClocks {
        MachineClocks(
            wall: { self.shared }, sinceBoot: { self.steady },
            awake: { SteadyInstant(microseconds: self.awake()) },
            boot: { "boot-\(self.number)-\(self.setting.withLock { $0.boots })" })
    }
}
