import FocusCore
import FocusServerStore
import FocusServing
import FocusSync
import FocusWriter

/// What the network's thread of a server does in one of its lives, as it is seen from outside: on its connections, in the
/// mailboxes, and in which order. The checks of its limits go by that alone.
final class ServerWatch {
    /// What the thread is called for.
    enum Call {
        case arrival(ConnectionID)
        case bytes(ConnectionID)
        case turns, answers, tick, other
        case outcomes([WriterOutcome])
    }

    unowned let world: World
    /// The server's machine, and its number among those that share a store; nil where it has one of its own.
    let machine: Int?
    let number: Int64?
    /// All that aren't over at their other end, the oldest first, and by their numbers.
    private(set) var all: [SeenConnection] = []
    private var byID: [ConnectionID: SeenConnection] = [:]
    var call = Call.other
    private var ranks = 0
    /// Whether there may be more connections than at the last look.
    var hasGrown = false
    /// Those that the reader was told are over.
    var ended: Set<ConnectionID> = []
    /// Those that ended in this call and had entered a group.
    private var ending: [ConnectionID] = []
    /// When it began to say goodbye, since it was told to stop, and when it asked whom to come back.
    var leaving: Int64?
    var comebacks: Set<Duration> = []
    var isStopping = false
    /// Whether what came last was a whole message.
    var hasSaidSomething = false

    var crowds: CrowdCheck
    var enrolments: EnrolmentCheck
    let memory: MemoryCheck
    var turns = TurnCheck()
    var revocations: RevocationCheck
    var news = NewsCheck()
    let limits: ServerLimits
    /// Who has proved itself where, as far as anybody here was told.
    private var homes: [GroupID: Set<Digest>] = [:]

    init(
        _ world: World, _ limits: ServerLimits, _ devices: [StoredDevice], as number: Int64?, on machine: Int
    ) {
        self.world = world
        self.number = number
        self.machine = number.map { _ in machine }
        self.limits = limits
        crowds = CrowdCheck(limits: limits)
        enrolments = EnrolmentCheck(limits)
        memory = MemoryCheck(limits: limits)
        revocations = RevocationCheck(devices)
        note(devices)
    }

    var now: Int64 { world.now }

    /// Those that the server hasn't ended.
    var open: [SeenConnection] { all.filter { !$0.isOver } }

    subscript(connection: ConnectionID) -> SeenConnection? { byID[connection] }

    func require(_ trouble: String?, _ rule: String) {
        world.require(trouble == nil, rule) { trouble ?? "" }
    }

    // MARK: - Calls

    /// Has the network's thread do something, and looks at what came of it.
    func during<Result>(_ call: Call, _ body: () -> Result) -> Result {
        self.call = call
        turns.begin(isTurns: isTurns)
        let result = body()
        lookAtEnds()
        lookAtPauses()
        self.call = .other
        if hasGrown {
            hasGrown = false
            require(crowds.excess(open), "there are only so many connections")
        }
        return result
    }

    var isTurns: Bool { if case .turns = call { true } else { false } }

    /// The connection whose bytes came, where that is the call.
    var talking: ConnectionID? { if case .bytes(let connection) = call { connection } else { nil } }

    /// Of what ended, the reader was told.
    private func lookAtEnds() {
        guard !ending.isEmpty else { return }
        let untold = isStopping ? nil : ending.first { !ended.contains($0) }
        ending = []
        require(
            untold.map { "of \(byID[$0]?.line.peerDescription ?? "one") it wasn't" },
            "the reader is told of each connection that ends")
    }

    // MARK: - Connections

    /// A connection has come.
    ///
    /// - Returns: it, as the switchboard has it.
    func comes(_ line: any ClientConnection, _ key: Digest) -> WatchedConnection {
        ranks += 1
        let seen = SeenConnection(line, key, rank: ranks, at: now)
        all.append(seen)
        byID[line.id] = seen
        hasGrown = true
        return WatchedConnection(line, self)
    }

    /// It counts as a device's from now on.
    func isLetIn(_ seen: SeenConnection) {
        ranks += 1
        (seen.isLetIn, seen.rank) = (true, ranks)
        crowds.named.insert(seen.key)
        hasGrown = true
    }

