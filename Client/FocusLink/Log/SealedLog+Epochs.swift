package import FocusCore
import FocusDevice
package import FocusSeal
import FocusStore
import FocusSync
import FocusText

// The group's keys.
extension SealedLog {
    /// What came of looking at the group's epochs.
    package struct Adoption {
        /// What the device makes of the epochs now.
        package let ring: KeyRing
        /// Whether this device writes under another epoch than before.
        package let isNew: Bool
        /// How many events can be read that couldn't be before.
        package let opened: Int
        /// Who turned out to have damaged events, and hadn't before, by name.
        package let damagedBy: [String]
    }

    /// Opens what can be opened by now: epochs' keys, and events that were waiting for them.
    ///
    /// - Parameter device: the device's own key; nil where it isn't at hand.
    package func adopt(with device: AgreementKey?) throws -> Adoption {
        try checkMembership()
        adoptions += 1
        let before = try store.epochs()
        var ring = try ring(device)
        if ring.order != before.map(\.id) {
            try store.atomically {
                // Another process may have been at it meanwhile.
                ring = try self.ring(device)
                try replaceEpochs(by: ring)
            }
        }
        (bad, unfounded) = (ring.bad, ring.unfounded)
        try learnKeys()
        var opened = 0
        var damaged: Set<ReplicaID> = []
        for epoch in try store.sealedEpochs() where sealer.knows(epoch) {
            let report = try store.openSealed(epoch: epoch, plain)
            opened += report.opened
            damaged.formUnion(report.damaged)
        }
        opened += try store.moveTailsAside(self, isKnown: sealer.knows, plain).count
        if opened > 0 { unreadable = nil }
        try doubt(ring)
        try follow(ring)
        return Adoption(
            ring: ring, isNew: ring.newest != before.last?.id, opened: opened,
            damagedBy: try names(ofAuthors: damaged))
    }

    /// Finds out which of the group's records can't be used.
    package func judge(with device: AgreementKey?) throws {
        let ring = try ring(device)
        (bad, unfounded) = (ring.bad, ring.unfounded)
    }

    /// Keeps an epoch's record. One that can't be used, or that anybody may have made, makes way for another one.
    package func add(_ record: EpochRecord) throws {
        let makesWay = bad.contains(record.epoch) || unfounded.contains(record.epoch)
        if makesWay, !record.body.isEmpty { try store.replace(record) } else { try store.add(record) }
    }

    /// Whom records alone say to be revoked: no server has, and nobody has taken them back.
    package func claimed(_ ring: KeyRing) throws -> Set<Digest> {
        let listed = Set(try store.devices().filter(\.isRevoked).map(\.key))
        let claimed = ring.revoked.subtracting(listed)
        return claimed.isEmpty ? [] : claimed.subtracting(try store.groupKeys().readmitted)
    }

    /// Keeps that the newest epoch may have been made by one that its record says was revoked, so that this one has its
    /// key. Whoever makes an epoch rightly tells the server before whom it shuts out.
    private func doubt(_ ring: KeyRing) throws {
        guard let newest = ring.newest, let body = ring.body(of: newest),
            try !claimed(ring).isDisjoint(with: body.revoked)
        else { return }
        try store.setText(newest.text, for: .doubtedEpoch)
    }

    /// Goes on along the line of epochs that this device has followed.
    private func follow(_ ring: KeyRing) throws {
        let line = try line
        guard let next = ring.line(after: line), next != line else { return }
        try store.setText(next.text, for: .lineEpoch)
    }

    private var line: EpochID? {
        get throws { try store.text(.lineEpoch).flatMap(EpochID.init(text:)) }
    }

    /// This laptop made the epoch: whom its record says to be revoked, is.
    package func believe(_ body: [UInt8]) throws {
        let revoked = (try? EpochBody(body))?.revoked ?? []
        try store.upsert(revoked.map { RosterEntry(device: $0, isRevoked: true) })
    }

    /// What the device makes of the epochs, which is worked out where there is another key or record than the last time.
    private func ring(_ device: AgreementKey?) throws -> KeyRing {
        let (known, records) = (try store.epochs(), try store.epochRecords())
        if let last = lastRing, last.isOf(known, records, device) { return last.ring }
        let ring = try KeyRing(
            group, known: try known.map { try EpochKey(SecretBytes($0.key)) }, records: records,
            device: device)
        ringsMade += 1
        lastRing = MadeRing(ring, of: known, records, device)
        return ring
    }

    /// Keeps the trusted keys, in their order.
    private func replaceEpochs(by ring: KeyRing) throws {
        let records = try store.epochRecords()
        let predecessors = Dictionary(uniqueKeysWithValues: records.map { ($0.epoch, $0.predecessor) })
        try store.replaceEpochs(
            with:
                ring.order.compactMap { epoch in
                    ring.keys[epoch].map { key in
                        StoredEpoch(
                            id: epoch, key: key.secret.exposed(), predecessor: predecessors[epoch] ?? nil)
                    }
                })
    }

    /// The devices that the log names whose public keys are as they should be.
    private func namedDevices(in state: ReplayState) throws -> [Digest: PublicKey] {
        var named: [Digest: PublicKey] = [:]
        for device in state.devices.values {
            guard let hash = device.key, named[hash] == nil,
                let key = device.publicKey.flatMap({ try? PublicKey($0) }), try key.hash() == hash,
                isUsable(key, hash)
            else { continue }
            named[hash] = key
        }
        return named
    }

