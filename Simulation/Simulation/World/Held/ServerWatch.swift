import FocusCore
import FocusServerStore
import FocusServing
import FocusSync
import FocusWriter

/// Observes the network's thread of a server in one life of the server: connections, mailboxes, and the order
/// of events. The checks of the server's limits use nothing else.
final class ServerWatch {
    /// The reason for which the thread is called.
    enum Call {
        case arrival(ConnectionID)
        case bytes(ConnectionID)
        case turns, answers, tick, other
        case outcomes([WriterOutcome])
    }

    unowned let world: World
    /// The machine and the number of the server, if several share a store; otherwise nil.
    let machine: Int?
    let number: Int64?
    /// The connections that aren't closed at the client's end: the oldest first, and by id.
    private(set) var all: [SeenConnection] = []
    private var byID: [ConnectionID: SeenConnection] = [:]
    var call = Call.other
    private var ranks = 0
    /// Whether there may be more connections than at the last check.
    var hasGrown = false
    /// The connections that the reader was told have ended.
    var ended: Set<ConnectionID> = []
    /// The connections that ended in this call and had entered a group.
    private var ending: [ConnectionID] = []
    /// The time at which a stopping server sent its first goodbye, nil before that; and the delays that its
    /// goodbyes named.
    var leaving: Int64?
    var comebacks: Set<Duration> = []
    var isStopping = false
    /// Whether the last bytes completed a message.
    var hasSaidSomething = false

    var crowds: ConnectionLimitCheck
    var enrolments: EnrolmentCheck
    let memory: MemoryCheck
    var turns = TurnCheck()
    var revocations: RevocationCheck
    var news = CommitOrderCheck()
    let limits: ServerLimits
    /// The devices that have proved themselves in each group, as far as this server was told.
    private var homes: [GroupID: Set<Digest>] = [:]

    init(
        _ world: World, _ limits: ServerLimits, _ devices: [StoredDevice], as number: Int64?, on machine: Int
    ) {
        self.world = world
        self.number = number
        self.machine = number.map { _ in machine }
        self.limits = limits
        crowds = ConnectionLimitCheck(limits: limits)
        enrolments = EnrolmentCheck(limits)
        memory = MemoryCheck(limits: limits)
        revocations = RevocationCheck(devices)
        note(devices)
    }

    var now: Int64 { world.now }

    /// The connections that the server hasn't ended.
    var open: [SeenConnection] { all.filter { !$0.isOver } }

    subscript(connection: ConnectionID) -> SeenConnection? { byID[connection] }

    func require(_ trouble: String?, _ rule: String) {
        world.require(trouble == nil, rule) { trouble ?? "" }
    }

    // MARK: - Calls

    /// Runs one call of the network's thread, and checks its results.
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

    /// The connection on which bytes arrived, if that is the reason for the call; otherwise nil.
    var talking: ConnectionID? { if case .bytes(let connection) = call { connection } else { nil } }

    /// Checks that the reader was told of each connection that ended.
    private func lookAtEnds() {
        guard !ending.isEmpty else { return }
        let untold = isStopping ? nil : ending.first { !ended.contains($0) }
        ending = []
        require(
            untold.map { "of \(byID[$0]?.line.peerDescription ?? "one") it wasn't" },
            "the reader is told of each connection that ends")
    }

    // MARK: - Connections

    /// Records a new connection.
    ///
    /// - Returns: The connection that the switchboard gets.
    func comes(_ line: any ClientConnection, _ key: Digest) -> WatchedConnection {
        ranks += 1
        let seen = SeenConnection(line, key, rank: ranks, at: now)
        all.append(seen)
        byID[line.id] = seen
        hasGrown = true
        return WatchedConnection(line, self)
    }

    /// Records that the connection now counts as a device's.
    func isLetIn(_ seen: SeenConnection) {
        ranks += 1
        (seen.isLetIn, seen.rank) = (true, ranks)
        crowds.named.insert(seen.key)
        hasGrown = true
    }

    /// Records that the server ends a connection.
    func ends(_ connection: ConnectionID, atOnce: Bool = false) {
        guard let seen = byID[connection] else { return }
        seen.isCut = seen.isCut || atOnce
        guard !seen.isOver else { return }
        // Without an error message the server ends only connections without a hello, and new connections
        // while it stops.
        if case .arrival(let newcomer) = call, !isStopping { justify(seen, for: newcomer) }
        over(seen)
    }

    /// Checks that this connection had to make room for the new one.
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

    /// Records that a connection is closed at the client's end, or was turned away.
    func gone(_ connection: ConnectionID) {
        guard let seen = byID.removeValue(forKey: connection) else { return }
        all.removeAll { $0 === seen }
        over(seen)
    }

    // MARK: - Checks at intervals

    /// Restarts the deadlines after the server stood still.
    func goesOn() {
        for seen in all {
            // The key may still be looked up. Its session begins after that.
            if seen.hello == nil { seen.came = now }
            if seen.pace.pausedSince != nil { seen.pace.lastReason = now }
            if seen.takenSince != nil { seen.takenSince = now }
            if seen.tooLongSince != nil { seen.tooLongSince = now }
        }
    }

    /// Checks all connections, after the switchboard has looked at them.
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

    /// Records devices that have proved themselves: according to the store, or because they were just let in.
    func note(_ devices: [StoredDevice]) {
        for device in devices {
            crowds.named.insert(device.key)
            if device.isProved { homes[device.group, default: []].insert(device.key) }
        }
    }

    /// Checks that a device that has taken a group's welcome was recorded as proved in that group.
    private func lookAtHome(of seen: SeenConnection) {
        guard let group = seen.group, let since = seen.takenSince, seen.pace.pausedSince == nil,
            now - since > ServerWatch.late, !isStopping
        else { return }
        seen.takenSince = nil
        require(
            homes[group]?.contains(seen.key) == true ? nil : seen.line.peerDescription,
            "who takes a group's welcome belongs there")
    }

    /// The tolerance for deadlines, which the server looks at once a second.
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
