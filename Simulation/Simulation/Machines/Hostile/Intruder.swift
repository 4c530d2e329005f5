import FocusCore
import FocusSeal
import FocusServerStore
import FocusSync
import TestSupport

/// A member of a group of its own who means harm: it knows the protocol, has keys, and says whatever it likes, in any
/// order. It is no laptop, and keeps nothing.
///
/// Whatever it does, the others' worlds go on as if it weren't there.
final class Intruder {
    private unowned let world: World
    private unowned let server: ServerMachine
    let connections: HostileConnections
    private var random: SeededGenerator
    let group: GroupID
    private let epoch = EpochID(rawValue: 0xBAD)
    /// Its own keys; the first one has brought the group.
    private var keys: [Digest] = []
    /// What it has written of each replica, so that it can go on with it.
    private var authors: [ReplicaID: HostileAuthor] = [:]
    private var epochs: [EpochID] = []
    /// The tokens of invites that it has asked for, whatever came of it.
    private var tokens: [[UInt8]] = []
    /// What its group may have: some bounds so tight that it comes to them.
    private let quota: GroupQuota
    private static let devices = 20
    /// Which of the server's disks has that.
    private var limitedOn: Int?
    /// How many stores of an earlier version the server had had when its group was limited.
    private var formerStores = 0
    /// Its keys that it has shut out itself.
    private var shutOut: [Digest] = []

    init(_ world: World, _ server: ServerMachine, seed: UInt64) {
        self.world = world
        self.server = server
        connections = HostileConnections(world, server, of: "the intruder")
        random = SeededGenerator(seed: seed)
        group = GroupID(high: random.next(), low: random.next())
        quota =
            Bool.random(using: &random)
            ? GroupQuota(events: 3_000, devices: Intruder.devices)
            : GroupQuota(bytes: 200_000, devices: Intruder.devices)
        keys = [digest()]
    }

    func trace(_ what: @autoclosure () -> String) { world.trace("intruder", what()) }

    private func digest() -> Digest {
        Digest(bytes: random.bytes(Digest.length)) ?? Digest(InlineArray(repeating: 1))
    }

    private func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    // MARK: - Coming in

    /// Connects with one of its keys, and gets in: as a member, or where the server doesn't know its group (any more) by
    /// bringing it, as the operator allows.
    private func connect(_ key: Digest, takes: Bool = true) -> HostileLine? {
        guard let line = connections.open(key, takes: takes) else { return nil }
        let isKnown = server.number(of: group) != nil
        line.greet(isKnown ? .sync : .enrol)
        guard !isKnown else {
            line.say(.have(Have(vector: VersionVector(), epochs: [])))
            return line
        }
        let token = random.bytes(32)
        try? server.operate { store in
            try store.addInvite(
                try Digest(of: token.span.bytes), group: nil, bundle: nil,
                expires: self.server.clock.wall() / 1000 + 600_000)
        }
        authors = [:]
        epochs = []
        limitedOn = nil
        line.say(.enrol(Enrol(token: token, kind: .bring(group, epoch))))
        line.say(.have(Have(vector: VersionVector(), epochs: [])))
        return line
    }

    /// The operator has an eye on its group.
    private func limit() {
        guard limitedOn != server.disks, (try? server.limit(group, to: quota)) != nil else { return }
        (limitedOn, formerStores) = (server.disks, server.formerStores)
    }

    /// What its group has too much of; nil where nothing is, or that can't be told.
    func excess() -> String? {
        guard limitedOn == server.disks, let registry = CheckedStore(on: server.disk).registry(),
            let number = registry.number(of: group), let roster = registry.rosters[number]?.values
        else { return nil }
        let members = roster.count { $0.isProved && !$0.isRevoked }
        let listed = roster.count { !$0.isProved && !$0.isRevoked }
        // Of a store of an earlier version who was never seen is only listed.
        let isSorted = server.formerStores == formerStores
        let most = isSorted ? max(members, listed) : (members + listed + 1) / 2
        return most > Intruder.devices ? "\(members) members and \(listed) listed" : nil
    }

    /// A connection that can be used, a new one now and then.
    private func line() -> HostileLine? {
        let open = connections.all.filter { $0.takes && keys.contains($0.key) }
        if number(0...3) > 0, let line = open.randomElement(using: &random) { return line }
        return connect(keys.randomElement(using: &random) ?? keys[0]) ?? open.first
    }

    // MARK: - Doing harm

    /// Does a few things at once, which the seed says.
    ///
    /// - Parameter others: the keys of the laptops of other groups, which it has seen somewhere.
    func act(seed: UInt64, others: [Digest]) {
        random = SeededGenerator(seed: seed)
        guard server.number(of: group) != nil else {
            _ = connect(keys[0])
            return
        }
        limit()
        for _ in 0..<number(1...5) { act(others) }
    }

