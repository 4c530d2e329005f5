import FocusCore
import FocusSync
import TestSupport
import Testing

/// What the scripts of the client's session are written with: two replicas of ten events each.
protocol ClientScripts {}

extension ClientScripts {
    /// The laptop's events.
    var mine: [SealedEvent] { makeEvents(replicaA, 10) }
    /// Another device's.
    var theirs: [SealedEvent] { makeEvents(replicaB, 10) }

    /// How far a log is that has the first so many events of each.
    func vector(_ seqs: [ReplicaID: Int]) -> VersionVector {
        VersionVector(
            Dictionary(
                uniqueKeysWithValues: seqs.map { replica, seq in
                    let events = replica == replicaA ? mine : theirs
                    return (replica, Head(seq: UInt64(seq), chain: chains(of: events)[seq]))
                }))
    }

    /// A session that begins on a laptop whose log has so many events of each.
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

    /// What a server says that has so many events of each.
    func welcome(_ seqs: [ReplicaID: Int]) -> Welcome {
        Welcome(
            group: group, vector: vector(seqs), latest: .zero, roster: [], epochs: [], presence: [],
            nextServerKey: nil)
    }

    /// A session of a device and a server with the same events, up to date.
    func live(_ seqs: [ReplicaID: Int]) -> ClientSession {
        var session = session(seqs)
        _ = session.opened(0)
        _ = session.received(greeting(0).bytes, at: 100)
        _ = session.received(Message.welcome(welcome(seqs)).bytes, at: 200)
        _ = session.returned(.all(vector(seqs)), at: 200)
        let last = session.reauthored(.all(vector(seqs)))
        #expect(last == [])
        expect(session.isIdle, is: true)
        return session
    }
}
