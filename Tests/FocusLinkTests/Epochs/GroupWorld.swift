import ClientSupport
import FocusCore
import FocusSeal
import FocusStore
import FocusSync
import TestSupport
import Testing

@testable import FocusDevice
@testable import FocusLink

/// Laptops of one group that write and sync in any order, and a server that stores their data.
final class GroupWorld {
    /// A laptop of the group.
    final class Member {
        let context: TestContext
        let device: Device
        let log: SealedLog
        let key: AgreementKey
        let name: Digest
        let first: EpochID
        /// The devices that the server, or a record made by this laptop, has called revoked.
        var refused: Set<Digest> = []
        var acceptances: [Digest: EventID?] = [:]
        private let home = TemporaryHome()

        init(_ number: Int, group: GroupID, epoch: EpochKey, at now: SharedInstant) throws {
            context = TestContext(home: home.path, now: now, firstReplica: UInt64(number) * 1_000)
            device = try Device(context.machine)
            first = epoch.epoch
            try device.store.enter(
                group, StoredEpoch(id: first, key: epoch.secret.exposed(), predecessor: nil))
            log = try #require(try SealedLog(device.store))
            key = try AgreementKey(
                number: SecretBytes(Array(repeating: UInt8(number), count: 32)))
            name = try key.publicKey.hash()
            _ = try device.store.author(now: now) { [key, name] in
                try $0.write(
                    .device(
                        name: "laptop \(number)", key: name.hexadecimal, publicKey: key.publicKey.bytes))
            }
        }

        var naive: NaiveGroup {
            get throws {
                try NaiveGroup(
                    of: device.store, with: [first], as: name, refused: refused, acceptances: acceptances)
            }
        }

        func accept(_ key: Digest) throws {
            try device.store.accept(key)
            acceptances[key] = .some(try naive.ruling(of: key)?.event)
        }
    }

    private let group = GroupID(high: 1, low: 2)
    private var random: SeededGenerator
    private var now: SharedInstant = 1_763_661_600_000
    private(set) var members: [Member] = []
    /// The server's data: a log that it can't read, the epochs' records, and the roster.
    private let hub: Member
    private var isRevoked: [Digest: Bool] = [:]

    init(seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        hub = try Member(
            99, group: group, epoch: EpochKey(SecretBytes(Array(repeating: 9, count: 32))), at: 0)
        for number in 1...3 { try join(number, by: EpochKey(SecretBytes(Array(0..<32)))) }
    }

    /// Whether the server refuses this laptop.
    func isRefused(_ member: Member) -> Bool { isRevoked[member.name] == true }

    /// Performs a random step.
    func step() throws {
        now += .seconds(1)
        let (one, other) = (pick(), pick())
        one.context.set { $0.wall = now }
        switch Int.random(in: 0..<20, using: &random) {
        case 0...1 where members.count < 7:
            let key = try #require(try one.device.store.epochs().randomElement(using: &random))
            try join(members.count + 1, by: EpochKey(SecretBytes(key.key)))
        case 2...3 where one !== other: try write(.revoke(other.name), by: one)
        case 4: try write(.readmit(other.name), by: one)
        case 5...6: try one.device.readmit(other.name)
        case 7...8: try one.accept(other.name)
        case 9 where Int.random(in: 0..<3, using: &random) == 0: isRevoked[other.name] = true
        default: try sync(one)
        }
    }

    /// Syncs all laptops until nothing changes any more.
    func settle() throws {
        for _ in 0..<20 {
            let before = try (hub.log.vector(), hub.device.store.epochRecords(), newest)
            for member in members { try sync(member) }
            if try before == (hub.log.vector(), hub.device.store.epochRecords(), newest) { return }
        }
        Issue.record("they don't come to rest")
    }

    private var newest: [EpochID?] {
        get throws { try members.map { try $0.device.store.epochs().last?.id } }
    }

    private func pick() -> Member { members[Int.random(in: members.indices, using: &random)] }

    private func join(_ number: Int, by key: EpochKey) throws {
        let member = try Member(number, group: group, epoch: key, at: now)
        members.append(member)
        isRevoked[member.name] = false
    }

    private func write(_ action: Action, by member: Member) throws {
        _ = try member.device.store.author(now: now) { try $0.write(action) }
    }

    // MARK: - Syncing

