import FocusCore
import FocusServerStore
import SQLiteKit
import TestSupport

/// A database that several servers share, on a machine of its own: SQLite's store on a disk, and the rows
/// that only a shared store has. It does what PostgreSQL does besides SQL (`PostgreSQLServerStore`): each
/// commit adds its news in the same transaction, and a notice informs the other servers.
///
/// Transactions don't overlap here. `SharedStoreTests` tests overlapping transactions with PostgreSQL.
final class SharedDatabase {
    unowned let world: World
    let disk = VirtualDisk(canLosePower: false)
    var rows = SharedRows()
    /// The heads that servers have acknowledged in all groups. Their events must stay there.
    private(set) var promised: [GroupID: [ReplicaID: Head]] = [:]
    /// Whether answers to commits, and some commits, get lost.
    var losesAnswers = false
    /// Whether notices between servers get lost.
    var losesNotices = false
    /// The indices of the servers that can't reach it.
    private(set) var cutOff: Set<Int> = []
    /// The last instant at which each server couldn't do its work, by the server's index.
    private var troubles: [Int: Int64] = [:]
    /// The proved devices that are revoked, each with the instant at which that was noticed.
    private var revoked: [GroupID: [Digest: Int64]] = [:]
    /// Whether rosters may have changed since `revoked` was computed.
    private var mayRostersDiffer = true
    private var newsConnections: [SharedNewsConnection] = []
    /// The number of the server that joined last.
    private var lastServer: Int64 = 0
    /// The keepers of each replica's events, in the order in which they stored them.
    private var keepers: [ReplicaID: [Keeper]] = [:]
    /// The numbers of the news rows for which a listener's notice was lost, until it reads them.
    private var missed: [Missed: Set<Int64>] = [:]
    private let source: SourceID
    private var random: SeededGenerator

    /// The server that stored a replica's events up to seq `last`, from the preceding keeper's on.
    struct Keeper {
        let last: UInt64
        /// The server's number.
        let server: Int64
        /// Whether the server got the answer that they are stored.
        let isAnswered: Bool
    }

    private struct Missed: Hashable {
        let listener: Int64
        let server: Int64
    }

    init(_ world: World, seed: UInt64) {
        self.world = world
        source = world.source()
        random = SeededGenerator(seed: seed)
        disk.start()
    }

    /// Records that the world has covered this case of sharing.
    func reach(_ what: String) { world.reach.count(.sharing, what) }

    // MARK: - Servers

    /// Registers a server that starts, and returns its connection for news.
    func join(_ machine: ServerMachine) throws -> SharedNewsConnection {
        try requireReachable(by: machine.index)
        let place = "server\(machine.index)"
        lastServer += 1
        // A former server at the same place is gone.
        for (number, row) in rows.servers where row.place == place && row.ended == nil {
            rows.servers[number]?.seen = .min / 2
        }
        rows.servers[lastServer] = SharedRows.Server(place: place, seen: world.now)
        let connection = SharedNewsConnection(self, machine, lastServer)
        newsConnections.removeAll { $0.machine === machine }
        newsConnections.append(connection)
        return connection
    }

    /// Removes a connection for news.
    func remove(_ connection: SharedNewsConnection) { newsConnections.removeAll { $0 === connection } }

    /// Cuts a server off from the database, or connects it again.
    func setReachable(_ isReachable: Bool, by machine: Int) {
        if isReachable { cutOff.remove(machine) } else { cutOff.insert(machine) }
        for connection in newsConnections where connection.machine.index == machine && !isReachable {
            connection.disconnect()
        }
    }

    /// Ends all failures of the database.
    func mend() {
        losesAnswers = false
        losesNotices = false
        for machine in cutOff.sorted() { setReachable(true, by: machine) }
    }

    func requireReachable(by machine: Int) throws {
        guard cutOff.contains(machine) else { return }
        recordTrouble(of: machine)
        reach("out of reach")
        throw SharedStoreTrouble.unreachable
    }

    /// Records that a server can't do its work now.
    func recordTrouble(of machine: Int) { troubles[machine] = world.now }

    /// Returns the instant since which a server has been able to do its work.
    func healthySince(_ machine: Int) -> Int64 { troubles[machine] ?? 0 }

    /// Records that a roster may have changed.
    func changeRosters() { mayRostersDiffer = true }

    /// Returns the proved devices that are revoked, by group, each with the instant at which the revocation
    /// was noticed.
    func revocations() -> [GroupID: [Digest: Int64]] {
        guard mayRostersDiffer,
            let store = try? SQLiteServerStore(
                at: ServerMachine.path, on: .virtual(disk), access: .readOnly),
            let devices = try? store.read({ try $0.devices() })
        else { return revoked }
        mayRostersDiffer = false
        let before = revoked
        revoked = [:]
        for device in devices where device.isProved && device.revoked != nil {
            revoked[device.group, default: [:]][device.key] = before[device.group]?[device.key] ?? world.now
        }
        return revoked
    }

