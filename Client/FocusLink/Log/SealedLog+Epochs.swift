package import FocusCore
import FocusDevice
package import FocusSeal
package import FocusStore
import FocusSync
import FocusText

// The group's keys.
extension SealedLog {
    /// The result of processing the group's epochs.
    package struct Adoption {
        /// The device's view of the epochs now.
        package let ring: KeyRing
        /// Whether this device writes under another epoch than before.
        package let isNew: Bool
        /// The number of events that became readable.
        package let opened: Int
        /// The names of the devices that turned out to have damaged events and had none before.
        package let damagedBy: [String]
    }

    /// Opens what can be opened now: epoch keys, and events that waited for them.
    ///
    /// - Parameter device: The device's own key; nil if it isn't available.
    package func adopt(with device: AgreementKey?) throws(StoreError) -> Adoption {
        try checkMembership()
        let before = try store.epochs()
        var ring = try ring(device)
        if ring.order != before.map({ $0.id }) {
            try store.atomically { () throws(StoreError) in
                // Another process may have changed the epochs meanwhile.
                ring = try self.ring(device)
                try replaceEpochs(by: ring)
            }
        }
        (bad, unfounded) = (ring.bad, ring.unfounded)
        try learnKeys()
        var opened = 0
        var damaged: Set<ReplicaID> = []
        for epoch in try store.sealedEpochs() where sealer.hasKey(epoch) {
            let report = try store.openSealed(epoch: epoch, plain)
            opened += report.opened
            damaged.formUnion(report.damaged)
        }
        opened += try store.moveTailsAside(self, isKnown: sealer.hasKey, plain).count
        if opened > 0 { unreadable = nil }
        try doubt(ring)
        try follow(ring)
        return Adoption(
            ring: ring, isNew: ring.newest != before.last?.id, opened: opened,
            damagedBy: try names(ofAuthors: damaged))
    }

    /// Determines which of the group's records are bad or unfounded.
    package func judge(with device: AgreementKey?) throws(StoreError) {
        let ring = try ring(device)
        (bad, unfounded) = (ring.bad, ring.unfounded)
    }

    /// Stores an epoch's record. A record with a body replaces one that is bad or unfounded.
    package func add(_ record: EpochRecord) throws(StoreError) {
        let makesWay = bad.contains(record.epoch) || unfounded.contains(record.epoch)
        if makesWay, !record.body.isEmpty { try store.replace(record) } else { try store.add(record) }
    }

    /// Returns the devices that only records call revoked: no server does, and nobody readmitted them.
    package func claimed(_ ring: KeyRing) throws(StoreError) -> Set<Digest> {
        let listed = Set(try store.devices().filter { $0.isRevoked }.map { $0.key })
        let claimed = ring.revoked.subtracting(listed)
        return claimed.isEmpty ? [] : claimed.subtracting(try store.groupKeys().readmitted)
    }

    /// Records a doubt about the newest epoch if its maker may be a device that the record itself calls
    /// revoked. That device would have the key. An honest maker tells the server about a revocation before it
    /// makes the epoch.
    private func doubt(_ ring: KeyRing) throws(StoreError) {
        guard let newest = ring.newest, let body = ring.body(of: newest),
            try !claimed(ring).isDisjoint(with: body.revoked)
        else { return }
        try store.setText(newest.text, for: .doubtedEpoch)
    }

    /// Records the newest epoch that follows the one in `line`. Epochs on another branch don't count
    /// (`KeyRing.line`).
    private func follow(_ ring: KeyRing) throws(StoreError) {
        let line = try line
        guard let next = ring.line(after: line), next != line else { return }
        try store.setText(next.text, for: .lineEpoch)
    }

    /// The newest epoch on the line that this device has followed; nil if it has followed none yet.
    private var line: EpochID? {
        get throws(StoreError) { try store.text(.lineEpoch).flatMap(EpochID.init(text:)) }
    }

    /// Records as revoked the devices that an epoch's record names as revoked. To be called only for an epoch
    /// that this laptop made.
    package func believe(_ body: [UInt8]) throws(StoreError) {
        let revoked = (try? EpochBody(body))?.revoked ?? []
        try store.upsert(revoked.map { RosterEntry(device: $0, isRevoked: true) })
    }

    /// Returns the device's view of the epochs. It is cached until a key or record changes.
    private func ring(_ device: AgreementKey?) throws(StoreError) -> KeyRing {
        let (known, records) = (try store.epochs(), try store.epochRecords())
        if let last = lastRing, last.isOf(known, records, device) { return last.ring }
        let ring = try StoreError.sealing { () throws(SealError) -> KeyRing in
            let keys = try known.map { (epoch) throws(SealError) in try EpochKey(SecretBytes(epoch.key)) }
            return try KeyRing(group, known: keys, records: records, device: device)
        }
        lastRing = CachedKeyRing(ring, of: known, records, device)
        return ring
    }

