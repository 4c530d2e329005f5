import FocusSeal
import FocusStore
import TestSupport
import Testing

@testable import FocusCore
@testable import FocusDevice
@testable import FocusLink

@Suite("What a laptop makes of its group's epochs")
struct KeyRingTests {
    private let group = TestGroup.id
    private let first: EpochKey
    private let devices: [AgreementKey]
    private let names: [Digest]

    init() throws {
        first = try TestGroup.key()
        devices = try (1...4).map { try TestGroup.device($0) }
        names = try devices.map { try $0.publicKey.hash() }
    }

    private func publicKeys(_ numbers: [Int]) -> [Digest: PublicKey] {
        Dictionary(uniqueKeysWithValues: numbers.map { (names[$0], devices[$0].publicKey) })
    }

    /// Returns a new epoch's key and record.
    private func epoch(
        after predecessor: EpochKey, beside: [EpochKey] = [], for members: [Int], without revoked: [Int] = []
    ) throws -> (key: EpochKey, record: EpochRecord) {
        let making = EpochBody.Inputs(
            group: group, predecessor: predecessor, otherKeys: beside, devices: publicKeys(members),
            revoked: Set(revoked.map { names[$0] }))
        let (key, body) = try EpochBody.make(making, SecretBytes.random)
        return (key, EpochRecord(epoch: key.epoch, predecessor: predecessor.epoch, body: body.bytes))
    }

    private func ring(
        _ known: [EpochKey], _ records: [EpochRecord], device: Int = 0
    ) throws -> KeyRing {
        try KeyRing(group, known: known, records: records, device: devices[device])
    }

    /// Returns the plan for the next epoch, as the first device sees it; nil if none is due.
    private func plan(
        _ ring: KeyRing, for members: [Int], without revoked: [Int] = [], writing: [Int: EpochKey] = [:],
        accepting accepted: [Int] = [], readmitting readmitted: [Int] = [], doubting doubted: EpochKey? = nil,
        following line: EpochKey? = nil
    ) -> KeyRing.Plan? {
        func writesUnder(_ name: Digest) -> Set<EpochID> {
            Set(writing.filter { names[$0.key] == name }.map(\.value.epoch))
        }
        let position = Position(stamp: Stamp(rawValue: 1 << 16), replica: ReplicaID(rawValue: 1))
        let rulings = Dictionary(
            uniqueKeysWithValues: readmitted.map {
                (names[$0], Ruling(isRevoked: false, position: position))
            })
        let listed = Set(revoked + accepted).map { number in
            let stamp = readmitted.contains(number) ? position.stamp : .zero
            return GroupDevice(
                RosterEntry(device: names[number], isRevoked: revoked.contains(number)),
                accepted: accepted.contains(number) ? stamp : nil)
        }
        let named = publicKeys(members)
        let keys = KeyStatuses(
            naming: Set(named.keys), rulings, listed,
            standings: ring.standings(
                of: Set(named.keys), following: line?.epoch, writesUnder: writesUnder))
        return ring.plan(
            by: names[0], for: named.filter { keys[$0.key] == .member }, without: keys.leftOut,
            doubting: doubted?.epoch, writesUnder: writesUnder)
    }

    /// Returns the devices that write only under outdated epochs.
    private func outdated(
        _ ring: KeyRing, _ named: [Digest], writesUnder: (Digest) -> Set<EpochID>
    ) -> Set<Digest> {
        let standings = ring.standings(of: Set(named), writesUnder: writesUnder)
        return Set(standings.filter { $0.value.contains(.outdated) }.keys)
    }

    @Test("a laptop that was away for several epochs gets to the newest, in whatever order the records came")
    func away() throws {
        let second = try epoch(after: first, for: [0, 1])
        let third = try epoch(after: second.key, for: [0, 1], without: [2])
        let fourth = try epoch(after: third.key, for: [0, 1], without: [2, 3])
        let records = [fourth.record, second.record, third.record]
        let ring = try ring([first], records)
        #expect(ring.order == [first, second.key, third.key, fourth.key].map(\.epoch))
        #expect(ring.revoked == [names[2], names[3]])
        #expect(ring.bad.isEmpty)
        // A revoked device gets no further than the key that it had.
        #expect(try self.ring([first, second.key], records, device: 2).newest == second.key.epoch)
    }