    // MARK: - Commits

    /// The result of a commit.
    enum Fate {
        case kept, answerLost, lost
        /// The commit isn't visible for now, and may be kept later.
        case late
    }

    func drawFate(of machine: Int) -> Fate {
        guard losesAnswers else { return .kept }
        recordTrouble(of: machine)
        switch Int.random(in: 0..<8, using: &random) {
        case 0: return .lost
        case 1: return .answerLost
        case 2: return .late
        default: return .kept
        }
    }

    /// Records that a server has stored these events.
    func recordStored(
        _ segments: [(replica: ReplicaID, first: UInt64, last: UInt64)], by server: Int64, isAnswered: Bool
    ) {
        for segment in segments {
            // A replica that begins at seq 1 again belongs to a group that was deleted.
            if segment.first == 1 { keepers[segment.replica] = nil }
            keepers[segment.replica, default: []].append(
                Keeper(last: segment.last, server: server, isAnswered: isAnswered))
        }
    }

    /// Returns the keeper of a stored event, or nil if it isn't known.
    func keeper(of replica: ReplicaID, _ seq: UInt64) -> Keeper? {
        keepers[replica]?.first { $0.last >= seq }
    }

    /// Records that a server has acknowledged this head.
    func promise(_ head: Head, of replica: ReplicaID, in group: GroupID) {
        guard head.seq > promised[group]?[replica]?.seq ?? 0 else { return }
        promised[group, default: [:]][replica] = head
    }

    /// Forgets the promises about a group that the operator deleted.
    func forget(_ group: GroupID) { promised[group] = nil }

    /// Keeps a commit after a delay of up to 40 seconds. The commit is undone if other servers have written
    /// events that contradict it. In PostgreSQL these servers would have waited for the commit.
    func commitLate(
        _ commit: SharedUnknownCommit, _ repeatable: [(SharedTransaction) throws -> Void], by server: Int64
    ) {
        let delay = Int64.random(in: 1_000...(.seconds(random.next() % 4 == 0 ? 40 : 3)), using: &random)
        world.schedule(at: world.now + delay, by: source) { [unowned self] in
            guard let kept = try? redo(repeatable, by: server) else {
                reach("a commit undone late")
                return commit.fate = .undone
            }
            reach("a commit kept late")
            commit.fate = .kept
            if let row = commit.row { rows.add(row, of: server) }
            recordStored(kept.segments, by: server, isAnswered: false)
        }
    }

    private func redo(
        _ repeatable: [(SharedTransaction) throws -> Void], by server: Int64
    ) throws -> SharedTransaction {
        let store = try SQLiteServerStore(
            at: ServerMachine.path, on: .virtual(disk), access: .readWrite)
        return try store.write { transaction in
            let late = SharedTransaction(transaction, rows, server: server, now: world.now) { _ in }
            for body in repeatable { try body(late) }
            return late
        }
    }

    // MARK: - Notices

    /// Sends a notice to all servers. Most notices arrive soon and once; some arrive late, twice or never.
    func notify(_ notice: String, of news: (server: Int64, number: Int64)? = nil) {
        for connection in newsConnections {
            switch Int.random(in: 0..<16, using: &random) {
            case 0: recordMissed(news, connection)
            case _ where losesNotices: recordMissed(news, connection)
            case 1:
                deliver(notice, to: connection, within: 5_000)
                deliver(notice, to: connection, within: .seconds(2))
            case 2, 3: deliver(notice, to: connection, within: .seconds(4))
            default: deliver(notice, to: connection, within: 5_000)
            }
        }
    }

    private func deliver(_ notice: String, to connection: SharedNewsConnection, within latest: Int64) {
        let delay = Int64.random(in: 100...latest, using: &random)
        world.schedule(at: world.now + delay, by: source) { [unowned self] in
            guard newsConnections.contains(where: { $0 === connection }) else { return }
            connection.receive(notice)
        }
    }

    private func recordMissed(_ news: (server: Int64, number: Int64)?, _ connection: SharedNewsConnection) {
        guard let news, news.server != connection.server else { return }
        missed[Missed(listener: connection.server, server: news.server), default: []].insert(news.number)
    }

    /// Records that one server reads a news row of another server.
    func recordRead(_ number: Int64, of server: Int64, by listener: Int64) {
        guard missed[Missed(listener: listener, server: server)]?.remove(number) != nil else { return }
        reach("news without a notice")
    }
}
