import FocusCore
import FocusSeal
import FocusServerCore
import FocusServerStore
import FocusSync
import TestSupport

/// An attacker that is a member of its own group: it knows the protocol, has keys, and sends any messages in
/// any order. It isn't a laptop, and keeps no log.
///
/// The other groups' laptops must work as if the intruder weren't there.
final class Intruder {
    unowned let world: World
    unowned let server: ServerMachine
    let connections: HostileConnections
    var random: SeededGenerator
    let group: GroupID
    let epoch = EpochID(rawValue: 0xBAD)
    /// Its own keys. The first one has brought the group.
    var keys: [Digest] = []
    /// Its events of each replica, so that it can continue them.
    var authors: [ReplicaID: HostileAuthor] = [:]
    var epochs: [EpochID] = []
    /// The tokens of all invites that it has asked for.
    var tokens: [[UInt8]] = []
    /// The tokens of the invites that were made.
    var validTokens: [[UInt8]] = []
    /// The number of the server's disk on which its group has a quota; nil if none. A new disk has no quota.
    private var quotaDisk: Int?
    /// The keys of its own that it has listed and not used yet.
    var listed: [Digest] = []
    /// The keys of its own that it has revoked.
    var revokedKeys: [Digest] = []

    init(_ world: World, _ server: ServerMachine, seed: UInt64) {
        self.world = world
        self.server = server
        connections = HostileConnections(world, server, of: "the intruder")
        random = SeededGenerator(seed: seed)
        group = GroupID(high: random.next(), low: random.next())
        keys = [random.digest()]
        connections.didReceive = { [unowned self] in handle($0, on: $1) }
    }

    /// Handles a message: a key that was let in becomes its own, and an invite that was made can be used.
    private func handle(_ message: Message, on line: HostileLine) {
        switch message {
        case .enrolled(let enrolled):
            if enrolled.group == group, !keys.contains(line.key) { keys.append(line.key) }
            line.say(.have(Have()))
        case .done(let number):
            if let token = line.tokens.removeValue(forKey: number) {
                validTokens = (validTokens + [token]).suffix(40)
            }
        case .refused(let number, _): line.tokens[number] = nil
        default: break
        }
    }

    func trace(_ what: @autoclosure () -> String) { world.trace("intruder", what()) }

    func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    // MARK: - Connecting

    /// Connects with one of its keys: as a member, or by bringing its group again if the server doesn't have
    /// it.
    func connect(_ key: Digest, reads: Bool = true) -> HostileLine? {
        guard let line = connections.open(key, reads: reads) else { return nil }
        let isKnown = server.number(of: group) != nil
        line.greet(isKnown ? .sync : .enrol)
        guard !isKnown else {
            line.say(.have(Have()))
            return line
        }
        let token = createInviteToken()
        authors = [:]
        epochs = []
        listed = []
        quotaDisk = nil
        line.say(.enrol(Enrol(token: token, kind: .bring(group, epoch))))
        return line
    }

    /// Returns the token of an invite with which the operator lets it bring its group.
    private func createInviteToken() -> [UInt8] {
        let token = random.bytes(32)
        try? server.operate { store in
            try store.addInvite(
                try Digest(of: token.span.bytes), group: nil, bundle: nil,
                expires: self.server.clock.shared + .seconds(600), by: nil)
        }
        return token
    }

    /// Sets the group's quota as the operator, so that the group stays small.
    private func setOwnQuota() {
        let quota = GroupQuota(events: 3_000)
        guard quotaDisk != server.disks, (try? server.replaceQuota(of: group, with: quota)) != nil else {
            return
        }
        quotaDisk = server.disks
    }

    /// Returns a connection that can be used, sometimes a new one.
    private func line() -> HostileLine? {
        let open = connections.all.filter { $0.reads && !$0.isInsideFrame && keys.contains($0.key) }
        if number(0...3) > 0, let line = open.randomElement(using: &random) { return line }
        return connect(keys.randomElement(using: &random) ?? keys[0]) ?? open.first
    }

    // MARK: - Attacks

    /// Makes a few attacks at once, chosen by the seed.
    ///
    /// - Parameter others: The keys of other groups' laptops, which it has seen somewhere.
    func act(seed: UInt64, others: [Digest]) {
        random = SeededGenerator(seed: seed)
        guard server.number(of: group) != nil else {
            _ = connect(keys[0])
            return
        }
        setOwnQuota()
        for _ in 0..<number(1...5) { act(others) }
    }

    private func act(_ others: [Digest]) {
        guard let line = line() else { return }
        switch number(0...20) {
        case 0: uploadBelowTheHead(on: line)
        case 1: list(others, on: line)
        case 2: invite(on: line)
        case 3: nameEpochs(on: line)
        case 4: proposeSuccessors(on: line)
        case 5: bringReplicas(on: line)
        case 6: holdFrames()
        case 7: askForAll()
        case 8: stampAhead(on: line)
        case 9: revoke(others, on: line)
        case 10: listOwnKey(on: line)
        case 11: askForChains(on: line)
        case 12: connectAsStranger()
        case 13: line.say(bytes: random.bytes(number(1...2_000)))
        case 14, 15: enrol(others)
        case 16: revokeOwnKey(on: line)
        case 17: reconnect()
        case 18: revokeWhileConnecting(on: line)
        case 19: writeBodiesOfAnyLength(on: line)
        default: writeUnderOthers(on: line)
        }
    }
}
