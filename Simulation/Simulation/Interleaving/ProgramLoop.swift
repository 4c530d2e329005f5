package import FocusCore
package import FocusDevice

/// The event loop of a program that an `Interleaver` runs. Events are due in virtual time, and any other
/// program may have its turn between two events.
///
/// Other programs may post events here, for example when bytes arrive.
package final class ProgramLoop {
    private struct Event {
        let time: Int64
        let body: () -> Void
    }

    private let interleaver: Interleaver
    /// The program that runs the loop; nil before the first call of `run`.
    private var program: InterleavedProgram?
    /// The pending events, the earliest first.
    private var events: [Event] = []

    /// A loop without events.
    package init(_ interleaver: Interleaver) { self.interleaver = interleaver }

    /// Schedules `body` on this program in `delay` microseconds, after all events that are due by then.
    package func post(after delay: Int64 = 0, _ body: @escaping () -> Void) {
        let event = Event(time: interleaver.now + max(0, delay), body: body)
        let index = events.firstIndex { $0.time > event.time } ?? events.endIndex
        events.insert(event, at: index)
        if let program { interleaver.wake(program, at: event.time) }
    }

    /// Handles events as the current program until `isDone` returns true, for up to `limit` microseconds.
    ///
    /// - Returns: Whether `isDone` returned true; false if the program was killed.
    @discardableResult
    package func run(for limit: Int64, until isDone: () throws -> Bool) rethrows -> Bool {
        program = interleaver.current
        let deadline = interleaver.now + limit
        while !interleaver.isCurrentKilled {
            if try isDone() { return true }
            guard interleaver.now < deadline else { return false }
            guard let next = events.first, next.time <= interleaver.now else {
                interleaver.idle(until: min(deadline, events.first?.time ?? deadline))
                continue
            }
            events.removeFirst()
            next.body()
            interleaver.pass()
        }
        return false
    }

    /// Handles events for `time` microseconds.
    package func run(for time: Int64) { run(for: time) { false } }

    /// Handles events like `run(for:until:)`, with a condition that other programs change. The condition is
    /// tested every `period` microseconds.
    @discardableResult
    package func poll(
        every period: Int64 = 200_000, for limit: Int64, until isDone: () throws -> Bool
    ) rethrows -> Bool {
        let deadline = interleaver.now + limit
        while !interleaver.isCurrentKilled {
            if try isDone() { return true }
            guard interleaver.now < deadline else { return false }
            run(for: min(period, deadline - interleaver.now))
        }
        return false
    }

    /// Removes all pending events, because they may hold references to the loop.
    package func clear() { events = [] }
}

extension ProgramLoop: Scheduler {
    package func now() -> SteadyInstant { SteadyInstant(microseconds: interleaver.now) }

    package func schedule(after delay: Duration, _ body: @escaping () -> Void) -> any Alarm {
        let alarm = SimulatedAlarm(body)
        post(after: delay.inMicroseconds) { alarm.ring() }
        return alarm
    }
}