    @Test("whom any trusted record names is revoked, whichever others name it too", arguments: 0..<32)
    func revokedAnywhere(choice: Int) throws {
        // The devices that each of three records names as revoked. The last two records follow the same one.
        let named = [choice & 1, (choice >> 1) & 3, choice >> 3].map { choice in
            [1, 2, 3].filter { choice & (1 << ($0 - 1)) != 0 }
        }
        let second = try epoch(after: first, for: [0], without: named[0])
        let third = try epoch(after: second.key, for: [0], without: named[1])
        let beside = try epoch(after: second.key, for: [0], without: named[2])
        let ring = try ring([first], [second.record, third.record, beside.record])
        #expect(ring.keys.count == 4)
        #expect(ring.revoked == Set(named.joined().map { names[$0] }))
    }

    @Test("a laptop that joined with an older key gets in by the record that was made for it") func joiner()
        throws
    {
        let second = try epoch(after: first, for: [0, 1])
        #expect(try ring([first], [second.record], device: 2).newest == first.epoch)
        let third = try epoch(after: second.key, for: [0, 1, 2])
        let joined = try ring([first], [second.record, third.record], device: 2)
        #expect(joined.order == [first, second.key, third.key].map(\.epoch))
        // While a record in between is missing, nothing can be decided.
        let waiting = try ring([first], [third.record], device: 2)
        #expect(waiting.newest == first.epoch)
        #expect(waiting.bad.isEmpty)
    }

    @Test("a laptop that joined with the newest key reads everything older") func older() throws {
        let second = try epoch(after: first, for: [0])
        let third = try epoch(after: second.key, for: [0])
        let joined = try ring([third.key], [second.record, third.record], device: 3)
        #expect(joined.order == [first, second.key, third.key].map(\.epoch))
    }

    @Test("a record that nobody of the group made, or that was damaged, is bad, and changes nothing")
    func bad() throws {
        let forger = try EpochKey.random()
        let forged = try epoch(after: forger, for: [0, 1])
        #expect(try ring([first], [forged.record]).newest == first.epoch)
        let named = EpochRecord(
            epoch: forged.key.epoch, predecessor: first.epoch, body: forged.record.body)
        let second = try epoch(after: first, for: [0, 1])
        var body = second.record.body
        body[body.count - 1] ^= 1
        let unproven = EpochRecord(epoch: second.key.epoch, predecessor: first.epoch, body: body)
        let junk = EpochRecord(epoch: EpochID(rawValue: 5), predecessor: first.epoch, body: [1, 2, 3])
        let ring = try ring([first], [named, unproven, junk])
        #expect(ring.newest == first.epoch)
        #expect(Set(ring.keys.keys) == [first.epoch], "nor is a key of it kept")
        #expect(ring.bad == [forged.key.epoch, second.key.epoch, junk.epoch])
        // Bad records don't keep the group from changing its key.
        let plan = try #require(self.plan(ring, for: [0, 1], without: [2]))
        #expect(Set(plan.discounted) == ring.bad)
    }

    @Test("a record is bad wherever it was damaged, also for whom it was not made for") func damagedAnywhere()
        throws
    {
        let second = try epoch(after: first, for: [0, 1])
        let third = try epoch(after: second.key, for: [0])
        for place in second.record.body.indices {
            var body = second.record.body
            body[place] ^= 1
            let damaged = EpochRecord(epoch: second.key.epoch, predecessor: first.epoch, body: body)
            #expect(try ring([first], [damaged]).bad == [damaged.epoch], "byte \(place)")
            #expect(try ring([first], [damaged], device: 2).bad == [damaged.epoch], "byte \(place)")
            // Also if the next record leads to the key of the damaged one.
            let joined = try ring([third.key], [damaged, third.record], device: 3)
            #expect(joined.bad == [damaged.epoch] || joined.keys[first.epoch] == nil, "byte \(place)")
        }
        #expect(try ring([first], [second.record]).bad.isEmpty)
        #expect(try ring([first], [second.record], device: 2).bad.isEmpty)
    }

