import FocusCore
import FocusSync
import TestSupport
import Testing

@Suite("Events coming and going in the client's session")
struct EventFlowTests: ClientScripts {
    @Test("of a push that is malformed in its midst nothing is merged, and the connection ends")
    func malformedPush() throws {
        var session = live([replicaA: 5])
        var bytes = Message.push(try segment(Array(mine[..<8]), from: 6)).encoded()
        // The position of the last body's length. It is changed from 80 bytes to 16, one block less.
        let place = bytes.count - 80 - 1
        try #require(bytes[place] == 80)
        bytes[place] = 16
        bytes.removeLast(64)
        let length = UInt32(bytes.count - 4)
        for index in 0..<4 { bytes[index] = UInt8(truncatingIfNeeded: length >> (24 - 8 * UInt32(index))) }
        let good = Message.push(try segment(Array(mine[..<6]), from: 6))
        let effects = session.received((good.encoded() + bytes)[...], at: 1_000)
        #expect(effects.first == .merge(try segment(Array(mine[..<6]), from: 6)), "what came whole before it")
        #expect(effects.count { if case .merge = $0 { true } else { false } } == 1)
        #expect(effects.last == .close(.malformed(.malformed(.push, .invalidValue))))
        expect(session.received(good.bytes, at: 2_000), is: [])
    }

    @Test(
        "a replica of which a push has a stamp that doesn't rise is left alone for the connection, and the others go on"
    )
    func pushedStamp() throws {
        var session = live([replicaA: 5])
        _ = session.received(Message.push(try segment(mine, from: 6)).bytes, at: 1_000)
        let stopped = session.merged(replicaA, head: vector([replicaA: 8])[replicaA], stop: .malformed)
        #expect(stopped == [.stopped(replicaA, Ack.Stop(code: .malformed))])
        expect(session.received(Message.push(try segment(mine, from: 9)).bytes, at: 2_000), is: [])
        let other = session.received(Message.push(try segment(theirs)).bytes, at: 3_000)
        #expect(other == [.merge(try segment(theirs))])
    }

    @Test("what is pushed of a replica that is left alone is asked for, and taken, once its time has come")
    func wantedAfterRest() throws {
        var session = live([replicaA: 5])
        _ = session.localLogChanged(to: vector([replicaA: 6]))
        _ = session.loaded(replicaA, try segment(Array(mine[..<6]), from: 6))
        let stop = Ack.Stop(code: .rate, after: 5_000)
        let ack = Ack(replica: replicaA, head: vector([replicaA: 5])[replicaA], stop: stop)
        expect(session.received(Message.ack(ack).bytes, at: 1_000), is: [.stopped(replicaA, stop)])
        // A copy of this laptop has uploaded the same events.
        let push = try segment(mine, from: 7)
        expect(session.received(Message.push(push).bytes, at: 2_000), is: [])
        let want = ClientEffect.send(Message.want(replicaA, after: 6).encoded())
        expect(session.tick(5_001_000), is: [want])
        // A push that was under way meanwhile leaves a gap. The session doesn't send `want` twice for it.
        let late = try segment(mine, from: 9)
        _ = session.received(Message.push(late).bytes, at: 5_002_000)
        let gap = session.merged(replicaA, head: vector([replicaA: 6])[replicaA], stop: .gap)
        #expect(gap == [])
        expect(session.received(Message.push(push).bytes, at: 5_003_000), is: [.merge(push)])
        expect(session.merged(replicaA, head: vector([replicaA: 10])[replicaA], stop: nil), is: [])
        expect(session.isIdle, is: true)
        // The next gap is a different one.
        var longer = makeEvents(replicaA, 12)
        longer.removeFirst(11)
        let next = try #require(Segment(longer, chainBefore: Chain(high: 1, low: 1)))
        _ = session.received(Message.push(next).bytes, at: 5_004_000)
        let again = session.merged(replicaA, head: vector([replicaA: 10])[replicaA], stop: .gap)
        #expect(again == [.send(Message.want(replicaA, after: 10).encoded())])
    }

