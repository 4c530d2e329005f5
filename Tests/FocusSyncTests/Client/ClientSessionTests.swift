import FocusCore
import FocusSync
import TestSupport
import Testing

/// The client's session, tested by scripts without branches.
@Suite("The client's session")
struct ClientSessionTests: ClientScripts {
    private func have(_ seqs: [ReplicaID: Int]) -> ClientEffect {
        .send(Message.have(Have(vector: vector(seqs), epochs: [])).encoded())
    }

    @Test("opening, catching up, returning, re-authoring, and only then uploading")
    func wholeStory() throws {
        var session = session([replicaA: 10])
        let hello = Message.hello(Hello(versions: [.one], purpose: .sync, sent: 0, program: "focus"))
        expect(session.opened(0), is: [.send(hello.encoded())])
        let greeted = session.received(greeting(0).bytes, at: 100)
        #expect(
            greeted == [.clock(ClockReading(offset: .microseconds(4_000_000), roundTrip: .microseconds(100)))]
        )
        expect(session.isConnected, is: false)
        let welcomed = session.received(
            Message.welcome(welcome([replicaA: 4, replicaB: 10])).bytes, at: 200)
        #expect(
            welcomed == [
                .connected(welcome([replicaA: 4, replicaB: 10])), have([replicaA: 10]),
                .chains(replicaA, at: [4]),
            ])
        expect(session.isConnected, is: true)
        let compared = session.chains(replicaA, [Head(seq: 4, chain: chains(of: mine)[4])])
        #expect(compared == [.acknowledged(replicaA, through: 4)])
        let segment = try segment(theirs)
        expect(session.received(Message.push(segment).bytes, at: 300), is: [.merge(segment)])
        expect(session.merged(replicaB, head: vector([replicaB: 10])[replicaB], stop: nil), is: [.caughtUp])
        let both = vector([replicaA: 10, replicaB: 10])
        let returned = session.returned(both, at: 300)
        let limit = Stamp(rawValue: UInt64(4_000 + 120_000) << 16 | 0xFFFF)
        #expect(
            returned == [
                .reauthor(Reauthoring(beyond: [replicaA: 4, replicaB: 10], limit: limit, error: .zero))
            ])
        expect(session.reauthored(both), is: [.read(replicaA, from: 5, bytes: Limits.read)])
        expect(session.unacknowledged, is: 6)
        let upload = try FocusSyncTests.segment(mine, from: 5)
        expect(session.loaded(replicaA, upload), is: [.send(Message.upload(upload).encoded())])
        let ack = Ack(replica: replicaA, head: vector([replicaA: 10])[replicaA], stop: nil)
        expect(session.received(Message.ack(ack).bytes, at: 400), is: [.acknowledged(replicaA, through: 10)])
        expect(session.isIdle, is: true)
        expect(session.unacknowledged, is: 0)
    }

    @Test("where the logs part, the first event that differs is found and the tail moved")
    func parting() throws {
        var session = session([replicaA: 10])
        let other = mine.map { event in
            event.id.seq < 7
                ? event
                : SealedEvent(
                    id: event.id, stamp: event.stamp, epoch: event.epoch,
                    body: [UInt8](repeating: 99, count: 80))
        }
        let server = VersionVector([replicaA: Head(seq: 10, chain: chains(of: other)[10])])
        var named = welcome([:])
        named.vector = server
        let welcomed = open(&session, named)
        #expect(welcomed.last == .chains(replicaA, at: [10]))
        func heads(_ events: [SealedEvent], _ seqs: [UInt64]) -> [Head] {
            seqs.map { Head(seq: $0, chain: chains(of: events)[Int($0)]) }
        }
        let between: [UInt64] = [1, 2, 3, 4, 5, 6, 7, 8, 9]
        let asked = session.chains(replicaA, heads(mine, [10]))
        #expect(
            asked == [
                .chains(replicaA, at: between),
                .send(Message.chainsAsked(replicaA, at: between).encoded()),
            ])
        expect(session.received(Message.chains(replicaA, heads(other, between)).bytes, at: 300), is: [])
        let found = session.chains(replicaA, heads(mine, between))
        #expect(
            found == [.acknowledged(replicaA, through: 6), .moveBranch(replicaA, from: heads(mine, [7])[0])])
        let branched = VersionVector([
            replicaA: vector([replicaA: 6])[replicaA], replicaB: Head(seq: 4, chain: Chain(high: 7, low: 7)),
        ])
        let moved = session.moved(replicaA, branched)
        #expect(moved == [.send(Message.want(replicaA, after: 6).encoded())])
        let rest = try segment(other, from: 7)
        expect(session.received(Message.push(rest).bytes, at: 400), is: [.merge(rest)])
        expect(session.merged(replicaA, head: server[replicaA], stop: nil), is: [.caughtUp])
    }

    @Test("a replica that the server stops is left alone for a while, and the others go on")
    func stopped() throws {
        var session = live([replicaA: 5, replicaB: 5])
        _ = session.localLogChanged(to: vector([replicaA: 10, replicaB: 5]))
        _ = session.loaded(replicaA, try segment(mine, from: 6))
        let stop = Ack.Stop(code: .clockNotSure, after: 30_000)
        let ack = Ack(replica: replicaA, head: vector([replicaA: 5])[replicaA], stop: stop)
        expect(session.received(Message.ack(ack).bytes, at: 1_000), is: [.stopped(replicaA, stop)])
        let other = session.localLogChanged(to: vector([replicaA: 10, replicaB: 10]))
        #expect(other == [.read(replicaB, from: 6, bytes: Limits.read)])
        _ = session.loaded(replicaB, nil)
        expect(session.nextDeadline, is: .after(Limits.ping))
        let ping = session.tick(.after(Limits.ping))
        #expect(ping == [.send(Message.ping(sent: .after(Limits.ping)).encoded())])
        expect(session.nextDeadline, is: 30_001_000)
        expect(session.tick(30_001_000), is: [.read(replicaA, from: 6, bytes: Limits.read)])
    }

    @Test(
        "where the server takes only so much at once, what it took counts, and the rest goes when it says",
        arguments: [RefusalCode.rate, .groupFull])
    func limited(code: RefusalCode) throws {
        var session = live([replicaA: 5])
        _ = session.localLogChanged(to: vector([replicaA: 10]))
        _ = session.loaded(replicaA, try segment(mine, from: 6))
        let stop = Ack.Stop(code: code, after: 5_000)
        let ack = Ack(replica: replicaA, head: vector([replicaA: 8])[replicaA], stop: stop)
        expect(session.received(Message.ack(ack).bytes, at: 1_000), is: [.chains(replicaA, at: [8])])
        let compared = session.chains(replicaA, [vector([replicaA: 8])[replicaA]])
        #expect(compared == [.acknowledged(replicaA, through: 8), .stopped(replicaA, stop)])
        expect(session.nextDeadline, is: 5_001_000)
        expect(session.tick(5_001_000), is: [.read(replicaA, from: 9, bytes: Limits.read)])
    }

    @Test("of an upload that a server answers with a head in its midst, what lies beyond isn't acknowledged")
    func partlyTaken() throws {
        var session = live([replicaA: 5])
        _ = session.localLogChanged(to: vector([replicaA: 10]))
        _ = session.loaded(replicaA, try segment(mine, from: 6))
        let ack = Ack(replica: replicaA, head: vector([replicaA: 8])[replicaA], stop: nil)
        expect(session.received(Message.ack(ack).bytes, at: 1_000), is: [.acknowledged(replicaA, through: 8)])
        expect(session.unacknowledged, is: 2)
    }

    @Test(
        "the head of a twin, named by a server that has compared nothing, acknowledges nothing",
        arguments: [
            RefusalCode.rate, .internal, .noRoom, .groupFull, .clockAhead, .clockNotSure, .unknownEpoch,
            .malformed,
        ])
    func twinsHead(code: RefusalCode) throws {
        var session = live([replicaA: 5])
        _ = session.localLogChanged(to: vector([replicaA: 8]))
        _ = session.loaded(replicaA, try segment(Array(mine[..<8]), from: 6))
        let twin = Head(seq: 8, chain: Chain(high: 1, low: 1))
        let ack = Ack(replica: replicaA, head: twin, stop: Ack.Stop(code: code, after: 1_000))
        let named = session.received(Message.ack(ack).bytes, at: 1_000)
        // The server's chain there is known, so only the laptop's own log is asked.
        #expect(named == [.chains(replicaA, at: [8])])
        expect(session.isIdle, is: false)
        expect(session.unacknowledged, is: 3)
        let compared = session.chains(replicaA, [vector([replicaA: 8])[replicaA]])
        let between: [UInt64] = [6, 7]
        #expect(
            compared == [
                .chains(replicaA, at: between),
                .send(Message.chainsAsked(replicaA, at: between).encoded()),
            ])
        let heads = between.map { Head(seq: $0, chain: chains(of: mine)[Int($0)]) }
        _ = session.chains(replicaA, heads)
        let theirs = between.map { Head(seq: $0, chain: Chain(high: $0, low: 2)) }
        let parted = session.received(Message.chains(replicaA, theirs).bytes, at: 1_100)
        #expect(parted == [.moveBranch(replicaA, from: heads[0])])
        expect(session.unacknowledged, is: 3)
    }

    @Test(
        "a server that says parted or a gap, and by its own heads isn't, is left alone for a while after the second time",
        arguments: [RefusalCode.parted, .gap])
    func contradiction(code: RefusalCode) throws {
        var session = live([replicaA: 5])
        let stop = Ack.Stop(code: code)
        let ack = Ack(replica: replicaA, head: vector([replicaA: 5])[replicaA], stop: stop)
        _ = session.localLogChanged(to: vector([replicaA: 6]))
        _ = session.loaded(replicaA, try segment(Array(mine[..<6]), from: 6))
        let again = session.received(Message.ack(ack).bytes, at: 1_000)
        let read = ClientEffect.read(replicaA, from: 6, bytes: Limits.read)
        if code == .gap {
            // The logs are compared once more, and are equal.
            #expect(again == [.chains(replicaA, at: [5])])
            let compared = session.chains(replicaA, [vector([replicaA: 5])[replicaA]])
            #expect(compared.last == read)
        } else {
            #expect(again == [read])
        }
        _ = session.loaded(replicaA, try segment(Array(mine[..<6]), from: 6))
        expect(session.received(Message.ack(ack).bytes, at: 2_000), is: [.stopped(replicaA, stop)])
        let later = session.tick(.after(Limits.ping))
        #expect(later == [.send(Message.ping(sent: .after(Limits.ping)).encoded())])
    }

    @Test("where another process has moved the tail, what the log has now is compared")
    func movedElsewhere() throws {
        var session = live([replicaA: 5])
        _ = session.localLogChanged(to: vector([replicaA: 8]))
        _ = session.loaded(replicaA, try segment(Array(mine[..<8]), from: 6))
        let server = Head(seq: 6, chain: Chain(high: 1, low: 1))
        let ack = Ack(replica: replicaA, head: server, stop: Ack.Stop(code: .parted))
        _ = session.received(Message.ack(ack).bytes, at: 1_000)
        let found = session.chains(replicaA, [Head(seq: 6, chain: chains(of: mine)[6])])
        #expect(found == [.moveBranch(replicaA, from: Head(seq: 6, chain: chains(of: mine)[6]))])
        let moved = session.moved(replicaA, VersionVector([replicaA: server]))
        #expect(
            moved == [.send(Message.want(replicaA, after: 6).encoded()), .acknowledged(replicaA, through: 6)])
        expect(session.isIdle, is: true)
    }

    @Test("what turns out to lie ahead is re-authored once, after everything under way is answered")
    func clockAhead() throws {
        var session = live([replicaA: 5])
        _ = session.localLogChanged(to: vector([replicaA: 10]))
        _ = session.loaded(replicaA, try segment(mine, from: 6))
        let stop = Ack.Stop(code: .clockAhead)
        let ack = Ack(replica: replicaA, head: vector([replicaA: 8])[replicaA], stop: stop)
        _ = session.received(Message.ack(ack).bytes, at: 1_000)
        let refused = session.chains(replicaA, [vector([replicaA: 8])[replicaA]])
        guard refused.first == .acknowledged(replicaA, through: 8),
            case .reauthor(let request)? = refused.last
        else {
            Issue.record("not re-authored: \(refused)")
            return
        }
        #expect(request.beyond == [replicaA: 8])
        _ = session.reauthored(vector([replicaA: 10]))
        _ = session.loaded(replicaA, try segment(mine, from: 9))
        expect(session.received(Message.ack(ack).bytes, at: 2_000), is: [.stopped(replicaA, stop)])
    }

    @Test(
        "what was written anew as another replica isn't written anew again at once where that is refused too")
    func clockAheadAgain() throws {
        var session = live([replicaA: 5])
        _ = session.localLogChanged(to: vector([replicaA: 6]))
        _ = session.loaded(replicaA, try segment(mine, from: 6))
        let stop = Ack.Stop(code: .clockAhead)
        _ = session.received(
            Message.ack(Ack(replica: replicaA, head: vector([replicaA: 5])[replicaA], stop: stop)).bytes,
            at: 1_000)
        _ = session.reauthored(vector([replicaA: 5, replicaB: 1]))
        _ = session.loaded(replicaB, try segment(theirs, from: 1))
        let again = session.received(
            Message.ack(Ack(replica: replicaB, head: .empty, stop: stop)).bytes, at: 2_000)
        #expect(again == [.stopped(replicaB, stop)])
    }

    @Test("what was written anew the device has under the old name no longer, and says so")
    func lessThanSaid() throws {
        var session = session([replicaA: 10])
        open(&session, welcome([replicaA: 4]))
        _ = session.chains(replicaA, [Head(seq: 4, chain: chains(of: mine)[4])])
        _ = session.returned(vector([replicaA: 10]), at: 200)
        let effects = session.reauthored(vector([replicaA: 4, replicaB: 6]))
        #expect(
            effects == [
                .send(Message.want(replicaA, after: 4).encoded()),
                .read(replicaB, from: 1, bytes: Limits.read),
            ])
    }

    @Test("without the server's clock nothing is uploaded until a pong brings it")
    func clockNotSure() {
        var session = session([replicaA: 1])
        _ = session.opened(0)
        expect(session.received(greeting(0, served: nil).bytes, at: 100), is: [.clockNotSure])
        let welcomed = session.received(Message.welcome(welcome([:])).bytes, at: 200)
        #expect(welcomed.last == .caughtUp)
        expect(session.isIdle, is: false)
        expect(session.returned(vector([replicaA: 1]), at: 300), is: [])
        expect(session.isIdle, is: true)
        _ = session.tick(.after(Limits.ping))
        let served = ClockAnswer.Served(received: 24_000_000, sent: 24_000_000)
        let pong = Message.pong(ClockAnswer(asked: .after(Limits.ping), served: served))
        guard case .reauthor? = session.received(pong.bytes, at: .after(Limits.ping)).last else {
            Issue.record("no re-authoring")
            return
        }
        expect(session.isIdle, is: false)
    }

    @Test("the clock's error is found before the upload, and told to the re-authoring")
    func clockError() {
        var session = session([replicaA: 1], offset: .seconds(4 + 10_800), first: nil)
        open(&session, welcome([:]))
        guard case .reauthor(let request)? = session.returned(vector([replicaA: 1]), at: 300).last
        else {
            Issue.record("no re-authoring")
            return
        }
        #expect(request.error == .seconds(10_800))
    }

    @Test("a connection is pinged every 20 seconds, and given up after 45 of silence")
    func silence() {
        var session = live([:])
        expect(session.nextDeadline, is: .after(Limits.ping))
        _ = session.tick(.after(Limits.ping))
        _ = session.tick(.after(Limits.ping * 2))
        expect(session.nextDeadline, is: 200 + Limits.serverSilence)
        let effects = session.tick(200 + Limits.serverSilence)
        #expect(effects.last == .close(.silence))
        expect(session.nextDeadline, is: nil)
    }

    @Test(
        "what a server may not say ends the session",
        arguments: [
            Message.bye, .ping(sent: 0),
            .hello(Hello(versions: [.one], purpose: .sync, sent: 0, program: "")),
            .ack(Ack(replica: replicaA, head: .empty, stop: nil)),
            .request(RequestNumber(1), .revoke(digest(2))),
            // Answers to a request that the session didn't send.
            .done(RequestNumber(1)), .refused(RequestNumber(1), Refusal(.quota, "")),
        ])
    func unexpected(message: Message) {
        var session = live([:])
        let effects = session.received(message.bytes, at: 300)
        #expect(effects.last == .close(message == .bye ? .serverLeft : .malformed(.unexpected(message.type))))
        expect(session.localLogChanged(to: vector([replicaA: 1])), is: [])
    }

    @Test("a device is told where the server lists it under another group")
    func otherGroup() {
        var session = session([:])
        var other = welcome([:])
        other.group = GroupID(high: 9, low: 9)
        let effects = open(&session, other)
        #expect(effects.last == .close(.otherGroup(GroupID(high: 9, low: 9))))
    }

    @Test("a server that was restored is given the devices, revocations and epochs that it lacks")
    func records() {
        let revoked = RosterEntry(device: digest(2), isRevoked: true)
        let known = RosterEntry(device: digest(1), isRevoked: false)
        let new = RosterEntry(device: digest(3), isRevoked: false)
        let record = EpochRecord(epoch: firstEpoch, predecessor: nil, body: [1])
        let log = LocalLog(
            group: group, vector: VersionVector(), roster: [known, revoked, new], epochs: [record])
        var session = session(of: log)
        var named = welcome([:])
        named.roster = [known, RosterEntry(device: digest(2), isRevoked: false)]
        let effects = open(&session, named)
        let frames =
            Message.have(Have(vector: VersionVector(), epochs: [firstEpoch])).encoded()
            + numbered(1, .roster([revoked, new])).encoded() + numbered(2, .epoch(record)).encoded()
        #expect(effects == [.connected(named), .send(frames), .caughtUp])
    }

    @Test("what the server puts off of the devices and epochs that it lacks is given again when it says")
    func recordsLater() throws {
        let entry = RosterEntry(device: digest(3), isRevoked: false)
        let record = EpochRecord(epoch: firstEpoch, predecessor: nil, body: [1])
        let log = LocalLog(
            group: group, vector: vector([replicaA: 2]), roster: [entry], epochs: [record])
        var session = session(of: log)
        open(&session, welcome([:]))
        _ = session.returned(vector([replicaA: 2]), at: 200)
        _ = session.reauthored(vector([replicaA: 2]))
        _ = session.loaded(replicaA, try segment(Array(mine[..<2])))
        let put: [(UInt64, RefusalCode, Duration)] = [(1, .rate, 2_000), (2, .groupFull, 9_000)]
        for (number, code, wait) in put {
            let later = Refusal(code, "too much", retry: .after(wait))
            let answer = Message.refused(RequestNumber(number), later)
            expect(session.received(answer.bytes, at: 1_000), is: [])
        }
        let stop = Ack.Stop(code: .unknownEpoch)
        let refused = session.received(
            Message.ack(Ack(replica: replicaA, head: .empty, stop: stop)).bytes, at: 1_000)
        #expect(refused == [.stopped(replicaA, stop)])
        expect(session.nextDeadline, is: 9_001_000)
        let again = session.tick(9_001_000)
        let frames = numbered(3, .roster([entry])).encoded() + numbered(4, .epoch(record)).encoded()
        #expect(again == [.send(frames), .read(replicaA, from: 1, bytes: Limits.read)])
        expect(session.nextDeadline, is: .after(Limits.ping))
    }

    @Test("records that the server lacks are sent while at most 64 KiB are unsent")
    func recordsWithRoom() {
        let records = (0..<6 as Range<UInt64>).map { number in
            EpochRecord(
                epoch: EpochID(rawValue: 70 + number), predecessor: nil,
                body: [UInt8](repeating: 1, count: Limits.unsent / 2))
        }
        let frames = records.indices.map { numbered(UInt64($0 + 1), .epoch(records[$0])).encoded() }
        var session = session(of: LocalLog(group: group, vector: VersionVector(), epochs: records))
        let sent = open(&session, welcome([:])).flatMap { effect -> [UInt8] in
            if case .send(let bytes) = effect { bytes } else { [] }
        }
        let first = frames[0] + frames[1]
        #expect(Array(sent.suffix(first.count)) == first)
        expect(session.unsentBytesChanged(to: Limits.unsent + 1), is: [])
        expect(session.unsentBytesChanged(to: Limits.unsent), is: [.send(frames[2])])
        expect(session.tick(300), is: [])
        expect(session.unsentBytesChanged(to: 0), is: [.send(frames[3] + frames[4])])
        expect(session.localLogChanged(to: VersionVector()), is: [])
        expect(session.unsentBytesChanged(to: 0), is: [.send(frames[5])])
    }

    @Test("a change of the log before the welcome sends nothing, and counts from then on", arguments: 0..<3)
    func changedBeforeWelcome(step: Int) {
        var session = session([replicaA: 5])
        if step > 0 { _ = session.opened(0) }
        if step > 1 { _ = session.received(greeting(0).bytes, at: 100) }
        expect(session.localLogChanged(to: vector([replicaA: 10])), is: [])
        expect(session.unacknowledged, is: 10)
        if step < 1 { _ = session.opened(0) }
        if step < 2 { _ = session.received(greeting(0).bytes, at: 100) }
        let welcome = welcome([replicaA: 10])
        let effects = session.received(Message.welcome(welcome).bytes, at: 200)
        #expect(effects.first == .connected(welcome))
        expect(session.unacknowledged, is: 0)
    }

    /// Returns a session that sent the server this device, which the server lacked.
    private func sharing(_ device: Digest) -> ClientSession {
        let entry = RosterEntry(device: device, isRevoked: false)
        let log = LocalLog(group: group, vector: VersionVector(), roster: [entry])
        var session = session(of: log)
        open(&session, welcome([:]))
        return session
    }

    @Test("a refusal that isn't about what the session shared by itself, or is for ever, is passed on")
    func recordsRefused() {
        let shared = GroupRequest.roster([RosterEntry(device: digest(3), isRevoked: false)])
        for refusal in [Refusal(.quota, ""), Refusal(.rate, "")] {
            var session = sharing(digest(3))
            let told = session.received(Message.refused(RequestNumber(1), refusal).bytes, at: 300)
            #expect(told == [.answered(shared, refusal)])
        }
        var session = sharing(digest(3))
        _ = session.ask(.revoke(digest(4)))
        let refusal = Refusal(.rate, "", retry: .after(1))
        let told = session.received(Message.refused(RequestNumber(2), refusal).bytes, at: 300)
        #expect(told == [.answered(.revoke(digest(4)), refusal)])
    }

    @Test(
        "no server makes a session repeat what it shared at the speed of the line",
        arguments: [(0, 60_000_400), (1, 1_000_400), (7_000, 7_000_400)] as [(Duration, SteadyInstant)])
    func recordsTooSoon(wait: Duration, due: SteadyInstant) {
        var session = sharing(digest(3))
        let refusal = Refusal(.rate, "", retry: .after(wait))
        _ = session.received(Message.refused(RequestNumber(1), refusal).bytes, at: 400)
        let early = session.tick(due - .microseconds(1))
        let again = numbered(2, .roster([RosterEntry(device: digest(3), isRevoked: false)]))
        #expect(!early.contains(.send(again.encoded())))
        if due < .after(Limits.ping) { expect(session.nextDeadline, is: due) }
    }

    @Test("a device has caught up once it has the records of epochs that the welcome named")
    func awaitedEpochs() {
        let named = EpochRecord(epoch: EpochID(rawValue: 9), predecessor: firstEpoch, body: [1])
        // An epoch that is known only by its id, without a body, doesn't count.
        let known = EpochRecord(naming: named.epoch)
        let log = LocalLog(group: group, vector: VersionVector(), roster: [], epochs: [known])
        var session = session(of: log)
        var welcomed = welcome([:])
        welcomed.epochs = [named.epoch]
        let effects = open(&session, welcomed)
        let have = Message.have(Have()).encoded()
        #expect(effects == [.connected(welcomed), .send(have)])
        expect(session.received(Message.epoch(named).bytes, at: 300), is: [.epoch(named), .caughtUp])
        let next = EpochRecord(epoch: EpochID(rawValue: 10), predecessor: named.epoch, body: [2])
        let request = GroupRequest.successor(next, discounting: [firstEpoch])
        let asked = session.ask(request)
        #expect(asked == [.send(numbered(1, request).encoded())])
        let refusal = Refusal(.groupFull, "too many")
        let refused = session.received(Message.refused(RequestNumber(1), refusal).bytes, at: 400)
        #expect(refused == [.answered(request, refusal)])
    }

    @Test("enrolling comes before syncing, and what follows waits until the device is at home in its group")
    func enrolment() {
        let enrol = Enrol(token: [1], kind: .join)
        var session = ClientSession(
            .enrol(enrol), clock: ClockEstimate(offset: .zero), program: "focus", now: 0)
        _ = session.opened(0)
        let greeted = session.received(greeting(0).bytes, at: 100)
        #expect(greeted.last == .send(Message.enrol(enrol).encoded()))
        let enrolled = Enrolled(group: group, bundle: [2])
        let answers = Message.enrolled(enrolled).encoded() + Message.welcome(welcome([:])).encoded()
        expect(session.received(answers[...], at: 200), is: [.enrolled(enrolled)])
        let joined = session.joined(LocalLog(group: group, vector: VersionVector()))
        #expect(joined == [.connected(welcome([:])), have([:]), .caughtUp])
    }

    @Test("requests need a connection")
    func requests() {
        let request = GroupRequest.revoke(digest(2))
        var offline = session([:])
        guard case .answered(request, _?)? = offline.ask(request).last else {
            Issue.record("not refused")
            return
        }
        var session = live([:])
        expect(session.ask(request), is: [.send(numbered(1, request).encoded())])
        expect(session.received(Message.revoked(digest(2)).bytes, at: 300), is: [.revoked(digest(2))])
        let done = session.received(Message.done(RequestNumber(1)).bytes, at: 300)
        #expect(done == [.answered(request, nil)])
        expect(session.leave(), is: [.send(Message.bye.encoded()), .close(.finished)])
    }

    @Test("requests are counted from 1 on, and the driver gets each back with its answer")
    func requestNumbers() {
        var session = live([:])
        let requests = (1...3).map { GroupRequest.revoke(digest($0)) }
        let asked = requests.flatMap { session.ask($0) }
        #expect(
            asked == [
                .send(numbered(1, requests[0]).encoded()), .send(numbered(2, requests[1]).encoded()),
                .send(numbered(3, requests[2]).encoded()),
            ])
        let refusal = Refusal(.notAllowed, "another group's")
        let answers =
            Message.done(RequestNumber(1)).encoded() + Message.refused(RequestNumber(2), refusal).encoded()
            + Message.done(RequestNumber(3)).encoded()
        let told = session.received(answers[...], at: 300)
        #expect(
            told == [
                .answered(requests[0], nil), .answered(requests[1], refusal), .answered(requests[2], nil),
            ])
    }

    @Test(
        "a second answer to a request, or one to a request that wasn't sent yet, ends the session",
        arguments: [1, 2] as [UInt64])
    func unknownNumber(number: UInt64) {
        var session = live([:])
        _ = session.ask(.revoke(digest(2)))
        let first = session.received(Message.done(RequestNumber(1)).bytes, at: 300)
        #expect(first == [.answered(.revoke(digest(2)), nil)])
        let second = session.received(Message.done(RequestNumber(number)).bytes, at: 300)
        #expect(second.last == .close(.malformed(.unexpected(.done))))
    }

    @Test("who leaves before it has said hello says nothing")
    func leavingEarly() {
        var unopened = session([:])
        #expect(unopened.leave() == [.close(.finished)])
        var opened = session([:])
        _ = opened.opened(100)
        #expect(opened.leave() == [.send(Message.bye.encoded()), .close(.finished)])
    }
}
