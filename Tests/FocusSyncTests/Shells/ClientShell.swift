import FocusCore
import FocusSync

/// A client's session for a driver: each input is followed by the session's effects, until there are none
/// left.
final class ClientShell {
    private var session: ClientSession?
    /// The estimate of shared time, kept from one session to the next.
    var clock: ClockEstimate

    init(clock: ClockEstimate) { self.clock = clock }

    /// Whether there is no session.
    var isOver: Bool { session == nil }

    var isIdle: Bool { session?.isIdle ?? false }

    var nextDeadline: SteadyInstant? { session?.nextDeadline }

    /// Begins a session. The driver then tells it when its connection is open.
    func begin(_ purpose: ClientSession.Purpose, program: String, now: SteadyInstant) {
        session = ClientSession(purpose, clock: clock, program: program, now: now)
    }

    /// Ends the session.
    func end() { session = nil }

    /// Passes input to the session, and performs all effects that follow from it.
    ///
    /// - Parameter carryOut: Performs one effect, and returns the session's next effects.
    func feed(
        _ input: (inout ClientSession) throws -> [ClientEffect],
        _ carryOut: (ClientEffect) throws -> [ClientEffect]
    ) rethrows {
        var left = try answer(input)[...]
        while let effect = left.popFirst() { left += try carryOut(effect) }
    }

    /// Passes input to the session, and returns its effects; none if there is no session.
    func answer(_ input: (inout ClientSession) throws -> [ClientEffect]) rethrows -> [ClientEffect] {
        guard var current = session.take() else { return [] }
        let effects = try input(&current)
        clock = current.clock
        session = consume current
        return effects
    }
}