    @Test(
        "what was asked for anew, and couldn't be merged as another process moved the tail, is asked for again"
    )
    func wantedAfterRace() throws {
        var session = live([replicaA: 5])
        _ = session.received(Message.push(try segment(mine, from: 8)).bytes, at: 1_000)
        let asked = session.merged(replicaA, head: vector([replicaA: 5])[replicaA], stop: .gap)
        #expect(asked == [.send(Message.want(replicaA, after: 5).encoded())])
        // The answer arrives while another process writes to the replica.
        _ = session.received(Message.push(try segment(mine, from: 6)).bytes, at: 2_000)
        let beaten = session.merged(replicaA, head: vector([replicaA: 7])[replicaA], stop: .parted)
        #expect(
            beaten == [
                .chains(replicaA, at: [7]), .send(Message.chainsAsked(replicaA, at: [7]).encoded()),
            ])
        _ = session.chains(replicaA, [vector([replicaA: 7])[replicaA]])
        let resumed = session.received(
            Message.chains(replicaA, [vector([replicaA: 7])[replicaA]]).bytes, at: 3_000)
        #expect(
            resumed == [
                .acknowledged(replicaA, through: 7), .send(Message.want(replicaA, after: 7).encoded()),
            ])
    }

    @Test(
        "a server that pushes what parts from its own earlier pushes is asked anew, compared from the start, and left alone for a while then"
    )
    func contradictingPushes() throws {
        var session = live([replicaA: 5])
        // The server no longer has the events that it pushed from seq 4 on, as after a restore during this
        // connection.
        let others = Array(mine[..<3]) + makeEvents(replicaA, 10, length: 144)[3...]
        let push = Message.push(try segment(others, from: 6)).bytes
        func parts(_ session: inout ClientSession, at now: SteadyInstant) -> [ClientEffect] {
            _ = session.received(push, at: now)
            return session.merged(replicaA, head: vector([replicaA: 5])[replicaA], stop: .parted)
        }
        let want = ClientEffect.send(Message.want(replicaA, after: 5).encoded())
        #expect(parts(&session, at: 1_000) == [want])
        #expect(
            parts(&session, at: 2_000) == [
                .chains(replicaA, at: [5]), .send(Message.chainsAsked(replicaA, at: [5]).encoded()),
            ])
        // The server still answers that its log is the same.
        _ = session.chains(replicaA, [vector([replicaA: 5])[replicaA]])
        let same = Message.chains(replicaA, [vector([replicaA: 5])[replicaA]])
        expect(session.received(same.bytes, at: 3_000), is: [.acknowledged(replicaA, through: 5), want])
        #expect(parts(&session, at: 4_000) == [.stopped(replicaA, Ack.Stop(code: .parted))])
        _ = session.received(Message.presence([]).bytes, at: 30_000_000)
        let rested = session.tick(5_000 + Limits.retry)
        let ping = Message.ping(sent: 5_000 + Limits.retry).encoded()
        #expect(rested == [.send(ping + Message.want(replicaA, after: 5).encoded())])
    }

    @Test("a server's pushes that part where it said that it has the same have the tail moved")
    func contradicted()
        throws
    {
        var session = live([replicaA: 5])
        let others = Array(mine[..<3]) + makeEvents(replicaA, 10, length: 144)[3...]
        let push = Message.push(try segment(others, from: 6)).bytes
        for instant in [1_000, 2_000] as [SteadyInstant] {
            _ = session.received(push, at: instant)
            _ = session.merged(replicaA, head: vector([replicaA: 5])[replicaA], stop: .parted)
        }
        _ = session.chains(replicaA, [vector([replicaA: 5])[replicaA]])
        let heads = chains(of: others)
        let probed = session.received(
            Message.chains(replicaA, [Head(seq: 5, chain: heads[5])]).bytes, at: 3_000)
        #expect(probed.first == .chains(replicaA, at: [1, 2, 3, 4]))
        _ = session.chains(
            replicaA, (1...4).map { Head(seq: UInt64($0), chain: chains(of: mine)[$0]) })
        let found = session.received(
            Message.chains(replicaA, (1...4).map { Head(seq: UInt64($0), chain: heads[$0]) }).bytes, at: 4_000
        )
        #expect(
            found == [
                .acknowledged(replicaA, through: 3),
                .moveBranch(replicaA, from: vector([replicaA: 4])[replicaA]),
            ])
    }

    @Test(
        "uploads go one after the other until 512 KiB are unanswered, and on as they are answered",
        arguments: [UInt64(1), 2, 3])
    func window(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let events = makeEvents(replicaA, 600, length: 4_048)
        func head(_ seq: Int) -> Head { Head(seq: UInt64(seq), chain: Chain(high: UInt64(seq), low: 1)) }
        var session = live([:])
        var effects = session.localLogChanged(to: VersionVector([replicaA: head(600)]))
        var underWay: [(last: Int, bytes: Int)] = []
        var sent = 0
        var most = 0
        while sent < 600 || !underWay.isEmpty {
            while case .read(replicaA, let from, let bytes)? = effects.last {
                #expect(Int(from) == sent + 1)
                let before = sent == 0 ? Chain.empty : head(sent).chain
                // Some reads return fewer bytes, for example only the events pressed since the last read.
                let limit = Int.random(in: 1...bytes, using: &random)
                let whole = try #require(Segment(events[sent...].prefix(250), chainBefore: before))
                let segment = whole.prefix(bytes: limit)
                sent = Int(segment.lastSeq)
                let isWide = underWay.reduce(0) { $0 + $1.bytes } < Limits.uploadWindow
                #expect(isWide, "seed \(seed): nothing is read for an upload beyond the window")
                underWay.append((sent, segment.packed.count))
                effects = session.loaded(replicaA, segment)
                #expect(effects.first == .send(Message.upload(segment).encoded()))
            }
            let bytes = underWay.reduce(0) { $0 + $1.bytes }
            most = max(most, bytes)
            #expect(sent == 600 || bytes >= Limits.uploadWindow, "seed \(seed): it goes on up to the window")
            #expect(bytes < Limits.uploadWindow + Limits.read, "seed \(seed)")
            let answered = underWay.removeFirst()
            let ack = Ack(replica: replicaA, head: head(answered.last), stop: nil)
            effects = session.received(Message.ack(ack).bytes, at: 1_000)
            #expect(effects.first == .acknowledged(replicaA, through: UInt64(answered.last)))
        }
        #expect(most >= Limits.uploadWindow, "seed \(seed)")
        expect(session.isIdle, is: true)
    }
}
