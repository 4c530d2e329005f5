import FocusCore
import FocusSync

/// A client's session, for a shell that carries out what it asks for: it is handed input, until nothing more is asked for.
final class ClientShell {
    private var session: ClientSession?
    private var check = StandingsCheck()
    /// What is known of shared time, from one session to the next.
    var clock: ClockEstimate

    init(clock: ClockEstimate) { self.clock = clock }

    /// Whether there is no session.
    var isOver: Bool { session == nil }

    var isIdle: Bool { session?.isIdle ?? false }

    var nextDeadline: SteadyInstant? { session?.nextDeadline }

    /// Begins a session, which has yet to be told that its connection is open.
    func begin(_ purpose: ClientSession.Purpose, program: String, now: SteadyInstant) {
        session = ClientSession(purpose, clock: clock, program: program, now: now)
        check = StandingsCheck()
    }

    /// There is no session any more.
    func end() { session = nil }

    /// Hands the session some input, and has all carried out that comes of it.
    ///
    /// - Parameter carryOut: does one thing, and gives what the session wants then.
    func feed(
        _ input: (inout ClientSession) throws -> [ClientEffect],
        _ carryOut: (ClientEffect) throws -> [ClientEffect]
    ) rethrows {
        var left = try answer(input)[...]
        while let effect = left.popFirst() { left += try carryOut(effect) }
    }

    /// Hands the session some input, and gives what it wants then: nothing, where there is none.
    func answer(_ input: (inout ClientSession) throws -> [ClientEffect]) rethrows -> [ClientEffect] {
        guard var current = session.take() else { return [] }
        let effects = try input(&current)
        check.look(at: current)
        clock = current.clock
        session = consume current
        return effects
    }
}