    @Test("of two successors every laptop takes the same, and the next epoch has both keys") func fork()
        throws
    {
        let forks = try [epoch(after: first, for: [0, 1]), epoch(after: first, for: [0, 1])]
        let smaller = try #require(forks.map(\.key.epoch).min())
        for records in [forks, forks.reversed()] {
            #expect(try ring([first], records.map(\.record), device: 1).newest == smaller)
        }
        let ring = try ring([first], forks.map(\.record))
        let plan = try #require(self.plan(ring, for: [0, 1]))
        #expect(plan.making.predecessor.epoch == smaller)
        let other = try #require(forks.map(\.key).max { $0.epoch < $1.epoch })
        #expect(plan.making.otherKeys == [other])
        let next = try epoch(after: plan.making.predecessor, beside: plan.making.otherKeys, for: [0, 1])
        let mended = try self.ring([first], forks.map(\.record) + [next.record])
        #expect(mended.newest == next.key.epoch)
        #expect(self.plan(mended, for: [0, 1]) == nil)
        // A device that joins with the next epoch's key gets all keys.
        let joined = try self.ring([next.key], forks.map(\.record) + [next.record], device: 2)
        #expect(Set(joined.keys.values) == Set([first, next.key] + forks.map(\.key)))
    }

    @Test("the key is changed for a revocation that came after it, and for nothing else") func revocation()
        throws
    {
        let start = try ring([first], [])
        #expect(plan(start, for: [0, 1, 2]) == nil)
        let due = try #require(plan(start, for: [0, 1, 2], without: [2]))
        #expect(
            due.making.devices.keys.sorted { $0.precedes($1) }
                == [names[0], names[1]].sorted { $0.precedes($1) })
        #expect(due.making.revoked == [names[2]])
        let second = try epoch(after: first, for: [0, 1], without: [2])
        let changed = try ring([first], [second.record])
        #expect(plan(changed, for: [0, 1, 2], without: [2]) == nil)
        // The revocation in the record is valid although the server has forgotten it.
        #expect(plan(changed, for: [0, 1, 2]) == nil)
        let again = try #require(plan(changed, for: [0, 1, 2], without: [1]))
        #expect(again.making.revoked == [names[1], names[2]])
        // A device that no record has named may have had the key, too.
        #expect(plan(changed, for: [0, 1], without: [2, 3]) != nil)
    }

    @Test("the key is changed for a laptop that hasn't got it, and not for one that has") func newcomer()
        throws
    {
        let second = try epoch(after: first, for: [0, 1])
        let ring = try ring([first], [second.record])
        #expect(plan(ring, for: [0, 1, 2]) != nil)
        #expect(plan(ring, for: [0, 1, 2], writing: [2: second.key]) == nil)
    }

    @Test(
        "who first shows up with a key from before a revocation gets no newer one until somebody accepts it")
    func latecomer() throws {
        let second = try epoch(after: first, for: [0, 1], without: [2])
        let ring = try ring([first], [second.record])
        let sleeper = [3: first]
        #expect(plan(ring, for: [0, 1, 3], writing: sleeper) == nil)
        // The next epoch, made for another reason, leaves out the latecomer too.
        let next = try #require(plan(ring, for: [0, 1, 3], without: [1], writing: sleeper))
        #expect(Set(next.making.devices.keys) == [names[0]])
        let accepted = try #require(plan(ring, for: [0, 1, 3], writing: sleeper, accepting: [3]))
        #expect(Set(accepted.making.devices.keys) == [names[0], names[1], names[3]])
        // Accepting a device doesn't take back its revocation.
        #expect(
            plan(ring, for: [0, 1, 3], without: [3], writing: sleeper, accepting: [3])?.making.devices.count
                == 2)
        // Each revocation counts from its own epoch on.
        let third = try epoch(after: second.key, for: [0], without: [1, 2])
        let later = try self.ring([first], [second.record, third.record])
        for (key, late) in [(third.key, []), (second.key, [names[3]]), (first, [names[3]])] {
            #expect(
                outdated(later, [names[0], names[3]]) { _ in [key.epoch] } == Set(late)
            )
        }
        // A device that a record was made for needn't be accepted, unless the record is from before a
        // revocation. The revoked device may have made such a record, and named another key of its own in it.
        let known = try epoch(after: first, for: [0, 1, 3])
        let fork = try self.ring([first], [second.record, known.record])
        #expect(plan(fork, for: [0, 1, 3], writing: sleeper)?.making.devices.count == 3)
        for named in [[2], [1, 2]] {
            let made = try epoch(after: known.key, for: [0, 1, 3], without: named)
            let changed = try epoch(after: made.key, for: [0], without: [1, 2])
            let again = try self.ring([first], [known.record, made.record, changed.record])
            for key in [first, known.key, made.key] {
                #expect(plan(again, for: [0, 3], writing: [3: key]) == nil)
            }
        }
    }

    @Test("an epoch that names as revoked who may have made it, is followed by another one") func doubted()
        throws
    {
        let second = try epoch(after: first, for: [0, 1], without: [2])
        let ring = try ring([first], [second.record])
        #expect(plan(ring, for: [0, 1]) == nil)
        let next = try #require(plan(ring, for: [0, 1], doubting: second.key))
        #expect(next.making.predecessor == second.key)
        #expect(next.making.revoked == [names[2]])
        let third = try epoch(after: second.key, for: [0, 1], without: [2])
        let mended = try self.ring([first], [second.record, third.record])
        #expect(plan(mended, for: [0, 1], doubting: second.key) == nil)
    }

    @Test("who is in an epoch that came beside the newest one is not in for that, and shuts nobody out by it")
    func beside() throws {
        let second = try epoch(after: first, for: [0, 1], without: [2])
        // A device that was away makes an epoch of its own after an older one.
        let other = try epoch(after: first, for: [0, 1, 3])
        let third = try epoch(after: other.key, for: [0, 3], without: [2])
        let ring = try ring([first], [second.record, other.record, third.record])
        #expect(ring.line(after: first.epoch) == third.key.epoch)
        #expect(ring.line(after: second.key.epoch) == second.key.epoch)
        for key in [first, other.key, third.key] {
            let next = try #require(plan(ring, for: [0, 1, 3], writing: [3: key], following: second.key))
            #expect(next.making.otherKeys == [second.key])
            #expect(Set(next.making.devices.keys) == [names[0], names[1]])
        }
        let both = try epoch(after: third.key, beside: [second.key], for: [0, 1], without: [2])
        let mended = try self.ring(
            [first], [second.record, other.record, third.record, both.record])
        #expect(mended.line(after: second.key.epoch) == both.key.epoch)
        #expect(plan(mended, for: [0, 1, 3], writing: [3: third.key], following: both.key) == nil)
    }

    @Test(
        "others are waited for three minutes before their epoch is passed over, and twice as long each time")
    func passingOver() throws {
        let waiting = EpochWait.current(nil, at: first.epoch, now: 1_000)
        #expect(waiting == EpochWait(newest: first.epoch, since: 1_000, count: 0))
        #expect(waiting.remaining(at: 1_000) == .seconds(180))
        #expect(waiting.remaining(at: 181_000) == .zero)
        #expect(waiting.next.remaining(at: 1_000) == .seconds(360))
        #expect(EpochWait(waiting.next.text) == waiting.next)
        #expect(EpochWait("x 1 2") == nil)
        #expect(EpochWait(nil) == nil)
        // For another epoch, or if the clock has gone back, the wait begins again. The count goes on.
        #expect(EpochWait.current(waiting.next, at: EpochID(rawValue: 1), now: 9).since == 9)
        #expect(EpochWait.current(waiting.next, at: first.epoch, now: 9).since == 9)
        #expect(EpochWait.current(waiting.next, at: first.epoch, now: 9).count == 1)
        #expect(EpochWait.current(waiting.next, at: first.epoch, now: 9_000) == waiting.next)
        let endless = EpochWait(newest: first.epoch, since: 0, count: .max)
        #expect(endless.remaining(at: .distantFuture) == .zero)
        #expect(endless.next.remaining(at: 0) == endless.remaining(at: 0))
    }

    @Test("who is named under the newest key by somebody else gets it all the same") func namedByAnother()
        throws
    {
        let second = try epoch(after: first, for: [0, 1])
        let ring = try ring([first], [second.record])
        let next = ring.plan(by: names[0], for: publicKeys([0, 1, 2]), without: []) { name in
            name == names[2] ? [first.epoch, second.key.epoch] : [second.key.epoch]
        }
        #expect(next?.making.devices[names[2]] != nil)
    }

    @Test("whose revocation was taken back is in no later record as revoked, and the key stays for that")
    func readmission() throws {
        let second = try epoch(after: first, for: [0, 1], without: [2])
        let ring = try ring([first], [second.record])
        #expect(plan(ring, for: [0, 1], readmitting: [2]) == nil)
        let next = try #require(plan(ring, for: [0, 1], without: [3], readmitting: [2]))
        #expect(next.making.revoked == [names[3]])
        // A device that no record names as revoked had the key. It may have readmitted itself before it was
        // revoked.
        let early = try #require(plan(ring, for: [0, 1], readmitting: [3]))
        #expect(early.making.revoked == [names[2], names[3]])
        // A readmitted device gets no key before a person accepts it.
        #expect(plan(ring, for: [0, 1, 2], writing: [2: first], readmitting: [2]) == nil)
        let back = plan(ring, for: [0, 1, 2], writing: [2: first], accepting: [2], readmitting: [2])
        #expect(Set(try #require(back).making.devices.keys) == Set(names[0...2]))
        // Then the other laptops count it as a member too, until it is revoked again.
        let third = try epoch(after: second.key, for: [0, 1, 2])
        let later = try self.ring([first], [second.record, third.record])
        #expect(plan(later, for: [0, 1, 2], writing: [2: first], readmitting: [2]) == nil)
        let after = try #require(plan(later, for: [0, 1, 2], without: [3], readmitting: [2]))
        #expect(Set(after.making.devices.keys) == Set(names[0...2]))
        let fourth = try epoch(after: third.key, for: [0, 1], without: [2])
        let again = try self.ring([first], [second.record, third.record, fourth.record])
        #expect(plan(again, for: [0, 1, 2], writing: [2: third.key], readmitting: [2]) == nil)
    }

    @Test("of two names that a laptop has in the log, the one with the newer key counts") func twoReplicas()
        throws
    {
        let second = try epoch(after: first, for: [0, 1], without: [2])
        let ring = try ring([first], [second.record])
        let late = outdated(ring, names) { name in
            name == names[3] ? [first.epoch, second.key.epoch] : [first.epoch]
        }
        #expect(late == [names[2]])
    }

    @Test(
        "whom a new epoch is made for, and none before it, is new; in a group's first record, whom the log doesn't name"
    )
    func newcomers() throws {
        let second = try epoch(after: first, for: [0, 1, 2])
        let third = try epoch(after: second.key, for: [0, 1, 3], without: [2])
        let fourth = try epoch(after: third.key, for: [0, 1, 2, 3])
        let ring = try ring([first], [second.record, third.record, fourth.record])
        let named = Set([0, 1].map { names[$0] })
        #expect(ring.newcomers(since: first.epoch, named: named) == [names[2], names[3]])
        #expect(ring.newcomers(since: second.key.epoch, named: named) == [names[3]])
        // A device that the log names is a newcomer too, if a later epoch is the first one made for it.
        #expect(ring.newcomers(since: first.epoch, named: Set(names)) == [names[3]])
        // A device that was in before is no newcomer, although an epoch left it out.
        #expect(ring.newcomers(since: third.key.epoch, named: named) == [])
        #expect(ring.newcomers(since: fourth.key.epoch, named: []) == [])
    }

    @Test(
        "an epoch that was made for others alone is passed over in the end, as is one for nobody who is left")
    func bystanders() throws {
        let second = try epoch(after: first, for: [1])
        let ring = try ring([first], [second.record])
        #expect(plan(ring, for: [0, 1]) == nil)
        let due = try #require(plan(ring, for: [0, 1], without: [2]))
        #expect(due.discounted == [second.key.epoch])
        #expect(due.passesOver)
        // A device that isn't in the log makes no plan.
        #expect(plan(try self.ring([first], []), for: [1], without: [2]) == nil)
        let stolen = try epoch(after: first, for: [2])
        let other = try self.ring([first], [stolen.record])
        #expect(plan(other, for: [0, 1, 2]) == nil)
        let next = try #require(plan(other, for: [0, 1, 2], without: [2]))
        #expect(next.discounted == [stolen.key.epoch])
        #expect(!next.passesOver)
    }

    @Test("what nobody of the group made is not waited for, whomever it names") func forgedForOthers() throws
    {
        let forged = try epoch(after: first, for: [1])
        var body = forged.record.body
        body[body.count - 1] ^= 1
        let unproven = EpochRecord(epoch: forged.key.epoch, predecessor: first.epoch, body: body)
        let next = try #require(plan(try ring([first], [unproven]), for: [0, 1], without: [2]))
        #expect(next.discounted == [forged.key.epoch])
        #expect(!next.passesOver)
    }

    @Test(
        "whose part of a record a member spoilt goes on without it after a while, and is with the others again"
    )
    func spoiltPart() throws {
        // The key is wrapped to another device's key, under this device's name.
        let making = EpochBody.Inputs(
            group: group, predecessor: first, otherKeys: [],
            devices: [names[0]: devices[3].publicKey, names[1]: devices[1].publicKey], revoked: [])
        // Records are checked in the order of their ids. So this one is checked, and found bad, before its
        // key arrives.
        let made = try (0..<16).map { _ in try EpochBody.make(making, SecretBytes.random) }
        let (key, body) = try #require(made.min { $0.0.epoch < $1.0.epoch })
        let spoilt = EpochRecord(epoch: key.epoch, predecessor: first.epoch, body: body.bytes)
        let alone = try ring([first], [spoilt])
        #expect(alone.newest == first.epoch)
        #expect(alone.bad == [key.epoch])
        let due = try #require(plan(alone, for: [0, 1]))
        #expect(due.discounted == [key.epoch])
        #expect(due.passesOver)

        let own = try epoch(after: first, for: [0, 1])
        let other = try ring([first], [spoilt, own.record], device: 1)
        let next = try #require(
            other.plan(by: names[1], for: publicKeys([0, 1]), without: []) { _ in [] })
        let successors = try (0..<16).map { _ in try EpochBody.make(next.making, SecretBytes.random) }
        let (newest, both) = try #require(successors.max { $0.0.epoch < $1.0.epoch })
        try #require(key.epoch < newest.epoch)
        let third = EpochRecord(
            epoch: newest.epoch, predecessor: next.making.predecessor.epoch, body: both.bytes)
        let records = [third, spoilt, own.record]
        let (here, there) = (try ring([first, own.key], records), try ring([first], records, device: 1))
        #expect(here.newest == newest.epoch)
        #expect(here.order == there.order)
        #expect(here.bad.isEmpty)
        #expect(plan(here, for: [0, 1]) == nil)
    }

    @Test("whose part a member spoilt of a record that follows others alone goes on without it, too")
    func spoiltFurtherOn() throws {
        let second = try epoch(after: first, for: [1])
        let making = EpochBody.Inputs(
            group: group, predecessor: second.key, otherKeys: [],
            devices: [names[0]: devices[3].publicKey, names[1]: devices[1].publicKey], revoked: [])
        let (key, body) = try EpochBody.make(making, SecretBytes.random)
        let spoilt = EpochRecord(epoch: key.epoch, predecessor: second.key.epoch, body: body.bytes)
        let records = [second.record, spoilt]
        // The others can read under this epoch, and see no problem.
        let other = try ring([first], records, device: 1)
        #expect(other.newest == key.epoch)
        let others = other.plan(
            by: names[1], for: publicKeys([0, 1]), without: []
        ) { _ in [] }
        #expect(others == nil)

        let due = try #require(plan(try ring([first], records), for: [0, 1]))
        #expect(due.discounted == [second.key.epoch])
        #expect(due.passesOver)
        #expect(due.making.predecessor == first)
        // An epoch that a server may have made up isn't passed over: it doesn't follow an epoch made by a
        // member.
        #expect(plan(try ring([first], [spoilt]), for: [0, 1]) == nil)
        var forged = second.record.body
        forged[forged.count - 1] ^= 1
        let unproven = EpochRecord(epoch: second.key.epoch, predecessor: first.epoch, body: forged)
        #expect(plan(try ring([first], [unproven, spoilt]), for: [0, 1]) == nil)
    }

    @Test("a member that makes records follow each other in a circle holds nobody up") func circle() throws {
        let one = try EpochKey.random()
        let two = try EpochKey.random()
        // Records can name each other if their keys are drawn in advance.
        func record(_ key: EpochKey, after other: EpochKey) throws -> EpochRecord {
            let making = EpochBody.Inputs(
                group: group, predecessor: other, otherKeys: [], devices: publicKeys([0]), revoked: [])
            var isFirst = true
            let (made, body) = try EpochBody.make(making) { (count) throws(SealError) in
                defer { isFirst = false }
                return isFirst ? key.secret : try SecretBytes.random(count: count)
            }
            return EpochRecord(epoch: made.epoch, predecessor: other.epoch, body: body.bytes)
        }
        let records = try [record(one, after: two), record(two, after: one)]
        #expect(try ring([first], records).newest == first.epoch)
        let among = try ring([first, one], records)
        #expect(among.order.count == 3)
    }
}
