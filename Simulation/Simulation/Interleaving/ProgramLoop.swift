package import FocusCore
package import FocusDevice

/// The event loop of a program that an `Interleaver` runs: what it waits for comes in virtual time, and between two
/// events any other program may have its turn.
///
/// Another program may leave an event here, as bytes come from elsewhere.
package final class ProgramLoop {
    private struct Event {
        let time: Int64
        let number: Int
        let body: () -> Void
    }

    private let interleaver: Interleaver
    /// Whose loop it is, once that runs.
    private var program: InterleavedProgram?
    /// What is going to happen, the soonest first.
    private var events: [Event] = []
    private var count = 0

    /// A loop that waits for nothing yet.
    package init(_ interleaver: Interleaver) { self.interleaver = interleaver }

    /// Has something done by this program in so many microseconds, after all that is to be done by then.
    package func post(after delay: Int64 = 0, _ body: @escaping () -> Void) {
        count += 1
        let event = Event(time: interleaver.now + max(0, delay), number: count, body: body)
        let place = events.firstIndex { $0.time > event.time } ?? events.endIndex
        events.insert(event, at: place)
        if let program { interleaver.wake(program, at: event.time) }
    }

    /// Does what comes, as the program whose turn it is, until this is done: for so many microseconds at most.
    ///
    /// - Returns: whether it is done; not where the program was killed.
    @discardableResult
    package func run(for limit: Int64, until isDone: () throws -> Bool) rethrows -> Bool {
        program = interleaver.current
        let deadline = interleaver.now + limit
        while !interleaver.isOver {
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

    /// Does what comes in so many microseconds.
    package func run(for time: Int64) { run(for: time) { false } }

    /// As `run(for:until:)`, where what others do decides whether it is done, which is looked at now and then.
    @discardableResult
    package func poll(
        every period: Int64 = 200_000, for limit: Int64, until isDone: () throws -> Bool
    ) rethrows -> Bool {
        let deadline = interleaver.now + limit
        while !interleaver.isOver {
            if try isDone() { return true }
            guard interleaver.now < deadline else { return false }
            run(for: min(period, deadline - interleaver.now))
        }
        return false
    }

    /// Lets go of all that is going to happen: what happens there may hold the loop.
    package func clear() { events = [] }
}

extension ProgramLoop: Timekeeper {
    package func now() -> SteadyInstant { SteadyInstant(microseconds: interleaver.now) }

    package func schedule(after delay: Duration, _ body: @escaping () -> Void) -> any Alarm {
        let alarm = SimulatedAlarm(body)
        post(after: delay.inMicroseconds) { alarm.ring() }
        return alarm
    }
}
