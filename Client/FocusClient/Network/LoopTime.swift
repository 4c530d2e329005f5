import FocusNet

/// The machine's clock, and an event loop's timers. On the loop's thread only.
final class LoopTime: Timekeeper {
    private let loop: EventLoop

    init(_ loop: EventLoop) { self.loop = loop }

    func now() -> Int64 { SystemClock.microsecondsSinceBoot() }

    func schedule(after delay: Duration, _ body: @escaping () -> Void) -> any Alarm {
        let timer: LoopTimer = loop.schedule(after: delay, body)
        return timer
    }
}

extension LoopTimer: Alarm {}
