import FocusCore
import FocusServerStore
import FocusServing
import FocusSync
import FocusWriter
import SQLiteKit
import Synchronization

/// A server as it is, less its threads and sockets, with its store in memory.
final class FuzzedServer {
    private let disk = VirtualDisk(canLosePower: false)
    private let time: FuzzedTime
    private let clock: ServerClock
    private let limits: ServerLimits
    private let queue: Queue
    private let switchboard: Switchboard
    private let key: Digest
    private var lines: [FuzzedLine] = []
    private var lastID: ConnectionID = 0

    private let turns: Turns

    private static let path = "/focusd.db"

    /// Whether connections wait for their turn.
    private final class Turns {
        var wait = false
    }

    /// What is left for the writer and the reader.
    private final class Queue: StorageQueue {
        let writer: LogWriter
        let reader: LogReader
        var writes: [WriterRequest] = []

        init(_ writer: LogWriter, _ reader: LogReader) {
            self.writer = writer
            self.reader = reader
        }

        func write(_ request: WriterRequest) { writes.append(request) }
        func read(_ request: ReaderRequest) { reader.handle(request) }
    }

    /// - Parameter tokens: the hashes of the tokens of invites that bring a group.
    init(_ limits: ServerLimits, tokens: [Digest]) throws {
        self.limits = limits
        let time = FuzzedTime()
        self.time = time
        clock = ServerClock(
            greatestServed: .zero, wall: { SharedReading(microseconds: time.now) },
            steady: { SteadyInstant(microseconds: time.now) })
        key = try Script.digest(0xEE)
        let store = try SQLiteServerStore(at: FuzzedServer.path, on: .virtual(disk), access: .readWriteCreate)
        try store.write { transaction in
            for token in tokens {
                try transaction.addInvite(
                    token, group: nil, bundle: nil,
                    expires: SharedReading(microseconds: time.now).instant + .seconds(86_400), by: nil)
            }
        }
        let orders = try store.read { try $0.orders() }
        let writer = try LogWriter(store, clock: clock, limits: limits, log: .silent)
        let reader = LogReader(
            try SQLiteServerStore(at: FuzzedServer.path, on: .virtual(disk), access: .readOnly), log: .silent)
        queue = Queue(writer, reader)
        let turns = Turns()
        self.turns = turns
        switchboard = Switchboard(
            queue, groups: writer.groups, devices: [], orders: orders, pin: ServerPin(key), clock: clock,
            limits: limits, log: .silent, whenTurnsWait: { turns.wait = true }, whenStopped: {})
    }

    /// What its clock shows.
    var now: SharedInstant { SharedReading(microseconds: time.now).instant }

    // MARK: - Connections

    /// A device connects; nil where it is turned away.
    func connect(_ device: Digest, from byte: UInt8) -> FuzzedLine? {
        lastID += 1
        let line = FuzzedLine(lastID, device, from: byte, shown: key)
        guard switchboard.arrives(line) else { return nil }
        lines.append(line)
        switchboard.opened(line, device)
        return line
    }

    /// The other side ends a connection.
    func hangUp(_ line: FuzzedLine) { line.abort() }

    /// The other side takes what it was sent.
    func drain(_ line: FuzzedLine) {
        line.takes = true
        switchboard.writable(line.id)
    }

    /// The server takes what has come on a connection, whatever else there is to be done.
    func hear(_ line: FuzzedLine) {
        while let bytes = line.next() { switchboard.received(bytes, on: line.id) }
    }

    // MARK: - Going on

    /// So much time passes, in seconds, and what is done now and then is done.
    func pass(_ seconds: Int64) {
        time.pass(seconds * 1_000_000)
        switchboard.tick()
        switchboard.refresh()
        switchboard.storeSightings()
    }

    /// Does one thing of those that are to be done.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    func work() throws -> Bool {
        let over = lines.filter(\.isClosed)
        lines.removeAll(where: \.isClosed)
        for line in over { switchboard.closed(line, nil) }
        for line in lines {
            try hold(line.problem == nil, "what the server sends can be read: \(line.problem ?? "")")
            guard let bytes = line.next() else { continue }
            switchboard.received(bytes, on: line.id)
            return true
        }
        if exchange(&turns.wait, with: false) {
            switchboard.takeTurns()
            return true
        }
        if !queue.writes.isEmpty || !queue.writer.isIdle {
            queue.writer.add(queue.writes)
            queue.writes = []
            switchboard.handle(queue.writer.turn())
            return true
        }
        if !queue.reader.isIdle {
            if let answer = queue.reader.work() { switchboard.handle([answer]) }
            return true
        }
        return !over.isEmpty
    }

    /// Does all that is to be done.
    func settle() throws {
        var steps = 0
        while try work() {
            steps += 1
            try hold(steps < 100_000, "a server gets done with what it was sent")
        }
    }

    // MARK: - What it has

    /// Each group's log, as the writer has it in memory.
    var groups: [GroupID: GroupIndex] { queue.writer.groups }

    /// The same, as one finds it who opens the store anew.
    func groupsReadAnew() throws -> [GroupID: GroupIndex] {
        let store = try SQLiteServerStore(at: FuzzedServer.path, on: .virtual(disk), access: .readWrite)
        return try LogWriter(store, clock: clock, limits: limits, log: .silent).groups
    }

    /// A number that the store holds about a group.
    func number(_ query: String, of log: GroupIndex) throws -> Int {
        let database = try Database(path: FuzzedServer.path, on: .virtual(disk), access: .readOnly)
        return try database.first(query, log.name.number) { $0[0] } ?? 0
    }
}

/// A clock that goes as it is told, in microseconds since the Unix epoch.
private final class FuzzedTime: Sendable {
    private let time = Mutex<Int64>(1_763_661_600_000_000)

    var now: Int64 { time.withLock(\.self) }

    func pass(_ microseconds: Int64) { time.withLock { $0 += microseconds } }
}
