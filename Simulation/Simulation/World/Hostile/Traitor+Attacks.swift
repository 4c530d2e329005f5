import FocusCore
import FocusDevice
import FocusSeal
import FocusStore
import FocusSync
import TestSupport

// The traitor's attacks, except those on the log.
extension Traitor {
    func act(_ treachery: TraitorAction, seed: UInt64) {
        guard isMember else { return }
        random = SeededGenerator(seed: seed)
        learnKeys()
        authors = [:]
        guard case .anything = treachery else { return act(treachery) }
        for _ in 0..<randomNumber(1...4) { act(anything()) }
    }

    private func act(_ treachery: TraitorAction) {
        switch treachery {
        case .leaves: return leave()
        case .returns: return reconnect()
        case .wakesKeys: return wakeKeys()
        case .comesByInvite:
            if let secret = unusedInvites.popLast() { enrol(secret) }
            return
        case .sendsAhead(let lead, let index): return sendAhead(by: lead, as: index)
        default: break
        }
        guard let line = line() else { return }
        switch treachery {
        case .anything: harass(on: line)
        case .writes: writeAnything(on: line)
        case .listsKey: listKey(on: line)
        case .letsKeyIn:
            if let secret = invite(on: line) { enrol(secret, asleep: true) }
        case .makesInvite: if let secret = invite(on: line) { unusedInvites.append(secret) }
        case .namesEpochs: nameEpochs(on: line)
        case .spoilsEpochs(let count): spoilEpochs(count, on: line)
        case .makesEpoch(let laptops, let isIn, let isRevoked):
            makeEpoch(for: laptops, withItself: isIn, revokingItself: isRevoked, on: line)
        case .spoilsPart(let index):
            makeEpoch(
                for: groupLaptops.map(\.index), spoiling: index, withItself: true, revokingItself: false,
                on: line)
        case .shutsOut(let index): shutOut(index, on: line)
        case .names(let index): name(index, on: line)
        case .takesItselfBack: for hash in hashes { rule(.readmit(hash), ahead: .seconds(119), on: line) }
        case .leaves, .returns, .wakesKeys, .comesByInvite, .sendsAhead: break
        }
    }

    private func anything() -> TraitorAction {
        let laptops = world.laptops.filter { $0.group == number }.map(\.index)
        switch randomNumber(0...19) {
        case 0: return .listsKey
        case 1: return .letsKeyIn
        case 2: return .makesInvite
        case 3: return randomNumber(0...2) == 0 ? .comesByInvite : .makesInvite
        case 4: return randomNumber(0...2) == 0 ? .wakesKeys : .listsKey
        case 5: return .leaves
        case 6...7: return .returns
        case 8: return .namesEpochs
        case 9...10:
            let some = laptops.filter { _ in randomNumber(0...1) == 0 }
            return .makesEpoch(
                for: some, withItself: randomNumber(0...2) > 0, revokingItself: randomNumber(0...2) == 0)
        case 11:
            // One laptop is never revoked, because it has to let the others in again.
            return laptops.dropFirst().randomElement(using: &random).map { .shutsOut(laptop: $0) } ?? .writes
        case 12: return randomNumber(0...2) > 0 ? .takesItselfBack : .writes
        case 13...16: return .writes
        default: return .anything
        }
    }

    /// Makes one of the attacks that have no case in `TraitorAction`.
    private func harass(on line: HostileLine) {
        switch randomNumber(0...10) {
        case 0: contradict(on: line)
        case 1: multiply(on: line)
        case 2: stampAhead(on: line)
        case 3: spoilEpochs(randomNumber(1...4), on: line)
        case 4: list(on: line)
        case 5: ask(on: line)
        case 6: line.say(bytes: random.bytes(randomNumber(1...2_000)))
        case 7:
            rule(randomNumber(0...1) == 0 ? .revoke(random.digest()) : .readmit(random.digest()), on: line)
        case 8...9: startAhead(on: line)
        default:
            trace("connects anew")
            for line in connections.all.prefix(3) { line.hangUp() }
            _ = self.line()
        }
    }

    // MARK: - Its own keys

    private func listKey(on line: HostileLine) {
        guard let hash = makeKey(asleep: true) else { return }
        trace("lists a key and keeps it asleep")
        line.ask(.roster([RosterEntry(device: hash, isRevoked: false)]))
    }

    private func invite(on line: HostileLine) -> InviteSecret? {
        guard let group, let key = newest.flatMap({ epochs[$0] }) ?? epochs.values.first,
            let secret = InviteSecret(SecretBytes(random.bytes(InviteSecret.length))),
            let token = try? secret.token().hash(),
            let bundle = try? secret.wrap(GroupBundle(group: group, key: key))
        else { return nil }
        if randomNumber(0...5) == 0 {
            trace("makes an invite without the key")
            line.ask(.createInvite(InviteRequest(tokenHash: token, bundle: [], lifetime: 900_000)))
            return nil
        }
        trace("makes an invite")
        line.ask(.createInvite(InviteRequest(tokenHash: token, bundle: bundle, lifetime: 900_000)))
        return secret
    }

