package import FocusCore
package import FocusSeal
package import FocusStore

/// What a device makes of its group's epochs: whose keys it trusts, which is the newest, and which records are bad
/// (docs/protocol.md, "Whose key counts").
package struct KeyRing {
    /// An epoch's record with a body.
    private struct Record {
        let place: EpochPlace
        let body: EpochBody
    }

    let group: GroupID
    /// The keys that are trusted.
    package private(set) var keys: [EpochID: EpochKey] = [:]
    private var records: [EpochID: Record] = [:]
    /// The epochs whose records are malformed, don't open though they should, or weren't made by the group.
    package private(set) var bad: Set<EpochID> = []
    /// The epochs whose records anybody may have made: no trusted key proves them, nor a record that they follow.
    package private(set) var unfounded: Set<EpochID> = []
    /// The epochs that have records which name this predecessor, bad ones included.
    private var successors: [EpochID: Set<EpochID>] = [:]

    // What follows from all of that, worked out once: it is asked for at every step, and there may be a thousand epochs
    // with thousands of names each.

    /// The trusted epochs, the newest last: by the length of the longest way to an epoch without older ones, and of equal
    /// ones the smallest id last.
    package private(set) var order: [EpochID] = []
    /// Whom the trusted records name as revoked.
    package private(set) var revoked: Set<Digest> = []
    /// The epochs that a trusted one follows which names revoked devices. Who these are says nothing of how old an epoch
    /// is: one that was revoked may have made a record before that names itself.
    private var outdated: Set<EpochID> = []

    /// - Parameters:
    ///   - known: the keys that are trusted from the start.
    ///   - records: what is there of epochs, by laptops that may be long gone; those without bodies say nothing.
    ///   - device: the device's own key; nil where that isn't at hand, and nothing can be unwrapped.
    package init(
        _ group: GroupID, known: [EpochKey], records: [EpochRecord], device: AgreementKey?
    ) throws(SealError) {
        self.group = group
        readConnected(records.filter { !$0.body.isEmpty }, with: known)
        for key in known { trust(key) }
        if let device { try open(with: device) }
        disprove(besides: Set(known.map(\.epoch)))
        dropUnfounded()
        order = inOrder()
        revoked = named()
        outdated = followed()
    }

    /// Trusts the keys that were made for the device, as far as a way leads from them to one that is trusted.
    private mutating func open(with device: AgreementKey) throws(SealError) {
        let hash = try device.publicKey.hash()
        var waiting = self.records.filter { $0.value.body.devices.contains(hash) }.map(\.key).sorted()
        var count: Int
        repeat {
            count = keys.count
            waiting.removeAll { keys[$0] != nil || bad.contains($0) }
            for epoch in waiting { unwrap(epoch, device) }
        } while keys.count > count
    }

    /// Finds those records bad that nobody made who had the predecessor's key. One from which the device's own name was
    /// taken looks like any that wasn't made for it, and what isn't bad is passed on.
    private mutating func disprove(besides known: Set<EpochID>) {
        for (epoch, record) in records where !known.contains(epoch) && !bad.contains(epoch) {
            guard let before = keys[record.place.predecessor],
                (try? record.body.isProven(record.place, by: before)) != true
            else { continue }
            bad.insert(epoch)
        }
    }

    /// Reads the records that a way leads to from a known key. Whoever has no key may make any number of others.
    private mutating func readConnected(_ all: [EpochRecord], with known: [EpochKey]) {
        var unread: [EpochID: EpochRecord] = [:]
        for record in all {
            unread[record.epoch] = record
            if let predecessor = record.predecessor {
                successors[predecessor, default: []].insert(record.epoch)
            }
        }
        var found = known.map(\.epoch)
        var seen = Set(found)
        while let epoch = found.popLast() {
            var next = Array(successors[epoch] ?? [])
            if let record = unread.removeValue(forKey: epoch) {
                read(record)
                next += [record.predecessor].compactMap(\.self) + (records[epoch]?.body.older ?? [])
            }
            found += next.filter { seen.insert($0).inserted }
        }
        unfounded = Set(unread.keys)
    }

    /// Lets go of the records that anybody may have made.
    private mutating func dropUnfounded() {
        var founded = Set(keys.keys)
        var found = records.filter { epoch, record in
            keys[epoch] == nil && keys[record.place.predecessor] != nil && isProven(epoch)
        }.map(\.key)
        while let epoch = found.popLast() {
            guard founded.insert(epoch).inserted else { continue }
            found += successors[epoch] ?? []
        }
        unfounded.formUnion(bad.union(records.keys).subtracting(founded))
        for epoch in unfounded { records[epoch] = nil }
    }

    /// Whether a record's maker had the predecessor's key, which is trusted.
    private func isProven(_ epoch: EpochID) -> Bool {
        guard let record = records[epoch], let before = keys[record.place.predecessor] else { return false }
        return !bad.contains(epoch) || (try? record.body.isProven(record.place, by: before)) == true
    }

    private mutating func read(_ record: EpochRecord) {
        guard let predecessor = record.predecessor, let body = try? EpochBody(record.body),
            body.older.first == predecessor, !body.older.contains(record.epoch)
        else {
            bad.insert(record.epoch)
            return
        }
        let place = EpochPlace(group: group, epoch: record.epoch, predecessor: predecessor)
        records[record.epoch] = Record(place: place, body: body)
    }

    /// Trusts a key, and all older ones that are sealed under it.
    private mutating func trust(_ key: EpochKey) {
        var found = [key]
        while let key = found.popLast() {
            guard keys[key.epoch] == nil else { continue }
            keys[key.epoch] = key
            guard let record = records[key.epoch] else { continue }
            if let older = try? record.body.olderKeys(of: record.place, with: key) {
                found += older
                // It is as its maker made it, even where the device's own part of it was spoilt.
                bad.remove(key.epoch)
            } else {
                bad.insert(key.epoch)
                records[key.epoch] = nil
            }
        }
    }

    /// Gets at the key of an epoch that was made for the device, and trusts it where a way leads from it to one that is
    /// trusted.
    private mutating func unwrap(_ epoch: EpochID, _ device: AgreementKey) {
        guard keys[epoch] == nil, let first = records[epoch] else { return }
        guard var key = try? first.body.key(of: first.place, for: device) else {
            bad.insert(epoch)
            return
        }
        var way = [key]
        while keys[key.epoch] == nil {
            // Where a record hasn't come yet, nothing can be said.
            guard let record = records[key.epoch] else { return }
            guard let before = try? record.body.olderKeys(of: record.place, with: key).first,
                (try? record.body.isProven(record.place, by: before)) == true,
                !way.contains(where: { $0.epoch == before.epoch })
            else {
                // It may be another one's record on the way that is spoilt.
                bad.formUnion([epoch, key.epoch])
                return
            }
            way.append(before)
            key = before
        }
        guard keys[key.epoch] == key else {
            bad.insert(epoch)
            return
        }
        for key in way.reversed() { trust(key) }
    }
}

