package import FocusCore
package import FocusDevice
package import FocusNet

/// The machine's clock, and an event loop's timers.
package final class LoopTime: Timekeeper {
    private let loop: EventLoop

    /// The time of whoever lives on this loop.
    package init(_ loop: EventLoop) { self.loop = loop }

    /// The time since the machine started, time asleep included.
    package func now() -> SteadyInstant { .process }

    /// Calls `body` on the loop's thread once `delay` has passed. To be asked there too.
    package func schedule(after delay: Duration, _ body: @escaping () -> Void) -> any Alarm {
        let timer: LoopTimer = loop.schedule(after: delay, body)
        return timer
    }
}

extension LoopTimer: Alarm {}