    // MARK: - Other laptops

    private func shutOut(_ index: Int, on line: HostileLine) {
        guard let laptop = groupLaptops.first(where: { $0.index == index }) else { return }
        trace("shuts \(laptop.name) out")
        switch randomNumber(0...2) {
        case 0: line.ask(.revoke(laptop.key))
        case 1: rule(.revoke(laptop.key), on: line)
        default: line.ask(.roster([RosterEntry(device: laptop.key, isRevoked: true)]))
        }
    }

    private func name(_ index: Int, on line: HostileLine) {
        guard let device = groupLaptops.first(where: { $0.index == index })?.device else { return }
        trace("names laptop\(index)")
        for replica in (try? device.ownReplicas())?.sorted() ?? [] {
            write([.says(.device(name: "nobody", key: nil))], as: replica, on: line)
        }
    }

    /// Lists keys that nobody holds.
    private func list(on line: HostileLine) {
        trace("lists keys")
        line.ask(
            .roster(
                (0..<randomNumber(1...4)).map { _ in
                    RosterEntry(device: random.digest(), isRevoked: randomNumber(0...1) == 0)
                }))
        line.ask(.revoke(random.digest()))
    }

    private func ask(on line: HostileLine) {
        trace("asks for what there is")
        let replicas = group.map { server.vector(of: $0).heads.keys.sorted() } ?? []
        for replica in replicas.prefix(20) {
            line.say(
                .chainsAsked(
                    replica, at: (0..<randomNumber(1...64)).map { _ in UInt64(randomNumber(0...2_000)) }))
            line.say(.want(replica, after: UInt64(randomNumber(0...100))))
        }
    }

    // MARK: - Epochs

    private func nameEpochs(on line: HostileLine) {
        trace("names epochs, and writes under one")
        for _ in 0..<randomNumber(1...3) {
            guard let epoch = (try? EpochKey(SecretBytes(random.bytes(EpochKey.length))))?.epoch else {
                return
            }
            line.ask(.epoch(EpochRecord(epoch: epoch, predecessor: newest, body: [])))
            let body = random.bytes(SealedEvent.bodyMinimum)
            write([.garbage(body)], as: replica(), under: epoch, on: line)
        }
    }

    /// Makes an epoch as the group's laptops do, but for any devices.
    private func makeEpoch(
        for laptops: [Int], spoiling spoilt: Int? = nil, withItself isIn: Bool,
        revokingItself isRevoked: Bool, on line: HostileLine
    ) {
        guard let group, let newest, let key = epochs[newest] else { return }
        var devices: [Digest: PublicKey] = [:]
        for laptop in groupLaptops where laptops.contains(laptop.index) {
            // Sometimes the laptop can't open its part.
            let isSpoilt = spoilt.map { $0 == laptop.index } ?? (randomNumber(0...5) == 0)
            devices[laptop.key] = isSpoilt ? keys.first?.publicKey : laptop.identity.publicKey
        }
        for key in keys where isIn {
            if let hash = try? key.publicKey.hash() { devices[hash] = key.publicKey }
        }
        if devices.isEmpty { devices[random.digest()] = keys.first?.publicKey }
        // The record may revoke an invented key. Not if a part is spoilt, because then a revocation would
        // make the others change the key once more.
        var revoked: Set<Digest> = spoilt == nil && randomNumber(0...3) == 0 ? [random.digest()] : []
        if isRevoked { revoked.formUnion(hashes) }
        let making = EpochBody.Inputs(
            group: group, predecessor: key, otherKeys: [], devices: devices, revoked: revoked)
        guard
            let (next, body) = try? EpochBody.make(
                making, { (count) throws(SealError) in SecretBytes(self.random.bytes(count)) })
        else { return }
        trace(
            "makes an epoch for \(laptops), itself \(isIn ? "in" : "out")\(isRevoked ? " and revoked" : "")")
        epochs[next.epoch] = next
        madeEpochs.insert(next.epoch)
        let rivals = world.laptops.filter { $0.group == number }
            .flatMap { (try? $0.device?.store.epochRecords()) ?? [] }.filter { $0.predecessor == newest }
        let record = EpochRecord(epoch: next.epoch, predecessor: newest, body: body.bytes)
        // The record is given like that of an earlier epoch, or proposed as the next epoch's.
        let isOld = randomNumber(0...3) == 0
        line.ask(
            isOld
                ? .epoch(record)
                : .successor(record, discounting: Array(Set(rivals.map(\.epoch)).sorted().prefix(64))))
    }

    /// Sends records that open for nobody, or that can't be decoded.
    private func spoilEpochs(_ number: Int, on line: HostileLine) {
        trace("spoils \(number) epochs")
        for _ in 0..<number {
            let record = EpochRecord(
                epoch: EpochID(rawValue: random.next()), predecessor: newest,
                body: random.bytes(randomNumber(1...600)))
            line.ask(randomNumber(0...1) == 0 ? .epoch(record) : .successor(record, discounting: []))
        }
    }
}