// MARK: - Order

extension KeyRing {
    /// The body of an epoch's record, where that is good.
    func body(of epoch: EpochID) -> EpochBody? { bad.contains(epoch) ? nil : records[epoch]?.body }

    /// The epochs that have a record which isn't bad.
    var usable: Set<EpochID> { Set(records.keys).subtracting(bad) }

    private func inOrder() -> [EpochID] {
        var depths: [EpochID: Int] = [:]
        for epoch in keys.keys.sorted() { measure(epoch, &depths) }
        return keys.keys.sorted { left, right in
            let (first, second) = (depths[left] ?? 0, depths[right] ?? 0)
            return first == second ? left > right : first < second
        }
    }

    /// Works out how long the way is from an epoch, without calling itself: a member may make it as long as it likes.
    private func measure(_ epoch: EpochID, _ depths: inout [EpochID: Int]) {
        var stack = [epoch]
        var entered: Set<EpochID> = []
        while let next = stack.last {
            let older = depths[next] == nil ? body(of: next)?.older ?? [] : []
            let open = older.filter { depths[$0] == nil && !entered.contains($0) && keys[$0] != nil }
            if entered.insert(next).inserted, !open.isEmpty {
                stack += open
                continue
            }
            stack.removeLast()
            guard depths[next] == nil else { continue }
            depths[next] = (older.compactMap { depths[$0] }.max() ?? -1) + 1
        }
    }