    /// Whether the key is a point on the curve, which takes longer to find out than all else that is asked of devices.
    private func isUsable(_ key: PublicKey, _ hash: Digest) -> Bool {
        if let known = usableKeys[hash] { return known }
        if usableKeys.count >= EpochBody.deviceLimit { usableKeys = [:] }
        let isUsable = key.isOnCurve
        usableKeys[hash] = isUsable
        return isUsable
    }

    /// What the next epoch is to be; nil where the newest one may stand.
    package func plan(_ ring: KeyRing, by own: Digest) throws -> KeyRing.Plan? {
        let state = try store.state()
        let named = try namedDevices(in: state)
        let standings = try standings(ring, of: Set(named.keys), in: state)
        let keys = GroupKeys(state, try store.devices(), standings: standings)
        return try ring.plan(
            by: own, for: named.filter { keys[$0.key] == .member }, without: keys.leftOut,
            doubting: store.text(.doubtedEpoch).flatMap(EpochID.init(text:)),
            writesUnder: epochs(in: state))
    }

    /// Stores what the epochs' records say of the group's devices.
    ///
    /// - Returns: Those that wait for a person to accept them, and didn't before.
    func replaceStandings(_ ring: KeyRing) throws -> Set<Digest> {
        let state = try store.state()
        let devices = try store.devices()
        let standings = try standings(ring, of: Set(namedDevices(in: state).keys), in: state)
        let known = devices.filter { !$0.standing.isEmpty }.map { ($0.key, $0.standing) }
        if Dictionary(uniqueKeysWithValues: known) != standings {
            try store.replaceStandings(with: standings)
        }
        let late = GroupKeys(state, devices, standings: standings).late
        return late.subtracting(GroupKeys(state, devices).late)
    }

    private func standings(
        _ ring: KeyRing, of named: Set<Digest>, in state: ReplayState
    ) throws -> [Digest: EpochStanding] {
        try ring.standings(of: named, following: line, writesUnder: epochs(in: state))
    }

    /// Gives the epochs of the last events that can be read of those replicas that name a device.
    private func epochs(in state: ReplayState) -> (Digest) throws -> Set<EpochID> {
        let replicas = Dictionary(grouping: state.devices.keys) { state.devices[$0]?.key }
        return { [store] device in
            Set(try replicas[device, default: []].compactMap { try store.lastEpoch(of: $0) })
        }
    }

    /// The epochs' records as a server is given them that lacks them. An epoch that others were made after, and that has
    /// no record of its own, is named; and so is one whose record can't be used: whoever spoilt that may be this server,
    /// which another one had better not hear it from, or not the one that has it as it was. A record that anybody may
    /// have made is given to nobody: it would take room from the group's own.
    package func records() throws -> [EpochRecord] {
        let stored = try store.epochRecords().filter { !unfounded.contains($0.epoch) }
        let known = Set(stored.map(\.epoch))
        let named = Set(stored.compactMap(\.predecessor)).subtracting(known)
        return stored.map {
            EpochRecord(
                epoch: $0.epoch, predecessor: $0.predecessor, body: bad.contains($0.epoch) ? [] : $0.body)
        }
            + named.sorted().map(EpochRecord.init(naming:))
    }

    /// The names of epochs that have no record here and that a server turns out to lack. Of the epochs whose keys are
    /// here, most are a group's first one, which a server was told of when the group was brought. One under which nobody
    /// else has written isn't named: it may be another group's, and nobody could read what comes of it.
    ///
    /// - Parameter replica: The replica whose events the server refuses: the epochs that these wait for are named too.
    func namesOfKnown(refusedOf replica: ReplicaID? = nil) throws -> [EpochRecord] {
        let recorded = Set(try store.epochRecordSizes().keys).subtracting(unfounded)
        let own = Set(try store.ownReplicas())
        let shared = Set(
            try store.replicas().filter { !own.contains($0.id) }.compactMap { try store.lastEpoch(of: $0.id) }
        )
        let known = try store.epochs().map(\.id).filter { shared.contains($0) && !recorded.contains($0) }
        let waiting = try replica.map { try store.sealedEpochs(of: $0, limit: SealedLog.mostNames) } ?? []
        return (known + waiting.filter { !recorded.contains($0) }).map(EpochRecord.init(naming:))
    }

    /// How many epochs that a replica's events wait for are named at once.
    private static let mostNames = 64
}

/// A ring, and what it was made of.
struct MadeRing {
    let ring: KeyRing
    private let known: [EpochID]
    /// A hash of the records, which may be 64 MiB.
    private let records: Int
    /// The device's own key; nil where that wasn't at hand.
    private let device: PublicKey?

    init(_ ring: KeyRing, of known: [StoredEpoch], _ records: [EpochRecord], _ device: AgreementKey?) {
        self.ring = ring
        self.known = known.map(\.id)
        self.records = MadeRing.hash(records)
        self.device = device?.publicKey
    }

    /// Whether it would be the same of these.
    func isOf(_ known: [StoredEpoch], _ records: [EpochRecord], _ device: AgreementKey?) -> Bool {
        self.device == device?.publicKey && self.known == known.map(\.id)
            && self.records == MadeRing.hash(records)
    }

    /// A record's own hash would take its body byte by byte.
    private static func hash(_ records: [EpochRecord]) -> Int {
        var hasher = Hasher()
        for record in records {
            hasher.combine(record.epoch)
            hasher.combine(record.predecessor)
            record.body.withUnsafeBytes { hasher.combine(bytes: $0) }
        }
        return hasher.finalize()
    }
}
