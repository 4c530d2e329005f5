import ClientSupport
import FocusCore
import FocusSeal
import FocusStore
import FocusSync
import FocusText
import TestSupport
import Testing

@testable import FocusDevice
@testable import FocusLink

@Suite("A group's keys on a laptop")
struct AdoptionTests {
    private let home = TemporaryHome()
    private let now: SharedInstant = 1_763_661_600_000

    @Test("what can't be read yet is said, and opened once its key comes; then it is written under that")
    func opening() throws {
        let (device, log, _, _) = try member()
        let store = device.store
        let own = try TestGroup.device()
        let shutOut = try TestGroup.device(2).publicKey.hash()
        let (key, record) = try TestGroup.nextEpoch(for: own, without: [shutOut])

        let stamp = try #require(Stamp(time: now - 1_000, counter: 0))
        let event = Event(
            replica: ReplicaID(rawValue: 7), seq: 1, stamp: stamp, action: .device(name: "desk", key: nil))
        let sealed = try Sealer(group: TestGroup.id, keys: [key]).seal(event, epoch: key.epoch)
        let stored = StoredEvent(
            id: event.id, stamp: stamp, epoch: key.epoch, chain: nil, body: .sealed(sealed.body))
        _ = try store.merge([stored], acknowledged: true)
        #expect(try device.troubles(store.state(), at: now) == [.unreadable(1)])
        #expect(try log.adopt(with: own).opened == 0)

        try store.add(record)
        let adoption = try log.adopt(with: own)
        #expect(adoption.isNew)
        #expect(adoption.opened == 1)
        #expect(try store.state().devices[event.id.replica]?.name == "desk")
        #expect(try device.troubles(store.state(), at: now) == [])
        // The device that the record leaves out may itself have made the record. This stays in doubt until
        // another device says the same, or this laptop makes an epoch.
        #expect(try log.claimed(adoption.ring) == [shutOut])
        #expect(try store.text(.doubtedEpoch) == key.epoch.text)
        #expect(try store.devices() == [])
        try log.believe(record.body)
        #expect(try log.claimed(adoption.ring) == [])
        #expect(try store.devices().map(\.listing) == [RosterEntry(device: shutOut, isRevoked: true)])
        _ = try device.perform(.start(label: nil))
        let replica = try #require(try store.ownReplicas().last)
        #expect(try store.lastEpoch(of: replica) == key.epoch)
        #expect(try log.segment(of: replica, from: 1, bytes: 1 << 16) == nil)
        _ = try log.vector()
        #expect(try log.segment(of: replica, from: 1, bytes: 1 << 16) != nil)
    }

    @Test(
        "a record that somebody spoilt is asked for anew, makes way for the one that was made, and is given to nobody"
    )
    func spoilt() throws {
        let (_, log, _, first) = try member()
        let own = try TestGroup.device()
        let (key, made) = try TestGroup.nextEpoch(for: own)
        func record(_ body: [UInt8]) -> EpochRecord {
            EpochRecord(epoch: key.epoch, predecessor: first.epoch, body: body)
        }
        var spoilt = made.body
        spoilt[spoilt.count - 1] ^= 1
        try log.add(record(spoilt))
        #expect(try log.adopt(with: own).ring.bad == [key.epoch])
        #expect(try log.records() == [])
        // A connection that is opened later knows this, too.
        let later = try #require(try SealedLog(log.store))
        try later.judge(with: own)
        #expect(try later.local().epochs == [])
        #expect(try later.local().unfounded == [key.epoch: spoilt.count])

        try log.add(record([]))
        #expect(try log.adopt(with: own).ring.bad == [key.epoch])
        try log.add(made)
        let adoption = try log.adopt(with: own)
        #expect(adoption.ring.bad == [])
        #expect(adoption.ring.newest == key.epoch)
        #expect(try log.records().contains(made))
        try log.add(record(spoilt))
        #expect(try log.records().contains(made))
    }