    /// Syncs a laptop, unless the server refuses it. Changes the key if that is due.
    func sync(_ member: Member) throws {
        guard !isRefused(member) else { return }
        for entry in try member.log.local().roster {
            isRevoked[entry.device] = isRevoked[entry.device] == true || entry.isRevoked
        }
        try exchange(from: member, to: hub)
        try exchange(from: hub, to: member)
        try member.device.store.upsert(
            isRevoked.map { RosterEntry(device: $0.key, isRevoked: $0.value) })
        member.refused.formUnion(isRevoked.filter(\.value).keys)
        let ring = try look(member)
        guard let plan = try member.log.plan(ring, by: member.name), !plan.passesOver else { return }
        let older = plan.making.predecessor.epoch
        guard try !hub.device.store.epochRecords().contains(where: { $0.predecessor == older }) else {
            return
        }
        try checkPlan(plan, of: member)
        let (key, body) = try EpochBody.make(plan.making) { [self] (count) throws(SealError) in
            SecretBytes((0..<count).map { _ in UInt8.random(in: 0 ... .max, using: &random) })
        }
        try hub.log.add(EpochRecord(epoch: key.epoch, predecessor: older, body: body.bytes))
        try exchange(from: hub, to: member)
        try member.log.believe(body.bytes)
        member.refused.formUnion(body.revoked)
        _ = try look(member)
    }

    private func look(_ member: Member) throws -> KeyRing {
        let ring = try member.log.adopt(with: member.key).ring
        _ = try member.log.replaceStandings(ring)
        return ring
    }

    private func exchange(from one: Member, to other: Member) throws {
        let (has, lacks) = (try one.log.vector(), try other.log.vector())
        // The server writes no events itself, so the replicas of its store are left out.
        let own = try Set(hub.device.store.ownReplicas())
        for (replica, head) in has.heads.sorted(by: { $0.key < $1.key }) where !own.contains(replica) {
            guard head.seq > lacks[replica].seq,
                let segment = try one.log.segment(of: replica, from: lacks[replica].seq + 1, bytes: 1 << 20)
            else { continue }
            #expect(try other.log.merge(segment).stop == nil)
        }
        for record in try one.device.store.epochRecords() { try other.log.add(record) }
    }

    // MARK: - Checking

    private var names: Set<Digest> { Set(members.map(\.name)) }

    /// The laptops that have the newest epoch's key and are members by their own lists. Other laptops can't
    /// change the key.
    private var readers: [Member] {
        get throws {
            let records = try hub.device.store.epochRecords()
            let last = Set(records.map(\.epoch)).subtracting(records.compactMap(\.predecessor)).first
            return try members.filter { member in
                let newest = try member.device.store.epochs().last?.id
                return try !isRefused(member) && newest == last ?? member.first
                    && member.device.store.groupKeys()[member.name] == .member
            }
        }
    }

    private func checkPlan(_ plan: KeyRing.Plan, of member: Member) throws {
        let naive = try member.naive
        #expect(Set(plan.making.devices.keys) == names.filter { naive.status(of: $0) == .member })
        #expect(plan.making.revoked == naive.leftOut(of: names))
    }

    /// Checks each laptop's lists, the roster that it would send to a server, and the laptops that can read.
    func check() throws {
        let readers = try readers
        for member in members where !isRefused(member) {
            let keys = try member.device.store.groupKeys()
            let naive = try member.naive
            let statuses = Dictionary(uniqueKeysWithValues: names.map { ($0, naive.status(of: $0)) })
            for name in names { #expect(keys[name] == statuses[name], "\(member.name) of \(name)") }
            let roster = names.filter { statuses[$0] != .readmitted }
            let given = keys.roster.filter { names.contains($0.device) }
            #expect(Set(given.map(\.device)) == roster)
            #expect(given.allSatisfy { $0.isRevoked == (statuses[$0.device] == .revoked) })
            let firstOut = given.firstIndex { statuses[$0.device] != .member && statuses[$0.device] != .late }
            #expect(
                given[(firstOut ?? given.endIndex)...].allSatisfy {
                    ![.member, .late].contains(statuses[$0.device])
                })
            guard readers.contains(where: { $0 === member }) else { continue }
            let newest = try member.device.store.epochs().last?.id
            // By this list, every laptop that the server accepts can read if it is a member, and only then.
            for other in members where !isRefused(other) {
                let canRead = try other.device.store.epochs().last?.id == newest
                #expect(canRead == (statuses[other.name] == .member), "\(other.name) can read: \(canRead)")
            }
        }
    }

    /// Readmits and accepts, on a laptop that can read, all laptops that the server accepts. Then all of them
    /// can read.
    func letAllBackIn() throws {
        guard let reader = try readers.first else { return }
        for _ in 0..<2 {
            let keys = try reader.device.store.groupKeys()
            for member in members where !isRefused(member) && keys[member.name] != .member {
                if keys[member.name] == .revoked { try reader.device.readmit(member.name) }
                try reader.accept(member.name)
            }
            try settle()
        }
        let newest = try reader.device.store.epochs().last?.id
        for member in members where !isRefused(member) {
            #expect(try member.device.store.epochs().last?.id == newest, "\(member.name) can't read")
        }
    }
}
