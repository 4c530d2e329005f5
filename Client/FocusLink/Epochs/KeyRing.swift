package import FocusCore
package import FocusSeal
package import FocusStore

/// A device's view of its group's epochs, their keys and records (docs/protocol.md, "Whose key counts").
package struct KeyRing {
    /// An epoch's record with a body.
    private struct Record {
        let id: EpochRecordID
        let body: EpochBody
    }

    let group: GroupID
    /// The trusted keys.
    package private(set) var keys: [EpochID: EpochKey] = [:]
    private var records: [EpochID: Record] = [:]
    /// The epochs with records that are malformed, not made by the group, or don't open with the right key.
    package private(set) var bad: Set<EpochID> = []
    /// The epochs with records that anybody may have made. Nothing trusted before them proves them.
    package private(set) var unfounded: Set<EpochID> = []
    /// By predecessor, the epochs with records that name it. Bad records are included.
    private var successors: [EpochID: Set<EpochID>] = [:]

    // Results derived from the above, computed once. They are used at every step, and there may be a thousand
    // epochs with thousands of names each.

    /// The trusted epochs, newest last. They are sorted by the length of the longest path to an epoch without older
    /// ones; among equal lengths the smallest id is last.
    package private(set) var order: [EpochID] = []
    /// The devices that trusted records name as revoked.
    package private(set) var revoked: Set<Digest> = []
    /// The epochs that are followed by a trusted record which names revoked devices. It doesn't matter which devices
    /// the record names: a revoked device may have made an earlier record that names the device itself.
    private var outdated: Set<EpochID> = []

    /// - Parameters:
    ///   - known: The keys that are trusted from the start.
    ///   - records: The known records of epochs. Their makers may no longer be in the group. Records without
    ///     a body are ignored.
    ///   - device: The device's own key; nil if it isn't available, in which case nothing can be unwrapped.
    package init(
        _ group: GroupID, known: [EpochKey], records: [EpochRecord], device: AgreementKey?
    ) throws(SealError) {
        self.group = group
        readConnected(records.filter { !$0.body.isEmpty }, with: known)
        for key in known { trust(key) }
        if let device { try open(with: device) }
        disprove(besides: Set(known.map { $0.epoch }))
        dropUnfounded()
        order = inOrder()
        revoked = revokedByRecords()
        outdated = outdatedEpochs()
    }

    /// Trusts the keys that were made for the device, if a path of records leads from them to a trusted key.
    private mutating func open(with device: AgreementKey) throws(SealError) {
        let hash = try device.publicKey.hash()
        var waiting = self.records.filter { $0.value.body.devices.contains(hash) }.map { $0.key }.sorted()
        var count: Int
        repeat {
            count = keys.count
            waiting.removeAll { keys[$0] != nil || bad.contains($0) }
            for epoch in waiting { unwrap(epoch, device) }
        } while keys.count > count
    }

    /// Marks a record as bad if it was made without the predecessor's key. This also finds a record from
    /// which this device's own name was removed. Otherwise it would pass for a record made only for other
    /// devices, and would be passed on to servers.
    private mutating func disprove(besides known: Set<EpochID>) {
        for (epoch, record) in records where !known.contains(epoch) && !bad.contains(epoch) {
            guard let before = keys[record.id.predecessor],
                (try? record.body.isProven(record.id, by: before)) != true
            else { continue }
            bad.insert(epoch)
        }
    }

    /// Reads the records that a path connects to a known key. Anybody can make any number of other records.
    private mutating func readConnected(_ all: [EpochRecord], with known: [EpochKey]) {
        var unread: [EpochID: EpochRecord] = [:]
        for record in all {
            unread[record.epoch] = record
            if let predecessor = record.predecessor {
                successors[predecessor, default: []].insert(record.epoch)
            }
        }
        var found = known.map { $0.epoch }
        var seen = Set(found)
        while let epoch = found.popLast() {
            var next = Array(successors[epoch] ?? [])
            if let record = unread.removeValue(forKey: epoch) {
                read(record)
                next += [record.predecessor].compactMap { $0 } + (records[epoch]?.body.older ?? [])
            }
            found += next.filter { seen.insert($0).inserted }
        }
        unfounded = Set(unread.keys)
    }

    /// Drops the records that anybody may have made.
    private mutating func dropUnfounded() {
        var founded = Set(keys.keys)
        var found = records.filter { epoch, record in
            keys[epoch] == nil && keys[record.id.predecessor] != nil && isProven(epoch)
        }.map { $0.key }
        while let epoch = found.popLast() {
            guard founded.insert(epoch).inserted else { continue }
            found += successors[epoch] ?? []
        }
        unfounded.formUnion(bad.union(records.keys).subtracting(founded))
        for epoch in unfounded { records[epoch] = nil }
    }

    /// Whether a trusted predecessor proves the record. `disprove` has checked all records that aren't bad.
    private func isProven(_ epoch: EpochID) -> Bool {
        guard let record = records[epoch], let before = keys[record.id.predecessor] else { return false }
        return !bad.contains(epoch) || (try? record.body.isProven(record.id, by: before)) == true
    }

    private mutating func read(_ record: EpochRecord) {
        guard let predecessor = record.predecessor, let body = try? EpochBody(record.body),
            body.older.first == predecessor, !body.older.contains(record.epoch)
        else {
            bad.insert(record.epoch)
            return
        }
        let id = EpochRecordID(group: group, epoch: record.epoch, predecessor: predecessor)
        records[record.epoch] = Record(id: id, body: body)
    }

    /// Trusts a key, and all older keys that are sealed under it.
    private mutating func trust(_ key: EpochKey) {
        var found = [key]
        while let key = found.popLast() {
            guard keys[key.epoch] == nil else { continue }
            keys[key.epoch] = key
            guard let record = records[key.epoch] else { continue }
            if let older = try? record.body.olderKeys(of: record.id, with: key) {
                found += older
                // The record is as its maker made it, although this device's own part of it may be damaged.
                bad.remove(key.epoch)
            } else {
                bad.insert(key.epoch)
                records[key.epoch] = nil
            }
        }
    }

    /// Opens the key of an epoch made for the device. Trusts it if a path of records leads to a trusted key.
    private mutating func unwrap(_ epoch: EpochID, _ device: AgreementKey) {
        guard keys[epoch] == nil, let first = records[epoch] else { return }
        guard var key = try? first.body.key(of: first.id, for: device) else {
            bad.insert(epoch)
            return
        }
        var path = [key]
        while keys[key.epoch] == nil {
            // A record on the path hasn't arrived yet, so nothing can be decided.
            guard let record = records[key.epoch] else { return }
            guard let before = try? record.body.olderKeys(of: record.id, with: key).first,
                (try? record.body.isProven(record.id, by: before)) == true,
                !path.contains(where: { $0.epoch == before.epoch })
            else {
                // The bad record may be another one on the path.
                bad.formUnion([epoch, key.epoch])
                return
            }
            path.append(before)
            key = before
        }
        guard keys[key.epoch] == key else {
            bad.insert(epoch)
            return
        }
        for key in path.reversed() { trust(key) }
    }
}