    /// The trusted epochs that can be got to from this one by older ones, itself included.
    func reached(from epoch: EpochID) -> Set<EpochID> {
        var reached: Set<EpochID> = []
        var found = [epoch]
        while let next = found.popLast() {
            guard keys[next] != nil, reached.insert(next).inserted else { continue }
            found += body(of: next)?.older ?? []
        }
        return reached
    }

    /// The keys that can't be come by through the newest epoch: of those that can be through each other, the ends.
    private func beside(_ newest: EpochID) -> [EpochKey] {
        let left = Set(keys.keys).subtracting(reached(from: newest))
        let older = left.flatMap { body(of: $0)?.older ?? [] }
        return left.subtracting(older).sorted().compactMap { keys[$0] }
    }

    /// Whom the trusted epochs that follow an older one were made for, and no trusted one before them: the devices that
    /// are in for the first time. Of a group's first record, those that the log doesn't name.
    ///
    /// - Parameters:
    ///   - older: the epoch that was the newest before.
    ///   - named: the devices that the log names.
    package func newcomers(since older: EpochID, named: Set<Digest>) -> Set<Digest> {
        guard let newest else { return [] }
        let before = reached(from: older)
        let since = reached(from: newest).subtracting(before)
        let first = before.compactMap { body(of: $0)?.devices }
        var known = first.isEmpty ? nil : Set(first.joined())
        var newcomers: Set<Digest> = []
        for epoch in order where since.contains(epoch) {
            guard let devices = body(of: epoch)?.devices else { continue }
            newcomers.formUnion(Set(devices).subtracting(known ?? named))
            if known == nil { known = Set(devices) } else { known?.formUnion(devices) }
        }
        return newcomers
    }

    private func named() -> Set<Digest> {
        var named: Set<Digest> = []
        // Whoever makes an epoch names whom the one before it named too: little is new but in the newest.
        var newer: [Digest] = []
        for epoch in order.reversed() {
            guard let revoked = body(of: epoch)?.revoked, !revoked.isEmpty else { continue }
            named.formUnion(KeyRing.those(of: revoked, notIn: newer))
            newer = revoked
        }
        return named
    }

    /// Both ascending, as records have them.
    private static func those(of devices: [Digest], notIn others: [Digest]) -> [Digest] {
        var others = others[...]
        return devices.filter { device in
            while let first = others.first, first != device, first.precedes(device) { others.removeFirst() }
            return others.first != device
        }
    }
}

// MARK: - The next epoch

extension KeyRing {
    /// An epoch that is to be made.
    package struct Plan {
        /// Whom it is for and without, and which keys it hands on.
        package let making: EpochBody.Making
        /// The records that don't count, of epochs that follow the same one.
        package let discounted: [EpochID]
        /// Whether members made some of these for devices of the group: it is to be waited for whether they go on from
        /// there.
        package let passesOver: Bool
    }

    /// What the next epoch is to be; nil where the newest one may stand, or it isn't this device's to say.
    ///
    /// - Parameters:
    ///   - own: who this device is.
    ///   - members: the devices that get the group's key (`GroupKeys`).
    ///   - out: those that the record names as revoked.
    ///   - doubted: the epoch whose record may have been made by one that it says was revoked.
    ///   - writesUnder: the epochs of the last events of those replicas that name a device.
    package func plan(
        by own: Digest, for members: [Digest: PublicKey], without out: Set<Digest>,
        doubting doubted: EpochID? = nil, writesUnder: (Digest) throws -> Set<EpochID>
    ) rethrows -> Plan? {
        guard let newest, let key = keys[newest] else { return nil }
        guard members[own] != nil else { return nil }
        let body = self.body(of: newest)
        let beside = beside(newest)
        let shut = shut(behind: key)
        let lacksRevoked = !Set(body?.revoked ?? []).isSuperset(of: KeyRing.nameable(out))
        guard
            try lacksRevoked || doubted == newest || !beside.isEmpty
                || isSpoilt(for: own, after: shut)
                || lacksMember(body, members, { try writesUnder($0) == [newest] })
        else { return nil }
        let unopened = (successors[newest] ?? []).filter { keys[$0] == nil || bad.contains($0) }
        return Plan(
            making: EpochBody.Making(
                group: group, predecessor: key, beside: beside, devices: members, revoked: out),
            discounted: unopened.sorted(),
            passesOver: shut.contains { epoch in
                records[epoch]?.body.devices.contains { members[$0] != nil } ?? false
            })
    }