    private func act(_ others: [Digest]) {
        guard let line = line() else { return }
        switch number(0...18) {
        case 0: uploadBelowTheHead(on: line)
        case 1: list(others, on: line)
        case 2: invite(on: line)
        case 3: nameEpochs(on: line)
        case 4: follow(on: line)
        case 5: bringReplicas(on: line)
        case 6: holdFrames()
        case 7: askForAll()
        case 8: stampAhead(on: line)
        case 9: revoke(others, on: line)
        case 10: sleep(on: line)
        case 11: askForChains(on: line)
        case 12: comesAsStranger()
        case 13: line.say(bytes: random.bytes(number(1...2_000)))
        case 14: askForEverythingAtOnce()
        case 15, 16: enrol()
        case 17: shutOneOut(on: line)
        default: reconnect()
        }
    }

    private func uploadBelowTheHead(on line: HostileLine) {
        let replica = ReplicaID(rawValue: 0xF00D)
        var author = authors[replica] ?? HostileAuthor(replica, group)
        guard let segment = author.write(number(20...800), at: server.clock.wall() / 1000, epoch) else {
            return
        }
        authors[replica] = author
        line.say(.upload(segment))
        guard let part = segment.prefix(through: segment.firstSeq + UInt64(segment.count / 2)) else { return }
        trace("uploads \(segment.count) events, and a part of them again and again")
        for _ in 0..<number(10...300) { line.say(.upload(part)) }
    }

    private func list(_ others: [Digest], on line: HostileLine) {
        var roster = (0..<number(1...600)).map { _ in
            RosterEntry(device: digest(), isRevoked: Bool.random(using: &random))
        }
        roster += others.map { RosterEntry(device: $0, isRevoked: Bool.random(using: &random)) }
        trace("lists \(roster.count) keys, the others' among them")
        line.say(.roster(roster))
    }

    private func invite(on line: HostileLine) {
        trace("makes invites")
        for _ in 0..<number(1...100) {
            let lifetimes: [UInt32] = [0, 1, 1_000, 60_000, .max]
            let lifetime = lifetimes.randomElement(using: &random) ?? 0
            let token = random.bytes(32)
            guard let hash = try? Digest(of: token.span.bytes) else { continue }
            tokens = (tokens + [token]).suffix(40)
            line.say(.createInvite(InviteRequest(tokenHash: hash, bundle: [1], lifetime: lifetime)))
        }
    }

    private func nameEpochs(on line: HostileLine) {
        trace("names epochs, and fills those that it has named")
        for epoch in epochs.prefix(20) {
            line.say(
                .epoch(
                    EpochRecord(
                        epoch: epoch, predecessor: self.epoch,
                        body: random.bytes(number(1...HostileLine.longestRecord)))
                ))
        }
        for _ in 0..<number(1...60) {
            let epoch = EpochID(rawValue: random.next())
            epochs.append(epoch)
            line.say(.epoch(EpochRecord(epoch: epoch, predecessor: self.epoch, body: [])))
        }
    }

    private func follow(on line: HostileLine) {
        trace("makes successors")
        for _ in 0..<number(1...20) {
            let record = EpochRecord(
                epoch: EpochID(rawValue: random.next()),
                predecessor: epochs.randomElement(using: &random) ?? epoch,
                body: random.bytes(number(0...2_000)))
            line.say(.successor(record, discounting: Array(epochs.prefix(number(0...64)))))
        }
    }

    private func bringReplicas(on line: HostileLine) {
        trace("brings replicas")
        for _ in 0..<number(1...400) {
            var author = HostileAuthor(ReplicaID(rawValue: random.next()), group)
            if let segment = author.write(1, at: server.clock.wall() / 1000, epoch) {
                line.say(.upload(segment))
            }
        }
    }

    /// Frames that are almost whole, on all connections.
    private func holdFrames() {
        trace("holds frames back")
        for line in connections.all {
            let length = UInt32(number(1_000...60_000))
            line.say(
                bytes: withUnsafeBytes(of: length.bigEndian) { Array($0) } + [MessageType.upload.rawValue])
            line.say(bytes: random.bytes(Int(length) - 10))
        }
    }

    /// Asks for everything there is, and takes nothing of it.
    private func askForAll() {
        guard let line = connect(keys[0], takes: false) else { return }
        trace("asks for all, and takes nothing")
        for replica in authors.keys.sorted() { line.say(.want(replica, after: 0)) }
    }

    private func stampAhead(on line: HostileLine) {
        trace("stamps ahead")
        let replica = ReplicaID(rawValue: 0xAEAD)
        for _ in 0..<number(1...60) {
            var author = authors[replica] ?? HostileAuthor(replica, group)
            guard
                let segment = author.write(
                    1, at: max(server.clock.wall() / 1000, author.time) + 119_000, epoch)
            else {
                return
            }
            // What isn't taken leaves a gap: it goes on from what the server has, as far as it can tell.
            if Bool.random(using: &random) { authors[replica] = author }
            line.say(.upload(segment))
        }
    }

