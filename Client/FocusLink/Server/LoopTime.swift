package import FocusDevice
package import FocusNet
import SystemKit

/// The machine's clock, and an event loop's timers.
package final class LoopTime: Timekeeper {
    private let loop: EventLoop

    package init(_ loop: EventLoop) { self.loop = loop }

    package func now() -> Int64 { SystemClock.microsecondsSinceBoot() }

    package func schedule(after delay: Duration, _ body: @escaping () -> Void) -> any Alarm {
        let timer: LoopTimer = loop.schedule(after: delay, body)
        return timer
    }
}

extension LoopTimer: Alarm {}