    @Test("a member's record whose part for this laptop can't be used is named to servers, and given to none")
    func spoiltByMember() throws {
        let (_, log, _, first) = try member()
        let own = try TestGroup.device()
        let other = try TestGroup.device(2).publicKey
        let making = EpochBody.Inputs(
            group: TestGroup.id, predecessor: first, otherKeys: [],
            devices: [try own.publicKey.hash(): other],
            revoked: [])
        let (key, body) = try EpochBody.make(making, SecretBytes.random)
        try log.add(EpochRecord(epoch: key.epoch, predecessor: first.epoch, body: body.bytes))
        let ring = try log.adopt(with: own).ring
        #expect(ring.bad == [key.epoch])
        #expect(ring.unfounded == [])
        #expect(try log.records().contains(EpochRecord(epoch: key.epoch, predecessor: first.epoch, body: [])))
        #expect(try !log.records().contains { !$0.body.isEmpty })
    }

    /// Returns a laptop in the group, and a sealer that seals events as the group does.
    private func member(
        _ home: TemporaryHome? = nil
    ) throws -> (device: Device, log: SealedLog, sealer: Sealer, key: EpochKey) {
        let device = try Device(TestContext(home: (home ?? self.home).path, now: now).machine)
        try TestGroup.enter(device.store)
        let key = try TestGroup.key()
        let sealer = try Sealer(group: TestGroup.id, keys: [key])
        return (device, try #require(try SealedLog(device.store)), sealer, key)
    }

    private func event(_ replica: UInt64, _ seq: UInt64, _ action: Action) throws -> Event {
        let stamp = try #require(Stamp(time: now + .milliseconds(seq), counter: UInt16(replica)))
        return Event(replica: ReplicaID(rawValue: replica), seq: seq, stamp: stamp, action: action)
    }

    @Test(
        "what a key that is here doesn't open is said to be damaged or forged, with its author's name, once")
    func damaged() throws {
        let (device, log, sealer, key) = try member()
        /// Merges a push from the server. All events except the first `whole` ones are forged.
        func push(_ events: [Event], whole: Int = 0) throws -> SealedLog.Merged {
            let sealed = try events.enumerated().map { index, event in
                let sealed = try sealer.seal(event, epoch: key.epoch)
                var body = sealed.body
                if index >= whole { body[20] ^= 1 }
                return SealedEvent(id: sealed.id, stamp: sealed.stamp, epoch: key.epoch, body: body)
            }
            let first = try #require(events.first)
            let before = try log.chains(of: first.id.replica, at: [first.id.seq - 1]).first
            let chain = first.id.seq == 1 ? .empty : try #require(before).chain
            return try log.merge(try #require(Segment(sealed[...], chainBefore: chain)))
        }
        let desk = Action.device(name: "desk", key: nil)
        let goal = Action.set(key: "dailyGoal", value: 3)
        let first = try push([event(7, 1, desk), event(7, 2, goal), event(7, 3, goal)], whole: 1)
        #expect(first.stop == nil)
        #expect(first.damagedBy == ["desk"])
        #expect(try push([event(7, 4, goal)]).damagedBy == [])
        // The same laptop isn't reported again, even if it writes as another replica.
        #expect(try push([event(8, 1, desk), event(8, 2, goal)], whole: 1).damagedBy == [])
        #expect(try push([event(9, 1, goal)]).damagedBy == ["a laptop without a name"])
        #expect(try push([event(10, 1, goal)]).damagedBy == [])

        // A damaged event doesn't wait for a key, and replay ignores it.
        #expect(try device.troubles(device.store.state(), at: now) == [])
        #expect(try device.store.state().eventCount == 2)
        #expect(try log.adopt(with: nil).damagedBy == [])
        // A damaged event is passed on unchanged.
        let segment = try #require(try log.segment(of: ReplicaID(rawValue: 7), from: 1, bytes: 1 << 16))
        #expect(segment.count == 4)
        #expect(try #require(try SealedLog(device.store)).merge(segment).damagedBy == [])
        let doctor = TestContext(home: home.path, now: now, screen: .init(columns: 500)).run("doctor")
        #expect(
            doctor.output.contains(
                "Damaged or forged, and left out on every laptop: 2 changes of a laptop without a name, 4 changes of desk."
            ))
    }

    @Test("what waits beside the log for its key is counted by the doctor") func aside() throws {
        let (_, log, sealer, key) = try member()
        let sealed = try (1...3 as ClosedRange<UInt64>).map { seq in
            let goal = Action.set(key: "dailyGoal", value: 3)
            let sealed = try sealer.seal(event(7, seq, goal), epoch: key.epoch)
            return SealedEvent(
                id: sealed.id, stamp: sealed.stamp, epoch: EpochID(rawValue: 99), body: sealed.body)
        }
        #expect(try log.merge(try #require(Segment(sealed[...], chainBefore: .empty))).stop == nil)
        let replica = ReplicaID(rawValue: 7)
        let second = try #require(try log.chains(of: replica, at: [2]).first)
        _ = try log.moveBranch(of: replica, from: second)
        let doctor = TestContext(home: home.path, now: now, screen: .init(columns: 500)).run("doctor")
        #expect(doctor.output.contains("2 changes that the server has in another version"))
    }

    @Test(
        "an epoch is doubted where its record alone says who was revoked, not where the server said so before"
    )
    func doubting() throws {
        for isListed in [false, true] {
            let home = TemporaryHome()
            let (device, log, _, _) = try member(home)
            let own = try TestGroup.device()
            let other = try TestGroup.device(2).publicKey.hash()
            if isListed { try device.store.upsert([RosterEntry(device: other, isRevoked: true)]) }
            let (key, record) = try TestGroup.nextEpoch(for: own, without: [other])
            try device.store.add(record)
            _ = try log.adopt(with: own)
            #expect(try device.store.text(.doubtedEpoch) == (isListed ? nil : key.epoch.text))
        }
    }

    @Test(
        "a server that refuses events is told the names of the epochs that they wait for, and no server before"
    )
    func namedEpochs() throws {
        let (device, log, _, _) = try member()
        let named = EpochID(rawValue: 5)
        let stamp = try #require(Stamp(time: now, counter: 0))
        let waiting = StoredEvent(
            id: EventID(replica: ReplicaID(rawValue: 7), seq: 1), stamp: stamp, epoch: named, chain: nil,
            body: .sealed([UInt8](repeating: 1, count: SealedEvent.bodyMinimum)))
        #expect(try log.records() == [])
        _ = try device.store.merge([waiting], acknowledged: false)
        #expect(try log.records() == [])
        #expect(try log.namesOfKnown() == [])
        #expect(try log.namesOfKnown(refusedOf: waiting.id.replica) == [EpochRecord(naming: named)])
    }

    @Test("what waits for a key and isn't opened by it is said then; wrong padding is as bad as a wrong seal")
    func damagedLater() throws {
        let (device, log, sealer, key) = try member()
        let padded = try sealer.seal(event(7, 1, .set(key: "dailyGoal", value: 3)), epoch: key.epoch)
        let stored = StoredEvent(
            id: padded.id, stamp: padded.stamp, epoch: key.epoch, chain: nil,
            body: .sealed(Array(padded.body.dropLast())))
        _ = try device.store.merge([stored], acknowledged: true)
        #expect(try device.troubles(device.store.state(), at: now) == [.unreadable(1)])
        let adoption = try log.adopt(with: nil)
        #expect(adoption.opened == 0)
        #expect(adoption.damagedBy == ["a laptop without a name"])
        #expect(try device.troubles(device.store.state(), at: now) == [])
    }

    @Test("two laptops that move a tail with a damaged event make the same branch")
    func damagedBranch() throws {
        var vectors: [VersionVector] = []
        for _ in 0..<2 {
            let home = TemporaryHome()
            let (device, log, sealer, key) = try member(home)
            let goal = Action.set(key: "dailyGoal", value: 3)
            let sealed = try (1...4 as ClosedRange<UInt64>).map { seq in
                let event = try sealer.seal(event(7, seq, goal), epoch: key.epoch)
                let body = seq == 3 ? Array(repeating: 5, count: 80) : event.body
                return SealedEvent(id: event.id, stamp: event.stamp, epoch: key.epoch, body: body)
            }
            _ = try log.merge(try #require(Segment(sealed[...], chainBefore: .empty)))
            #expect(try log.moveTail(of: ReplicaID(rawValue: 7), from: 2) == 3)
            vectors.append(try log.vector())
            // The branch can be sent: every event is sealed again.
            let branch = try #require(vectors[0].heads.keys.first { $0.rawValue != 7 })
            #expect(try log.segment(of: branch, from: 1, bytes: 1 << 16)?.count == 3)
            // The damaged event has an empty plain encoding there.
            let moved = try device.store.storedEvents(of: branch, from: 1)
            #expect(moved.map { $0.event?.action.encoded() } == [goal.encoded(), [], goal.encoded()])
        }
        #expect(vectors[0] == vectors[1])
    }
}
