import FocusCore
import FocusSeal
import SQLiteKit
import TestSupport

/// Laptops, servers and the network between them, in virtual time. It runs the programs' own code: only time,
/// disks, network and dice are the simulator's.
///
/// All that happens follows from the plan.
package final class World {
    let plan: Plan
    private let time = SimulatedTime()
    private var happenings = Schedule()
    private(set) var laptops: [Laptop] = []
    private(set) var servers: [ServerMachine] = []
    /// The database that the servers share; nil if there is one server.
    private(set) var database: SharedDatabase?
    /// The attacker in a group of its own; nil if the plan has none.
    private(set) var intruder: Intruder?
    /// The attacker in a group of laptops; nil if the plan has none.
    private(set) var traitor: Traitor?
    /// The attacker that controls the server's host; nil if the plan has none.
    private(set) var host: LyingHost?
    let ledger = Ledger()
    /// The calendar of the place at which people look at their history.
    let timeZone: WorldTimeZone
    /// The index of each group, by the id that the programs use.
    private var groups: [GroupID: Int] = [:]
    package private(set) var trace: Trace
    /// The first rule that was broken.
    package private(set) var violation: Violation?
    /// Counts of presses, checks and attacks, for people.
    package internal(set) var counts = Counts()
    package internal(set) var reach = Reach()
    /// The keys that a laptop or the operator revoked.
    var revokedKeys: Set<Digest> = []
    /// The keys that a person meant to revoke, whether that succeeded or not.
    var intendedRevocations: Set<Digest> = []
    /// The laptops that were revoked against people's will and haven't joined again.
    var rejoining: Set<Int> = []
    /// Whether people know of the traitor, and look for keys that belong to no laptop.
    var isWarned = false
    /// The epochs with keys that the traitor must not get, because it was revoked before.
    var keptFromTraitor: Set<EpochID> = []
    /// The keys that a server has refused as revoked.
    var refusedKeys: Set<Digest> = []
    /// The laptops' private keys, by the hashes of the public keys.
    var identities: [Digest: AgreementKey] = [:]
    /// The epochs of wrong keys: the plan put them into invites, instead of the group's key.
    var wrongKeys: Set<EpochID> = []
    /// The epochs with keys that each revoked laptop must not get.
    var forbidden: [Digest: Set<EpochID>] = [:]
    /// The checks of readmitted keys, by group.
    var readmissions: [Int: ReadmissionCheck] = [:]
    var random: SeededGenerator
    private var sources: UInt64 = 0
    private var connections: UInt64 = 0

    /// The number of happenings from which on a run counts as endless.
    private static let maxHappenings = 50_000_000

    /// Counts of presses, checks and attacks in a run.
    package struct Counts: Hashable, Sendable, CustomStringConvertible {
        package var presses = 0
        package var refusedPresses = 0
        package var happenings = 0
        /// The records that laptops took along into a group.
        package var carried = 0
        /// The records that laptops left behind when they joined a group.
        package var leftBehind = 0
        /// The times that a revoked laptop was found to lack the group's newest key.
        package var shutOut = 0
        /// The times that a latecomer that nobody accepts was found to lack the group's newest key.
        package var latecomers = 0
        /// The intruder's events that a server has stored.
        package var intruded = 0
        /// The lies of the host: messages that it changed, made up or withheld.
        package var lies = 0
        /// The events that the traitor sent.
        package var betrayed = 0
        /// The times that the traitor was found to lack its group's newest key.
        package var keptOut = 0

        private static var all: [(name: String, path: WritableKeyPath<Counts, Int>)] {
            [
                ("presses", \.presses), ("refused presses", \.refusedPresses), ("records carried", \.carried),
                ("records left behind", \.leftBehind), ("revoked laptops without the key", \.shutOut),
                ("latecomers without the key", \.latecomers), ("events of the intruder", \.intruded),
                ("lies of the host", \.lies), ("events of the traitor", \.betrayed),
                ("times that the traitor was kept out", \.keptOut), ("happenings", \.happenings),
            ]
        }

        package var description: String {
            Counts.all.map { "\(self[keyPath: $0.path]) \($0.name)" }.joined(separator: ", ")
        }

        /// Adds the counts of another run.
        mutating func add(_ other: Counts) {
            for (_, path) in Counts.all { self[keyPath: path] += other[keyPath: path] }
        }
    }

    /// Creates a world that will follow the plan.
    ///
    /// - Throws: `SealError` if no keys can be made.
    package init(_ plan: Plan, trace use: Trace.Use = .dropped) throws {
        self.plan = plan
        trace = Trace(use)
        random = SeededGenerator(seed: plan.seed ^ 0x5EED)
        var dice = SeededGenerator(seed: plan.seed ^ 0xDA7)
        timeZone = WorldTimeZone(until: plan.steps.last?.time ?? 0, using: &dice)
        let server = makeServers()
        if plan.hasIntruder { intruder = Intruder(self, server, seed: plan.seed ^ 0xBAD) }
        if let group = plan.traitorGroup {
            traitor = Traitor(self, server, in: group, seed: plan.seed ^ 0x7A17)
        }
        if plan.isLying { host = LyingHost(self, server, seed: plan.seed ^ 0x11E) }
        for (index, group) in plan.laptops.enumerated() {
            let least = Int64.random(in: 200...40_000, using: &random)
            let clock = SimulatedClock(
                time, machine: index,
                error: Int64.random(in: -plan.clockError...plan.clockError, using: &random),
                rate: Int64.random(in: -plan.clockRate...plan.clockRate, using: &random))
            laptops.append(
                try Laptop(
                    self, index: index, group: group, identity: identity(), clock: clock,
                    delays: LinkDelays(
                        least: least, most: least * 2, spikesPerThousand: plan.delaySpikesPerThousand,
                        bytesPerSecond: nil),
                    seed: random.next()))
        }
    }

    // Programs and their connections hold each other, so they are released here.
    deinit {
        for laptop in laptops { laptop.releaseReferences() }
    }

    /// Makes the server, or the servers that share a database.
    ///
    /// - Returns: The first server.
    private func makeServers() -> ServerMachine {
        let key = digest()
        let first = ServerMachine(
            self, key: key, clock: SimulatedClock(time, machine: -1, error: 0, rate: 0), seed: random.next())
        servers = [first]
        guard plan.servers > 1 else { return first }
        var dice = SeededGenerator(seed: plan.seed ^ 0x5EC0)
        let database = SharedDatabase(self, seed: dice.next())
        self.database = database
        servers = (0..<plan.servers).map { index in
            let offset = Int64.random(in: -plan.serverClockError...plan.serverClockError, using: &dice)
            let clock = SimulatedClock(time, machine: -1 - index, error: offset, rate: 0)
            return ServerMachine(
                self, key: key, clock: clock, seed: dice.next(), index: index, offset: offset, on: database)
        }
        return servers[0]
    }

    /// The server, or the first of several that runs.
    var server: ServerMachine {
        servers.first { $0.isUp && !$0.isFrozen } ?? servers[0]
    }

    /// Returns the server that a step is about, by the step's seed.
    func server(by seed: UInt64) -> ServerMachine {
        servers[Int(seed % UInt64(servers.count))]
    }

    /// Returns a new private key for a laptop.
    func identity() throws(SealError) -> AgreementKey {
        try .random { (count) throws(SealError) in SecretBytes(random.bytes(count)) }
    }

    /// Returns `count` random words of 8 bytes.
    func words(_ count: Int) -> [UInt8] {
        (0..<count).flatMap { _ in withUnsafeBytes(of: random.next().bigEndian) { Array($0) } }
    }

    func digest() -> Digest { Digest(bytes: words(4)) ?? Digest(InlineArray(repeating: 0)) }

    var now: Int64 { time.now }

    /// The true shared time.
    var sharedNow: SharedInstant { SharedInstant(milliseconds: (SimulatedTime.epoch + now) / 1000) }

    /// The connections of the intruder and the traitor.
    var hostile: [HostileConnections] { [intruder?.connections, traitor?.connections].compactMap(\.self) }

    /// Returns a new source of scheduled work.
    func source() -> SourceID {
        sources += 1
        return SourceID(number: sources)
    }

    func nextConnection() -> UInt64 {
        connections += 1
        return connections
    }

    /// The groups that laptops have been in, ordered by id.
    var knownGroups: [GroupID] { groups.keys.sorted() }

    /// Returns a group's index. A group that isn't known yet gets the index of the laptop's planned group.
    func index(of group: GroupID, from laptop: Laptop) -> Int {
        if let index = groups[group] { return index }
        groups[group] = laptop.group
        return laptop.group
    }

    /// Returns the seed of a laptop's connection.
    func seed(_ laptop: Int, _ connection: UInt64) -> UInt64 {
        var mixed = SeededGenerator(seed: plan.seed &+ UInt64(laptop) << 32 &+ connection)
        return mixed.next()
    }

    func schedule(at instant: Int64, by source: SourceID, _ body: @escaping () -> Void) {
        happenings.add(at: max(instant, now), by: source, body)
    }

    func trace(_ who: String, _ what: @autoclosure () -> String) { trace.add(now, who, what) }

    /// Records a violation if the rule doesn't hold. A violation ends the run.
    func require(_ holds: Bool, _ rule: String, _ details: () -> String) {
        guard !holds, violation == nil else { return }
        violation = Violation(rule: rule, details: details(), time: now)
        trace("world", "VIOLATION \(rule): \(details())")
    }

    /// Lets time pass until an instant, or until a rule is broken.
    func run(until end: Int64) {
        while violation == nil, let next = happenings.next, next <= end {
            time.now = next
            counts.happenings += 1
            require(counts.happenings < World.maxHappenings, "nothing goes on for ever") { "" }
            happenings.removeFirst()?()
        }
        if violation == nil { time.now = max(now, end) }
    }

    /// Runs until the condition holds, or until an instant. Returns whether it holds.
    func run(until end: Int64, orUntil holds: () -> Bool) -> Bool {
        while violation == nil {
            if holds() { return true }
            guard now < end else { return false }
            run(until: min(end, now + 250_000))
        }
        return false
    }

    /// Restarts a laptop later if its disk has stopped.
    func restartIfStopped(_ laptop: Laptop) {
        guard laptop.isUp, !laptop.disk.hasPower else { return }
        laptop.stop(losingPower: laptop.outage.losesPower)
        laptop.after(laptop.outage.downtime, evenIfDown: true) { laptop.start() }
    }

    /// Restarts a server later if its disk has stopped.
    func restartIfStopped(_ server: ServerMachine) {
        guard server.isUp, !server.disk.hasPower else { return }
        server.failures += 1
        server.stop(losingPower: server.outage.losesPower)
        schedule(at: now + server.outage.downtime, by: source()) { server.start() }
    }
}