// MARK: - Order

extension KeyRing {
    /// Returns the body of an epoch's record; nil if it is bad or there is none.
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

    /// Computes the length of the longest path of older epochs. It isn't recursive, because a member can make the path
    /// as long as it likes.
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

    /// Returns the trusted epochs that are reachable from `epoch` through older ones, including itself.
    func reached(from epoch: EpochID) -> Set<EpochID> {
        var reached: Set<EpochID> = []
        var found = [epoch]
        while let next = found.popLast() {
            guard keys[next] != nil, reached.insert(next).inserted else { continue }
            found += body(of: next)?.older ?? []
        }
        return reached
    }

    /// Returns the trusted keys that neither the newest epoch nor another of these keys reaches.
    private func beside(_ newest: EpochID) -> [EpochKey] {
        let left = Set(keys.keys).subtracting(reached(from: newest))
        let older = left.flatMap { body(of: $0)?.older ?? [] }
        return left.subtracting(older).sorted().compactMap { keys[$0] }
    }

    /// Returns the devices that are in the group for the first time: trusted epochs after `older` were made for them,
    /// and no trusted epoch before. For a group's first record these are the devices that the log doesn't name.
    ///
    /// - Parameters:
    ///   - older: The epoch that was the newest before.
    ///   - named: The devices that the log names.
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

    private func revokedByRecords() -> Set<Digest> {
        var named: Set<Digest> = []
        // A record usually names all devices that the record before it names, so most names are known.
        var newer: [Digest] = []
        for epoch in order.reversed() {
            guard let revoked = body(of: epoch)?.revoked, !revoked.isEmpty else { continue }
            named.formUnion(KeyRing.those(of: revoked, notIn: newer))
            newer = revoked
        }
        return named
    }

    /// Returns the devices that aren't in `others`. Both arrays must be in ascending order, as in records.
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
    /// A plan for an epoch to be made.
    package struct Plan {
        /// The devices that get the key, the devices that are shut out, and the older keys that the epoch passes on.
        package let making: EpochBody.Inputs
        /// The epochs with the same predecessor that don't count.
        package let discounted: [EpochID]
        /// Whether members made some of the discounted epochs for devices of the group. If so, this device
        /// waits first, because these devices may continue from such an epoch.
        package let passesOver: Bool
    }