    private func revoke(_ others: [Digest], on line: HostileLine) {
        trace("revokes others' laptops")
        for key in others { line.say(.revoke(key)) }
        for _ in 0..<number(0...20) { line.say(.revoke(digest())) }
    }

    /// Lists another key of its own, to come back with.
    private func sleep(on line: HostileLine) {
        let key = digest()
        keys.append(key)
        trace("lists another key of its own")
        line.say(.roster([RosterEntry(device: key, isRevoked: false)]))
    }

    private func askForChains(on line: HostileLine) {
        trace("asks for chains")
        let replicas = authors.keys.sorted() + [ReplicaID(rawValue: 1)]
        for _ in 0..<number(1...200) {
            let replica = replicas.randomElement(using: &random) ?? replicas[0]
            let seqs = (0..<number(1...64)).map { _ in UInt64(number(0...2_000)) }
            line.say(.chainsAsked(replica, at: seqs))
        }
    }

    /// Comes with a key that nobody knows, from elsewhere, and says what only members may, or nothing.
    private func comesAsStranger() {
        guard let line = connections.open(digest(), from: 67) else { return }
        trace("comes as a stranger")
        switch number(0...3) {
        case 0: break
        case 1: line.greet(.enrol)
        case 2:
            line.greet(.enrol)
            line.say(.enrol(Enrol(token: random.bytes(32), kind: .join)))
        default:
            line.greet(.sync)
            line.say(.have(Have(vector: VersionVector(), epochs: [])))
        }
    }

    /// Asks to be let in, with one of its keys or another one, by an invite that may have been used or have ended, to
    /// join or to bring whatever group.
    private func enrol() {
        let known = keys + shutOut
        let key = number(0...1) == 0 ? digest() : known.randomElement(using: &random) ?? keys[0]
        guard let line = connections.open(key, from: 68) else { return }
        trace("asks to be let in")
        let token = tokens.randomElement(using: &random) ?? random.bytes(32)
        let groups = [group, GroupID(high: random.next(), low: 1)] + world.knownGroups
        let kind: Enrol.Kind =
            number(0...3) > 0 ? .join : .bring(groups.randomElement(using: &random) ?? group, epoch)
        line.greet(.enrol)
        line.say(.enrol(Enrol(token: token, kind: kind)))
        guard Bool.random(using: &random) else { return }
        line.say(.have(Have(vector: VersionVector(), epochs: [])))
        if kind == .join, !known.contains(key), number(0...2) == 0 { keys.append(key) }
    }

    /// Shuts one of its own keys out, which tries to go on.
    private func shutOneOut(on line: HostileLine) {
        guard let key = keys.dropFirst().randomElement(using: &random), line.key != key else { return }
        trace("shuts one of its keys out")
        keys.removeAll { $0 == key }
        shutOut = (shutOut + [key]).suffix(8)
        let own = connections.all.filter { $0.key == key }
        line.say(.revoke(key))
        for line in own { invite(on: line) }
    }

    /// More than anybody answers at once, of one kind, on a connection of its own: whoever says that isn't listened to for
    /// a while.
    private func askForEverythingAtOnce() {
        guard let line = connect(keys.randomElement(using: &random) ?? keys[0]) else { return }
        trace("asks for everything at once")
        let replicas = authors.keys.sorted()
        switch number(0...6) {
        case 0: for sent in 0..<number(17...400) { line.say(.ping(sent: Int64(sent))) }
        case 1:
            for _ in 0..<number(17...100) {
                for replica in replicas { line.say(.want(replica, after: UInt64(number(0...50)))) }
            }
        case 2:
            let roster = (0..<number(65...2_000)).map { _ in RosterEntry(device: digest(), isRevoked: false) }
            line.say(.roster(roster))
        case 3: for _ in 0..<number(17...200) { line.say(.revoke(digest())) }
        case 4:
            for _ in 0..<number(17...100) {
                line.say(.chainsAsked(replicas.first ?? ReplicaID(rawValue: 1), at: [1, 2]))
            }
        case 5: for _ in 0..<number(2...10) { nameEpochs(on: line) }
        default:
            var author = HostileAuthor(ReplicaID(rawValue: random.next()), group)
            for _ in 0..<number(100...700) {
                guard let segment = author.write(1, at: server.clock.wall() / 1000, epoch) else { return }
                line.say(.upload(segment))
            }
        }
    }

    private func reconnect() {
        trace("connects with all that it has")
        for line in connections.all.prefix(4) { line.hangUp() }
        for _ in 0..<8 { _ = connect(keys.randomElement(using: &random) ?? keys[0]) }
    }
}
