import FocusCore
import FocusSync
import TestSupport
import Testing

/// The parts of the scripts for the client's session: two replicas of ten events each.
protocol ClientScripts {}

extension ClientScripts {
    /// The laptop's events.
    var mine: [SealedEvent] { makeEvents(replicaA, 10) }
    /// The other device's events.
    var theirs: [SealedEvent] { makeEvents(replicaB, 10) }

    /// Returns the version vector of a log that has the first events of each replica, up to these seqs.
    func vector(_ seqs: [ReplicaID: Int]) -> VersionVector {
        VersionVector(
            Dictionary(
                uniqueKeysWithValues: seqs.map { replica, seq in
                    let events = replica == replicaA ? mine : theirs
                    return (replica, Head(seq: UInt64(seq), chain: chains(of: events)[seq]))
                }))
    }

    /// Returns a session on a laptop that has the first events of each replica, up to these seqs.
    func session(
        _ seqs: [ReplicaID: Int], offset: Duration = .seconds(4),
        first: FirstReading? = FirstReading(offset: .seconds(4), instant: 0)
    ) -> ClientSession {
        ClientSession(
            .sync(LocalLog(group: group, vector: vector(seqs))),
            clock: ClockEstimate(offset: offset, first: first), program: "focus", now: 0)
    }

    func greeting(
        _ asked: SteadyInstant, served: ClockAnswer.Served? = .init(received: 4_000_050, sent: 4_000_050)
    ) -> Message {
        .greeting(
            Greeting(
                versions: [.one], chosen: .one, clock: ClockAnswer(asked: asked, served: served),
                program: "focusd"))
    }

    /// Returns the welcome of a server that has the first events of each replica, up to these seqs.
    func welcome(_ seqs: [ReplicaID: Int]) -> Welcome {
        Welcome(
            group: group, vector: vector(seqs), latest: .zero, roster: [], epochs: [], presence: [],
            nextServerKey: nil)
    }

    /// Returns a session of a device that has this log, and a right clock.
    func session(of log: LocalLog) -> ClientSession {
        ClientSession(.sync(log), clock: ClockEstimate(offset: .zero), program: "focus", now: 0)
    }

    /// Opens a session, up to the server's welcome. Returns the effects of the welcome.
    @discardableResult
    func open(_ session: inout ClientSession, _ welcome: Welcome) -> [ClientEffect] {
        _ = session.opened(0)
        _ = session.received(greeting(0).bytes, at: 100)
        return session.received(Message.welcome(welcome).bytes, at: 200)
    }

    /// Returns a session that is in sync: the device and the server have the same events.
    func live(_ seqs: [ReplicaID: Int]) -> ClientSession {
        var session = session(seqs)
        open(&session, welcome(seqs))
        _ = session.returned(vector(seqs), at: 200)
        let last = session.reauthored(vector(seqs))
        #expect(last == [])
        expect(session.isIdle, is: true)
        return session
    }
}
