import FocusCore
import FocusDevice
import FocusLink
import FocusSeal
import FocusServerCore
import FocusStore
import FocusSync
import TestSupport

/// An attacker in a group of laptops: it was let in like everybody else, has the group's keys, and sends any
/// messages. It makes any number of keys for itself. It reads everything that the server and the other
/// laptops store, except private keys.
final class Traitor {
    unowned let world: World
    unowned let server: ServerMachine
    let connections: HostileConnections
    var random: SeededGenerator
    /// The index of the group that it is in.
    let number: Int
    /// The id of that group; nil until somebody has let it in.
    private(set) var group: GroupID?
    /// Its own keys. The first one is the key that people know.
    private(set) var keys: [AgreementKey] = []
    /// The hashes of its unused keys. The server knows them, but the log doesn't name them.
    private(set) var unusedKeys: Set<Digest> = []
    /// The group's keys that it has learnt or made.
    var epochs: [EpochID: EpochKey] = [:]
    /// The epochs that it has made.
    var madeEpochs: Set<EpochID> = []
    /// The invites that it has made and not used.
    var unusedInvites: [InviteSecret] = []
    /// Its events of each replica, since it last looked at the server's heads.
    var authors: [ReplicaID: HostileAuthor] = [:]
    /// The stamps of all events that it has written.
    var stamps: Set<Stamp> = []
    /// Its starts that name a later start, and the starts that these name. The traitor may undo any of them.
    var startedAhead: [EventID] = []
    /// The positions of its events with padding that breaks the rule.
    var misPadded: Set<Position> = []
    /// The events that it has undone, and the runs that it has corrected.
    var undoneEvents: Set<EventID> = []
    var correctedRuns: Set<RunID> = []
    /// The replicas that it writes as.
    var replicas: [ReplicaID] = []
    /// Whether it stays away for now.
    private var isAway = false
    /// The invites that its connections use to be let in.
    private var enrolling: [ConnectionID: InviteSecret] = [:]

    init(_ world: World, _ server: ServerMachine, in number: Int, seed: UInt64) {
        self.world = world
        self.server = server
        self.number = number
        connections = HostileConnections(world, server, of: "the traitor")
        random = SeededGenerator(seed: seed)
        connections.didReceive = { [unowned self] in handle($0, on: $1) }
    }

    func trace(_ what: @autoclosure () -> String) { world.trace("traitor", what()) }

    func randomNumber(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    func replica() -> ReplicaID { ReplicaID(rawValue: random.next()) }

    /// The hashes of its keys.
    var hashes: [Digest] { keys.compactMap { try? $0.publicKey.hash() } }

    /// The present time by the server's clock.
    var now: SharedInstant { server.clock.shared }

    /// Whether it was let in.
    var isMember: Bool { group != nil }

    // MARK: - Joining

    /// Makes a key of its own, and returns its hash.
    func makeKey(asleep: Bool) -> Digest? {
        let key = try? AgreementKey.random { (count) throws(SealError) in SecretBytes(random.bytes(count)) }
        guard let key, let hash = try? key.publicKey.hash() else { return nil }
        keys.append(key)
        if asleep { unusedKeys.insert(hash) }
        return hash
    }

    /// Joins by an invite, with a new key.
    ///
    /// - Parameter asleep: Whether the new key disconnects at once and stays unused.
    func enrol(_ secret: InviteSecret, asleep: Bool = false) {
        guard let hash = makeKey(asleep: asleep), let line = connections.open(hash),
            let token = try? secret.token().bytes.exposed()
        else { return }
        enrolling[line.id] = secret
        line.greet(.enrol)
        line.say(.enrol(Enrol(token: token, kind: .join)))
    }

    /// Connects with one of its known keys.
    func connect(_ key: Digest, reads: Bool = true) -> HostileLine? {
        guard let line = connections.open(key, reads: reads) else { return nil }
        line.greet(.sync)
        line.say(have)
        return line
    }

    /// Its `have`, which sometimes claims to have no events.
    private var have: Message {
        let all = group.map { server.vector(of: $0) } ?? VersionVector()
        return .have(Have(vector: randomNumber(0...3) == 0 ? VersionVector() : all, epochs: []))
    }

    private func handle(_ message: Message, on line: HostileLine) {
        guard case .enrolled(let enrolled) = message, let secret = enrolling.removeValue(forKey: line.id),
            let bundle = try? secret.unwrap(enrolled.bundle)
        else { return }
        trace("is let in")
        group = bundle.group
        epochs[bundle.key.epoch] = bundle.key
        line.say(have)
        guard !unusedKeys.contains(line.key) else { return line.hangUp() }
        introduce(line.key, on: line)
    }

    /// Returns a connection that can be used, with a key that isn't asleep.
    func line() -> HostileLine? {
        guard !isAway, isMember else { return nil }
        let open = connections.all.filter { $0.reads && !unusedKeys.contains($0.key) }
        if randomNumber(0...3) > 0, let line = open.randomElement(using: &random) { return line }
        let awake = hashes.filter { !unusedKeys.contains($0) }
        return awake.randomElement(using: &random).flatMap { connect($0) } ?? open.first
    }

    // MARK: - Leaving and returning

    func leave() {
        trace("goes")
        isAway = true
        for line in connections.all { line.hangUp() }
    }

    func reconnect() {
        trace("comes back")
        isAway = false
        _ = hashes.first.flatMap { connect($0) }
    }

    /// Connects with its unused keys and names their devices in the log, under any epoch that it has.
    func wakeKeys() {
        trace("wakes \(unusedKeys.count) keys")
        isAway = false
        for hash in unusedKeys.sorted(by: { $0.precedes($1) }) {
            guard let line = connect(hash) else { continue }
            unusedKeys.remove(hash)
            introduce(hash, on: line)
        }
    }

    /// Writes the event that names a key.
    private func introduce(_ hash: Digest, on line: HostileLine) {
        let key = keys.first { (try? $0.publicKey.hash()) == hash }
        let name: Action = .device(
            name: "the traitor", key: hash.hexadecimal, publicKey: key?.publicKey.bytes)
        let replica = replica()
        replicas.append(replica)
        write([.says(name)], as: replica, on: line)
    }

    // MARK: - Knowledge

    /// Learns the keys of all epochs that it can open with all existing records.
    func learnKeys() {
        guard let group else { return }
        let records = world.laptops.filter { $0.group == number }
            .flatMap { (try? $0.device?.store.epochRecords()) ?? [] }
        let unique = Dictionary(records.map { ($0.epoch, $0) }) { $0.body.isEmpty ? $1 : $0 }
        let sorted = unique.values.sorted { $0.epoch < $1.epoch }
        var known = 0
        repeat {
            known = epochs.count
            for key in keys {
                let ring = try? KeyRing(
                    group, known: epochs.values.sorted { $0.epoch < $1.epoch }, records: sorted, device: key)
                for (epoch, key) in ring?.keys ?? [:] { epochs[epoch] = key }
                newest = ring?.newest ?? newest
            }
        } while epochs.count > known
    }

    /// The newest epoch that the traitor has the key of; nil if it has none.
    private(set) var newest: EpochID?

    /// The laptops of its group.
    var groupLaptops: [Laptop] { world.laptops.filter { $0.group == number } }
}