    /// Returns the plan for the next epoch; nil if the newest one is still valid, or if this device isn't a member.
    ///
    /// - Parameters:
    ///   - own: The key of this device.
    ///   - members: The devices that get the group's key (`KeyStatuses`).
    ///   - out: The devices that the record names as revoked.
    ///   - doubted: An epoch perhaps made by a device that the epoch itself revokes; nil if there is none.
    ///   - writesUnder: Returns the epochs of the last events of the replicas that name the device.
    package func plan<Failure: Error>(
        by own: Digest, for members: [Digest: PublicKey], without out: Set<Digest>,
        doubting doubted: EpochID? = nil, writesUnder: (Digest) throws(Failure) -> Set<EpochID>
    ) throws(Failure) -> Plan? {
        guard let newest, let key = keys[newest], members[own] != nil else { return nil }
        let body = self.body(of: newest)
        let beside = beside(newest)
        let unopenable = unopenable(after: key)
        let lacksRevoked = !Set(body?.revoked ?? []).isSuperset(of: KeyRing.nameable(out))
        if !lacksRevoked, doubted != newest, beside.isEmpty, !isSpoilt(for: own, after: unopenable) {
            let lacksMember = try lacksMember(body, members) { (device) throws(Failure) in
                try writesUnder(device) == [newest]
            }
            guard lacksMember else { return nil }
        }
        let unopened = (successors[newest] ?? []).filter { keys[$0] == nil || bad.contains($0) }
        return Plan(
            making: EpochBody.Inputs(
                group: group, predecessor: key, otherKeys: beside, devices: members, revoked: out),
            discounted: unopened.sorted(),
            passesOver: unopenable.contains { epoch in
                records[epoch]?.body.devices.contains { members[$0] != nil } ?? false
            })
    }

    /// Returns the epochs after `key` that members made and that this device can't open. The members made them for
    /// others only, or damaged this device's part.
    private func unopenable(after key: EpochKey) -> [EpochID] {
        (successors[key.epoch] ?? []).filter { epoch in
            guard keys[epoch] == nil, let record = records[epoch] else { return false }
            return (try? record.body.isProven(record.id, by: key)) == true
        }
    }

    /// Whether one of these epochs, or an epoch after them, was made for the device although the device can't open its
    /// key. The other devices go on from there and notice nothing.
    private func isSpoilt(for device: Digest, after unopenable: [EpochID]) -> Bool {
        var found = unopenable
        var seen = Set(unopenable)
        while let next = found.popLast() {
            guard keys[next] == nil, let body = records[next]?.body else { continue }
            if body.devices.contains(device) { return true }
            found += (successors[next] ?? []).filter { seen.insert($0).inserted }
        }
        return false
    }

    /// Returns the standings of devices by the trusted records. A device that writes only under outdated
    /// epochs, and for which no newer record was made, gets no newer key until a person accepts it. A revoked
    /// device may have kept that device's key in reserve, and made records for it while it could.
    ///
    /// - Parameters:
    ///   - named: The devices that the log names.
    ///   - line: The newest epoch of the line that this device has followed. Epochs beside that line may be
    ///     made by a device that is shut out and has an older key.
    ///   - writesUnder: Returns the epochs of the last events of the replicas that name the device.
    /// - Returns: The standings of these devices and of the devices that records name as revoked.
    package func standings<Failure: Error>(
        of named: Set<Digest>, following line: EpochID? = nil,
        writesUnder: (Digest) throws(Failure) -> Set<EpochID>
    ) throws(Failure) -> [Digest: EpochStanding] {
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

    private func outdatedEpochs() -> Set<EpochID> {
        var outdated: Set<EpochID> = []
        for epoch in order.reversed() {
            guard let body = body(of: epoch), !body.revoked.isEmpty || outdated.contains(epoch) else {
                continue
            }
            outdated.formUnion(body.older.filter { keys[$0] != nil })
        }
        return outdated
    }

    /// Whether a member neither is in the newest epoch's record nor writes under its key. False without a body.
    private func lacksMember<Failure: Error>(
        _ body: EpochBody?, _ members: [Digest: PublicKey], _ hasKey: (Digest) throws(Failure) -> Bool
    ) throws(Failure) -> Bool {
        guard let body else { return false }
        let others = KeyRing.nameable(Set(members.keys)).subtracting(body.devices)
        for device in others { if try !hasKey(device) { return true } }
        return false
    }

    /// Returns the devices that a record may name: the `EpochBody.deviceLimit` devices with the smallest digests.
    private static func nameable(_ devices: Set<Digest>) -> Set<Digest> {
        guard devices.count > EpochBody.deviceLimit else { return devices }
        return Set(devices.sorted { $0.precedes($1) }.prefix(EpochBody.deviceLimit))
    }
}
