package import FocusCore
import SystemKit

/// The clocks of the machine, which only the shells read.
package struct MachineClocks: Sendable {
    /// Shared time as the machine believes.
    package let wall: @Sendable () -> SharedInstant
    /// The time since the machine started, time asleep included; never goes back.
    package let sinceBoot: @Sendable () -> SteadyInstant
    /// As `sinceBoot`, but stands still while the machine sleeps.
    package let awake: @Sendable () -> SteadyInstant
    /// Names the time since the machine last started; nil where the system doesn't say.
    package let boot: @Sendable () -> String?

    /// Clocks that are read by these.
    ///
    /// - Parameters:
    ///   - wall: shared time as the machine believes.
    ///   - sinceBoot: the time since the machine started, time asleep included.
    ///   - awake: as `sinceBoot`, less time asleep.
    ///   - boot: names the time since the machine last started; nil where the system doesn't say.
    package init(
        wall: @escaping @Sendable () -> SharedInstant, sinceBoot: @escaping @Sendable () -> SteadyInstant,
        awake: @escaping @Sendable () -> SteadyInstant, boot: @escaping @Sendable () -> String?
    ) {
        self.wall = wall
        self.sinceBoot = sinceBoot
        self.awake = awake
        self.boot = boot
    }

    /// The clocks of this machine.
    package static let process = MachineClocks(
        wall: { SharedInstant(milliseconds: SystemClock.wall()) }, sinceBoot: { .process },
        awake: { SteadyInstant(microseconds: SystemClock.microsecondsAwake()) }, boot: { processBoot })

    /// Read once: no process outlives its boot.
    private static let processBoot: String? = {
        let id = try? FileDescriptor.contents(of: "/proc/sys/kernel/random/boot_id")
        return id.map { String(decoding: $0.prefix { $0 > 0x20 }, as: UTF8.self) }
    }()
}

extension SteadyInstant {
    /// The present instant on this machine.
    package static var process: SteadyInstant {
        SteadyInstant(microseconds: SystemClock.microsecondsSinceBoot())
    }
}
