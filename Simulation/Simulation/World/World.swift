import FocusCore
import FocusSeal
import SQLiteKit
import TestSupport

/// Laptops, a server and what lies between them, in virtual time. It runs the programs' own code: only time, disks,
/// network and dice are its own.
///
/// Everything that happens follows from its plan.
package final class World {
    let plan: Plan
    private let time = SimulatedTime()
    private var happenings = Schedule()
    private(set) var laptops: [Laptop] = []
    private(set) var servers: [ServerMachine] = []
    /// What the servers share; nil where there is one.
    private(set) var database: SharedDatabase?
    /// Who means harm; nil where the plan has nobody.
    private(set) var intruder: Intruder?
    /// Who means harm within a group; nil where the plan has nobody.
    private(set) var traitor: Traitor?
    /// Whoever has the server in hand and lies; nil where the plan has nobody.
    private(set) var host: LyingHost?
    let ledger = Ledger()
    /// Where its people look at their history.
    let place: NaivePlace
    /// The groups' numbers, by what the programs know them by.
    private var groups: [GroupID: Int] = [:]
    package private(set) var trace: Trace
    /// The first rule that was broken.
    package private(set) var violation: Violation?
    /// What was done, for people.
    package internal(set) var counts = Counts()
    package internal(set) var reach = Reach()
    /// The keys that were revoked by a laptop or the operator.
    var revokedKeys: Set<Digest> = []
    /// Those that a person meant to shut out, whatever came of it.
    var meantKeys: Set<Digest> = []
    /// The laptops that the traitor shut out, and that aren't in again.
    var comingBack: Set<Int> = []
    /// Whether people know that somebody means harm, and look for keys that are nobody's.
    var isWarned = false
    /// What the traitor must never have the key of, once everybody who knew it was shut out.
    var keptFromTraitor: Set<EpochID> = []
    /// Those that a server has refused as revoked.
    var refusedKeys: Set<Digest> = []
    /// The laptops' private keys, by the hashes of the public ones.
    var identities: [Digest: AgreementKey] = [:]
    /// The epochs of the keys that invites brought in place of a group's.
    var wrongKeys: Set<EpochID> = []
    /// What laptops that were shut out must never have the key of.
    var forbidden: [Digest: Set<EpochID>] = [:]
    /// What is known of those that were taken back, by group.
    var readmissions: [Int: ReadmissionCheck] = [:]
    var random: SeededGenerator
    private var sources: UInt64 = 0
    private var connections: UInt64 = 0

    /// No run takes so many happenings.
    private static let endless = 50_000_000

    /// How much was done in a run.
    package struct Counts: Hashable, Sendable, CustomStringConvertible {
        package var presses = 0
        package var refusedPresses = 0
        package var calms = 0
        package var happenings = 0
        package var comparisons = 0
        /// Stretches of history that were taken along into a group.
        package var carried = 0
        /// How much of it stayed behind.
        package var leftBehind = 0
        /// How often what a laptop wrote on returning was held against the rules, and how often that was something.
        package var returns = 0
        package var returnsWritten = 0
        /// How many of these decided about time asleep; how often a session beside another's was, and how often what a laptop
        /// did by itself couldn't be held against the rules.
        package var wakings = 0
        package var besides = 0
        package var skipped = 0
        /// What laptops said of what they did by themselves.
        package var said = 0
        /// How often a laptop that was shut out was found not to have its group's newest key.
        package var shutOut = 0
        /// How often one that came with an old key, and that nobody accepted, was.
        package var asleep = 0
        /// Events that a server took from the intruder.
        package var intruded = 0
        /// What a host said, or kept to itself, that its server wouldn't have.
        package var lies = 0
        /// Events that the traitor sent, and how often it was found not to have its group's newest key.
        package var betrayed = 0
        package var keptOut = 0

        package var description: String {
            "\(presses) presses (and \(refusedPresses) that couldn't be), \(calms) calms, \(comparisons) comparisons, \(carried) stretches taken along and \(leftBehind) left behind, \(returns) returns of which \(returnsWritten) wrote something and \(wakings) had slept, \(besides) sessions beside another's, \(skipped) of these that couldn't be told, \(said) things said of them, \(shutOut + asleep) found without the newest key, \(intruded) events of the intruder's, \(betrayed) of the traitor's, who was kept out \(keptOut) times, \(lies) lies of the host's, \(happenings) happenings"
        }

        /// Adds another run's.
        package mutating func add(_ other: Counts) {
            presses += other.presses
            refusedPresses += other.refusedPresses
            calms += other.calms
            happenings += other.happenings
            comparisons += other.comparisons
            carried += other.carried
            leftBehind += other.leftBehind
            returns += other.returns
            returnsWritten += other.returnsWritten
            wakings += other.wakings
            besides += other.besides
            skipped += other.skipped
            said += other.said
            shutOut += other.shutOut
            asleep += other.asleep
            intruded += other.intruded
            lies += other.lies
            betrayed += other.betrayed
            keptOut += other.keptOut
        }
    }

    /// A world that will go by the plan.
    ///
    /// - Throws: where no keys can be made.
    package init(_ plan: Plan, trace use: Trace.Use = .dropped) throws {
        self.plan = plan
        trace = Trace(use)
        random = SeededGenerator(seed: plan.seed ^ 0x5EED)
        var dice = SeededGenerator(seed: plan.seed ^ 0xDA7)
        place = NaivePlace(until: plan.steps.last?.time ?? 0, using: &dice)
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
                        least: least, most: least * 2, spikes: plan.spikes, bytesPerSecond: nil),
                    seed: random.next()))
        }
    }

    // Programs and their connections hold each other.
    deinit {
        for laptop in laptops { laptop.cutLoose() }
    }

    /// Makes the server, or those that share a database.
    ///
    /// - Returns: the first.
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
            let offset = Int64.random(in: -plan.serversApart...plan.serversApart, using: &dice)
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

    /// The server that a step is about.
    func server(by seed: UInt64) -> ServerMachine {
        servers[Int(seed % UInt64(servers.count))]
    }

    /// A laptop's private key.
    func identity() throws(SealError) -> AgreementKey {
        try .random { (count) throws(SealError) in SecretBytes(random.bytes(count)) }
    }

    func digest() -> Digest {
        let bytes = (0..<4).flatMap { _ in withUnsafeBytes(of: random.next().bigEndian) { Array($0) } }
        return Digest(bytes: bytes) ?? Digest(InlineArray(repeating: 0))
    }

    var now: Int64 { time.now }

    /// Shared time, were all clocks right.
    var sharedNow: SharedInstant { SharedInstant(milliseconds: (SimulatedTime.epoch + now) / 1000) }

    /// The connections of all who mean harm.
    var hostile: [HostileConnections] { [intruder?.connections, traitor?.connections].compactMap(\.self) }

    /// A number for someone who has things done later.
    func source() -> SourceID {
        sources += 1
        return SourceID(number: sources)
    }

    func nextConnection() -> UInt64 {
        connections += 1
        return connections
    }

    /// How many quotas were set so far, and the groups that have one, each with the last one's number.
    var quotas = 0
    var limited: [GroupID: Int] = [:]

    /// The groups that laptops have brought, in the order of their ids.
    var knownGroups: [GroupID] { groups.keys.sorted() }

    /// A group's number; the laptop brings it, where it isn't known yet.
    func number(of group: GroupID, from laptop: Laptop) -> Int {
        if let number = groups[group] { return number }
        groups[group] = laptop.group
        return laptop.group
    }

    /// The seed of a laptop's connection.
    func seed(_ laptop: Int, _ connection: UInt64) -> UInt64 {
        var mixed = SeededGenerator(seed: plan.seed &+ UInt64(laptop) << 32 &+ connection)
        return mixed.next()
    }

    func schedule(at instant: Int64, by source: SourceID, _ body: @escaping () -> Void) {
        happenings.add(at: max(instant, now), by: source, body)
    }

    func trace(_ who: String, _ what: @autoclosure () -> String) { trace.add(now, who, what) }

    /// Notes a violation where a rule doesn't hold; the run ends then.
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
            require(counts.happenings < World.endless, "nothing goes on for ever") { "" }
            happenings.removeFirst()?()
        }
        if violation == nil { time.now = max(now, end) }
    }

    /// Runs until something holds, up to an instant; says whether it does.
    func run(until end: Int64, orUntil holds: () -> Bool) -> Bool {
        while violation == nil {
            if holds() { return true }
            guard now < end else { return false }
            run(until: min(end, now + 250_000))
        }
        return false
    }

    /// Sees to a machine whose disk stopped while it did something.
    func look(at laptop: Laptop) {
        guard laptop.isUp, !laptop.disk.hasPower else { return }
        laptop.stop(losingPower: laptop.fate.losesPower)
        laptop.after(laptop.fate.downtime, evenIfDown: true) { laptop.start() }
    }

    /// As `look(at:)`, for the server.
    func look(at server: ServerMachine) {
        guard server.isUp, !server.disk.hasPower else { return }
        server.failures += 1
        server.stop(losingPower: server.fate.losesPower)
        schedule(at: now + server.fate.downtime, by: source()) { server.start() }
    }
}
