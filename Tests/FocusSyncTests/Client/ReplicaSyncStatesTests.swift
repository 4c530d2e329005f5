import FocusCore
import TestSupport
import Testing

@testable import FocusSync

@Suite("A client's session with thousands of replicas")
struct ReplicaSyncStatesTests: ClientScripts {
    /// Replicas of other devices, with one event each.
    private struct Crowd {
        let segments: [Segment]
        let vector: VersionVector

        init(_ count: Int) throws {
            var segments: [Segment] = []
            var heads: [ReplicaID: Head] = [:]
            for number in 1...count {
                let events = makeEvents(ReplicaID(rawValue: UInt64(1_000 + number)), 1)
                segments.append(try segment(events))
                heads[events[0].id.replica] = Head(seq: 1, chain: chains(of: events)[1])
            }
            self.segments = segments
            vector = VersionVector(heads)
        }
    }

    /// Returns a session of a laptop with the log `own`, just after the welcome of a server with the log
    /// `server`.
    private func welcomed(_ own: VersionVector, by server: VersionVector) -> ClientSession {
        var session = ClientSession(
            .sync(LocalLog(group: group, vector: own)), clock: ClockEstimate(offset: .seconds(4)),
            program: "focus", now: 0)
        _ = session.opened(0)
        _ = session.received(greeting(0).bytes, at: 100)
        let welcome = Welcome(
            group: group, vector: server, latest: .zero, roster: [], epochs: [], presence: [],
            nextServerKey: nil)
        _ = session.received(Message.welcome(welcome).bytes, at: 200)
        return session
    }

    private func live(_ crowd: Crowd) -> ClientSession {
        var session = welcomed(crowd.vector, by: crowd.vector)
        _ = session.returned(.all(crowd.vector), at: 200)
        _ = session.reauthored(.all(crowd.vector))
        expect(session.isIdle, is: true)
        return session
    }

    private func looks(_ session: borrowing ClientSession) -> Int { session.standings?.looks ?? 0 }

    /// Returns the number of standings that are looked at during a first sync of `count` replicas.
    private func looksOfFirstSync(_ count: Int) throws -> Int {
        let crowd = try Crowd(count)
        var session = welcomed(VersionVector(), by: crowd.vector)
        var last: [ClientEffect] = []
        for segment in crowd.segments {
            expect(session.unacknowledged, is: 0)
            let merge = session.received(Message.push(segment).bytes, at: 300)
            #expect(merge == [.merge(segment)])
            last = session.merged(segment.replica, head: crowd.vector[segment.replica], stop: nil)
        }
        #expect(last == [.caughtUp])
        return looks(session)
    }

    @Test("a first sync of twice as many replicas looks at twice as many standings, not four times as many")
    func firstSync() throws {
        let some = try looksOfFirstSync(1_000)
        let many = try looksOfFirstSync(2_000)
        #expect(many <= 2 * some + 100)
        #expect(some < 20 * 1_000)
    }

    /// Returns the numbers of standings that are looked at for ten presses, one number for each.
    private func looksOfPresses(_ count: Int) throws -> [Int] {
        var session = live(try Crowd(count))
        return try (1...10).map { seq in
            let before = looks(session)
            let head = Head(seq: UInt64(seq), chain: chains(of: mine)[seq])
            let read = session.localLogChanged(.heads([replicaA: head]))
            #expect(read.count == 1)
            expect(session.unacknowledged, is: 1)
            _ = session.loaded(replicaA, try segment(Array(mine[..<seq]), from: seq))
            let ack = session.received(
                Message.ack(Ack(replica: replicaA, head: head, stop: nil)).bytes, at: 1_000)
            #expect(ack == [.acknowledged(replicaA, through: UInt64(seq))])
            expect(session.isIdle, is: true)
            return looks(session) - before
        }
    }

    @Test("a press and its acknowledgement look at as many standings, however many replicas there are")
    func presses() throws {
        let few = try looksOfPresses(10)
        #expect(try looksOfPresses(2_000) == few)
        #expect(few.allSatisfy { $0 < 20 })
    }

    /// Returns the number of standings that a tick looks at. Of `count` stopped replicas, 50 are due for a
    /// retry.
    private func looksOfTick(_ count: Int) throws -> Int {
        let crowd = try Crowd(count)
        var session = live(crowd)
        for (index, segment) in crowd.segments.enumerated() {
            let more = try Segment(
                replica: segment.replica, firstSeq: 2, chainBefore: crowd.vector[segment.replica].chain,
                packed: segment.packed)
            let now = SteadyInstant.after(.seconds(index / 50))
            _ = session.received(Message.push(more).bytes, at: now)
            _ = session.received(Message.pong(ClockAnswer(asked: 1, served: nil)).bytes, at: now)
            let stopped = session.merged(
                segment.replica, head: crowd.vector[segment.replica], stop: .rate)
            #expect(stopped == [.stopped(segment.replica, Ack.Stop(code: .rate))])
        }
        let before = looks(session)
        let now = SteadyInstant.after(Limits.retry)
        _ = session.received(Message.pong(ClockAnswer(asked: 1, served: nil)).bytes, at: now)
        let sent = session.tick(now).flatMap { $0.bytesToSend ?? [] }
        let wants = try message(sent).count { if case .want = $0 { true } else { false } }
        #expect(wants == 50, "those that were stopped in the first second")
        return looks(session) - before
    }

    @Test("a tick looks at those replicas whose time has come, however many are left alone")
    func tick() throws {
        let few = try looksOfTick(100)
        #expect(try looksOfTick(1_000) == few)
    }

    @Test("what was said to have changed is as good as the whole")
    func changes() throws {
        let crowd = try Crowd(3)
        var whole = live(crowd)
        var part = live(crowd)
        var vector = crowd.vector
        vector[replicaA] = self.vector([replicaA: 3])[replicaA]
        let gone = crowd.segments[1].replica
        vector[gone] = .empty
        let effects = whole.localLogChanged(.all(vector))
        let same = part.localLogChanged(.heads([gone: .empty, replicaA: vector[replicaA]]))
        #expect(effects == same)
        #expect(effects.count == 2)
        expect(whole.unacknowledged, is: part.unacknowledged)
        expect(part.unacknowledged, is: 3)
        expect(part.standings?.vector, is: vector)
    }
}