    /// Stores the trusted keys, in their order.
    private func replaceEpochs(by ring: KeyRing) throws(StoreError) {
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

    /// Returns the devices in the log that have valid public keys.
    private func namedDevices(in state: ReplayState) throws(StoreError) -> [Digest: PublicKey] {
        var named: [Digest: PublicKey] = [:]
        for device in state.devices.values {
            guard let hash = device.key, named[hash] == nil,
                let key = device.publicKey.flatMap({ try? PublicKey($0) }),
                try StoreError.sealing({ () throws(SealError) in try key.hash() }) == hash,
                isUsable(key, hash)
            else { continue }
            named[hash] = key
        }
        return named
    }

    /// Whether the key is a point on the curve. This is the most expensive check of a device, so it is
    /// cached.
    private func isUsable(_ key: PublicKey, _ hash: Digest) -> Bool {
        if let known = usableKeys[hash] { return known }
        if usableKeys.count >= EpochBody.deviceLimit { usableKeys = [:] }
        let isUsable = key.isOnCurve
        usableKeys[hash] = isUsable
        return isUsable
    }

    /// Returns the plan for the next epoch; nil if the newest one is still valid.
    package func plan(_ ring: KeyRing, by own: Digest) throws(StoreError) -> KeyRing.Plan? {
        let state = try store.state()
        let named = try namedDevices(in: state)
        let standings = try standings(ring, of: Set(named.keys), in: state)
        let keys = KeyStatuses(state, try store.devices(), standings: standings)
        return try ring.plan(
            by: own, for: named.filter { keys[$0.key] == .member }, without: keys.leftOut,
            doubting: store.text(.doubtedEpoch).flatMap(EpochID.init(text:)),
            writesUnder: epochs(in: state))
    }

    /// Stores the standings that follow from the epochs' records.
    ///
    /// - Returns: The devices that now wait for a person to accept them and didn't before.
    func replaceStandings(_ ring: KeyRing) throws(StoreError) -> Set<Digest> {
        let state = try store.state()
        let devices = try store.devices()
        let standings = try standings(ring, of: Set(namedDevices(in: state).keys), in: state)
        let known = devices.filter { !$0.standing.isEmpty }.map { ($0.key, $0.standing) }
        if Dictionary(uniqueKeysWithValues: known) != standings {
            try store.replaceStandings(with: standings)
        }
        let late = KeyStatuses(state, devices, standings: standings).late
        return late.subtracting(KeyStatuses(state, devices).late)
    }

    private func standings(
        _ ring: KeyRing, of named: Set<Digest>, in state: ReplayState
    ) throws(StoreError) -> [Digest: EpochStanding] {
        try ring.standings(of: named, following: line, writesUnder: epochs(in: state))
    }

    /// Returns a function from a device to the epochs of its replicas' last readable events.
    private func epochs(in state: ReplayState) -> (Digest) throws(StoreError) -> Set<EpochID> {
        let replicas = Dictionary(grouping: state.devices.keys) { state.devices[$0]?.key }
        return { [store] (device) throws(StoreError) in
            try store.lastEpochs(of: replicas[device, default: []])
        }
    }

    /// Returns the records for a server that lacks them, without unfounded ones, which would take the room of
    /// the group's own. A bad record is given without its body: a server may have damaged it, and another one
    /// may have it intact. An epoch with a successor but no record here gets a record that only names it.
    package func records() throws(StoreError) -> [EpochRecord] {
        let stored = try store.epochRecords().filter { !unfounded.contains($0.epoch) }
        let known = Set(stored.map { $0.epoch })
        let named = Set(stored.compactMap { $0.predecessor }).subtracting(known)
        return stored.map {
            EpochRecord(
                epoch: $0.epoch, predecessor: $0.predecessor, body: bad.contains($0.epoch) ? [] : $0.body)
        }
            + named.sorted().map(EpochRecord.init(naming:))
    }

    /// Returns records that only name an epoch, for the epochs that have no record here. The server may lack
    /// them. Most often this is a group's first epoch. An epoch under which no other device has written isn't
    /// named: it may be another group's, and nobody could read events under it.
    ///
    /// - Parameter replica: The replica with the events that the server refuses. The epochs that its sealed
    ///   events need are named too.
    func namesOfKnown(refusedOf replica: ReplicaID? = nil) throws(StoreError) -> [EpochRecord] {
        let recorded = Set(try store.epochRecordSizes().keys).subtracting(unfounded)
        let own = Set(try store.ownReplicas())
        let others = try store.replicas().map { $0.id }.filter { !own.contains($0) }
        let shared = try store.lastEpochs(of: others)
        let known = try store.epochs().map { $0.id }.filter { shared.contains($0) && !recorded.contains($0) }
        var waiting: [EpochID] = []
        if let replica { waiting = try store.sealedEpochs(of: replica, limit: SealedLog.mostNames) }
        return (known + waiting.filter { !recorded.contains($0) }).map(EpochRecord.init(naming:))
    }

    /// The most epochs that are named at once for the sealed events of one replica.
    private static let mostNames = 64
}

extension DeviceStore {
    /// Returns the epochs of the replicas' last readable events.
    fileprivate func lastEpochs(of replicas: [ReplicaID]) throws(StoreError) -> Set<EpochID> {
        var epochs: Set<EpochID> = []
        for replica in replicas {
            if let epoch = try lastEpoch(of: replica) { epochs.insert(epoch) }
        }
        return epochs
    }
}

/// A cached key ring, and the inputs that it was made from.
struct CachedKeyRing {
    let ring: KeyRing
    private let known: [EpochID]
    /// A hash of the records, which may have 64 MiB.
    private let records: Int
    /// The device's own key; nil if it wasn't available.
    private let device: PublicKey?

    init(_ ring: KeyRing, of known: [StoredEpoch], _ records: [EpochRecord], _ device: AgreementKey?) {
        self.ring = ring
        self.known = known.map { $0.id }
        self.records = CachedKeyRing.hash(records)
        self.device = device?.publicKey
    }

    /// Whether these inputs would make the same ring.
    func isOf(_ known: [StoredEpoch], _ records: [EpochRecord], _ device: AgreementKey?) -> Bool {
        self.device == device?.publicKey && self.known == known.map { $0.id }
            && self.records == CachedKeyRing.hash(records)
    }

    /// Hashes the bodies as whole buffers. The synthesized hash of a record takes its body byte by byte.
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