    /// What members made to follow an epoch, and this device can't get at: they made it for others alone, or spoilt this
    /// device's part of it.
    private func shut(behind key: EpochKey) -> [EpochID] {
        (successors[key.epoch] ?? []).filter { epoch in
            guard keys[epoch] == nil, let record = records[epoch] else { return false }
            return (try? record.body.isProven(record.place, by: key)) == true
        }
    }

    /// Whether one of these epochs, or of those that follow them, was made for the device, which can't get at its key all
    /// the same. Others go on from there, and see nothing amiss.
    private func isSpoilt(for device: Digest, after shut: [EpochID]) -> Bool {
        var found = shut
        var seen = Set(shut)
        while let next = found.popLast() {
            guard keys[next] == nil, let body = records[next]?.body else { continue }
            if body.devices.contains(device) { return true }
            found += (successors[next] ?? []).filter { seen.insert($0).inserted }
        }
        return false
    }

    /// What the trusted records say of devices, and what these write under. A device that writes under outdated epochs
    /// only, and has no newer record, gets no newer key until a person accepts it: whoever was revoked may have kept
    /// another key asleep, and made records for it while it could.
    ///
    /// - Parameters:
    ///   - named: the devices that the log names.
    ///   - line: the newest epoch of those that this device has followed. What comes beside it may be by one that is shut
    ///     out, and has an older key.
    ///   - writesUnder: as `plan` has it.
    /// - Returns: What there is to say, of these devices and of those that records name as revoked.
    package func standings(
        of named: Set<Digest>, following line: EpochID? = nil,
        writesUnder: (Digest) throws -> Set<EpochID>
    ) rethrows -> [Digest: EpochStanding] {
        var standings = Dictionary(uniqueKeysWithValues: revoked.map { ($0, EpochStanding.shutOut) })
        var outdated = outdated
        if !outdated.isEmpty, let line, keys[line] != nil { outdated.formUnion(beside(line: line)) }
        let known = Set(keys.keys.filter { !outdated.contains($0) }.flatMap { body(of: $0)?.devices ?? [] })
        for device in named {
            if known.contains(device) {
                standings[device, default: []].insert(.recipient)
            } else if !outdated.isEmpty, try outdated.isSuperset(of: writesUnder(device)) {
                standings[device, default: []].insert(.outdated)
            }
        }
        return standings
    }

    private func followed() -> Set<EpochID> {
        var outdated: Set<EpochID> = []
        for epoch in order.reversed() {
            guard let body = body(of: epoch), !body.revoked.isEmpty || outdated.contains(epoch) else {
                continue
            }
            outdated.formUnion(body.older.filter { keys[$0] != nil })
        }
        return outdated
    }

    private func lacksMember(
        _ body: EpochBody?, _ members: [Digest: PublicKey], _ hasKey: (Digest) throws -> Bool
    ) rethrows -> Bool {
        guard let body else { return false }
        let devices = Set(body.devices)
        return try KeyRing.nameable(Set(members.keys)).contains { try !devices.contains($0) && !hasKey($0) }
    }

    /// Those that a record may name.
    private static func nameable(_ devices: Set<Digest>) -> Set<Digest> {
        guard devices.count > EpochBody.deviceLimit else { return devices }
        return Set(devices.sorted { $0.precedes($1) }.prefix(EpochBody.deviceLimit))
    }
}
