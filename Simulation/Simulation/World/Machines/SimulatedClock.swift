import FocusCore
import FocusDevice
import Synchronization

/// A machine's clocks: one that is set and may be wrong, and one that counts since the machine started.
final class SimulatedClock: Sendable {
    private struct Setting {
        /// When the machine started.
        var started: Int64 = 0
        /// How many times it has started.
        var boots = 1
        /// By how much the clock that is set is wrong.
        var error: Int64
        /// How long the machine has slept since it started.
        var slept: Int64 = 0
        /// When it fell asleep, since it started; nil while it is awake.
        var asleep: Int64?
    }

    private let time: SimulatedTime
    private let setting: Mutex<Setting>
    /// By how many parts in a million the clocks are fast.
    private let rate: Int64

    /// Tells the machine from others: no two of them share a boot.
    private let number: Int

    /// - Parameters:
    ///   - error: by how many microseconds the clock that is set is ahead.
    ///   - rate: by how many parts in a million both are fast.
    init(_ time: SimulatedTime, machine number: Int, error: Int64, rate: Int64) {
        self.number = number
        self.time = time
        self.rate = rate
        setting = Mutex(Setting(error: error))
    }

    private func drift(_ now: Int64) -> Int64 { now / 1_000_000 * rate + now % 1_000_000 * rate / 1_000_000 }

    /// Microseconds since the machine started.
    func sinceBoot() -> Int64 {
        let now = time.now
        let started = setting.withLock { $0.started }
        return now - started + drift(now) - drift(started)
    }

    /// The present instant, as programs read it.
    var steady: SteadyInstant { SteadyInstant(microseconds: sinceBoot()) }

    /// Shared time as the machine believes, to the millisecond, as the server's store keeps it.
    var shared: SharedInstant { SharedInstant(milliseconds: wall() / 1000) }

    /// Microseconds since the Unix epoch, as the machine believes.
    func wall() -> Int64 {
        let now = time.now
        return SimulatedTime.epoch + now + drift(now) + setting.withLock { $0.error }
    }

    /// By how much the clock that is set is ahead of the one that counts, less what it was at the start.
    var error: Int64 { setting.withLock { $0.error } }

    /// As `sinceBoot`, time asleep left out.
    func awake() -> Int64 {
        let now = sinceBoot()
        return setting.withLock { ($0.asleep ?? now) - $0.slept }
    }

    /// The machine falls asleep.
    func suspend() {
        let now = sinceBoot()
        setting.withLock { $0.asleep = now }
    }

    /// It wakes.
    func resume() {
        let now = sinceBoot()
        setting.withLock { setting in
            if let asleep = setting.asleep { setting.slept += now - asleep }
            setting.asleep = nil
        }
    }

    /// Sets the clock by so much.
    func step(by error: Int64) { setting.withLock { $0.error += error } }

    /// Sets the clock right.
    func mend() {
        let drift = drift(time.now)
        setting.withLock { $0.error = -drift }
    }

    /// The machine starts again.
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