    /// The server ends a connection.
    func ends(_ connection: ConnectionID, atOnce: Bool = false) {
        guard let seen = byID[connection] else { return }
        seen.isCut = seen.isCut || atOnce
        guard !seen.isOver else { return }
        // Without a word only those are ended that haven't shown who they are, or come as it stops.
        if case .arrival(let newcomer) = call, !isStopping { justify(seen, for: newcomer) }
        over(seen)
    }

    /// Somebody gives way to who has come.
    func justify(_ seen: SeenConnection, for newcomer: ConnectionID) {
        guard let newcomer = byID[newcomer] else { return }
        let what =
            if seen === newcomer {
                "turned away"
            } else if crowds.isStranger(seen) {
                "gives way in the doorway"
            } else if seen.key == newcomer.key {
                "gives way to its device's"
            } else {
                "gives way to its group's"
            }
        world.reach.note(.limit, what)
        require(crowds.grievance(of: seen, for: newcomer, open), "who gives way is who has to")
    }

    func over(_ seen: SeenConnection) {
        guard !seen.isOver else { return }
        seen.isOver = true
        news.ends(seen.id)
        if seen.group != nil { ending.append(seen.id) }
    }

    /// A connection is over at its other end, or was turned away.
    func gone(_ connection: ConnectionID) {
        guard let seen = byID.removeValue(forKey: connection) else { return }
        all.removeAll { $0 === seen }
        over(seen)
    }

    // MARK: - Now and then

    /// The server goes on after it stood still: what it should have done meanwhile it does now.
    func goesOn() {
        for seen in all {
            // A key may still be looked up: its session begins once it has been.
            if seen.hello == nil { seen.came = now }
            if seen.pace.pausedSince != nil { seen.pace.lastReason = now }
            if seen.takenSince != nil { seen.takenSince = now }
            if seen.tooLongSince != nil { seen.tooLongSince = now }
        }
    }

    /// The switchboard has looked at all of them.
    func lookAtAll() {
        let open = open
        if let machine, let database = world.database { lookAtRevoked(open, machine, database) }
        require(memory.excess(open), "only so much is held for connections")
        let stuck = all.first {
            $0.isEndedStuck && !$0.isCut && $0.line.unsentBytes > Limits.unsent
        }
        require(
            stuck.map { "\($0.line.unsentBytes) bytes for one" },
            "what was too much isn't held on for who takes nothing")
        for seen in open {
            require(overdue(seen), "who says nothing, or too much at once, is let go")
            lookAtHome(of: seen)
        }
    }

    /// A device whose store says so has proved itself, or has just been let in.
    func note(_ devices: [StoredDevice]) {
        for device in devices {
            crowds.named.insert(device.key)
            if device.isProved { homes[device.group, default: []].insert(device.key) }
        }
    }

    /// Whoever has taken a welcome belongs there: that is left with the writer.
    private func lookAtHome(of seen: SeenConnection) {
        guard let group = seen.group, let since = seen.takenSince, seen.pace.pausedSince == nil,
            now - since > ServerWatch.late, !isStopping
        else { return }
        seen.takenSince = nil
        require(
            homes[group]?.contains(seen.key) == true ? nil : seen.line.peerDescription,
            "who takes a group's welcome belongs there")
    }

    /// Deadlines are looked at each second.
    private static let late: Int64 = .seconds(2)

    private func overdue(_ seen: SeenConnection) -> String? {
        guard !isStopping, seen.pace.pausedSince == nil else { return nil }
        let silence = now - seen.lastHeard
        if silence > limits.session.silence.inMicroseconds + ServerWatch.late {
            return "silent for \(silence / 1_000_000) s"
        }
        let opened = now - seen.came
        let isDue = seen.hello == nil || seen.hello?.purpose == .enrol && !seen.hasAskedIn && !seen.isKnown
        if isDue, opened > limits.session.opening.inMicroseconds + ServerWatch.late {
            return "unknown after \(opened / 1_000_000) s"
        }
        guard let since = seen.tooLongSince, now - since > ServerWatch.late else { return nil }
        return "a frame of \(seen.received.longest) bytes"
    }
}
