import FocusCore
import FocusServerCore
import FocusServerStore
import FocusSync
import SQLiteKit
import Synchronization

/// A real server without threads and sockets. Its store is in memory.
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

    /// The requests to the writer and the reader.
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

    /// - Parameters:
    ///   - limits: The server's limits.
    ///   - tokens: The hashes of the tokens of invites that bring a group.
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

    /// The time on the server's clock.
    var now: SharedInstant { SharedReading(microseconds: time.now).instant }

    // MARK: - Connections

    /// Connects a device; returns nil if the server refuses the connection.
    func connect(_ device: Digest, from byte: UInt8) -> FuzzedLine? {
        lastID += 1
        let line = FuzzedLine(lastID, device, from: byte, shown: key)
        guard switchboard.arrives(line) else { return nil }
        lines.append(line)
        switchboard.opened(line, device)
        return line
    }

    /// Ends a connection from the other side.
    func hangUp(_ line: FuzzedLine) { line.abort() }

    /// Lets the other side read what was sent to it.
    func drain(_ line: FuzzedLine) {
        line.reads = true
        switchboard.writable(line.id)
    }

    /// Lets the server read all bytes of a connection, before any other work.
    func deliverAll(on line: FuzzedLine) {
        while let bytes = line.next() { switchboard.received(bytes, on: line.id) }
    }

    // MARK: - Work

    /// Advances the clock by `seconds`, and does the server's periodic work.
    func advance(by seconds: Int64) {
        time.advance(by: seconds * 1_000_000)
        switchboard.tick()
        switchboard.refresh()
        switchboard.storeSightings()
    }

    /// Does one piece of pending work.
    ///
    /// - Returns: Whether there was any.
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
            switchboard.handle(queue.writer.commitBatch())
            return true
        }
        if !queue.reader.isIdle {
            if let answer = queue.reader.work() { switchboard.handle([answer]) }
            return true
        }
        return !over.isEmpty
    }

    /// Does all pending work.
    func runUntilIdle() throws {
        var steps = 0
        while try work() {
            steps += 1
            try hold(steps < 100_000, "a server gets done with what it was sent")
        }
    }

    // MARK: - Logs and store

    /// Each group's log, from the writer's memory.
    var groups: [GroupID: GroupIndex] { queue.writer.groups }

    /// Returns each group's log, loaded again from the store.
    func reloadedGroups() throws -> [GroupID: GroupIndex] {
        let store = try SQLiteServerStore(at: FuzzedServer.path, on: .virtual(disk), access: .readWrite)
        return try LogWriter(store, clock: clock, limits: limits, log: .silent).groups
    }

    /// Returns a number from the store about a group.
    func number(_ query: String, of log: GroupIndex) throws -> Int {
        let database = try Database(path: FuzzedServer.path, on: .virtual(disk), access: .readOnly)
        return try database.first(query, log.name.number) { $0[0] } ?? 0
    }
}

/// A clock that advances only when it is told to, in microseconds since the Unix epoch.
private final class FuzzedTime: Sendable {
    private let time = Mutex<Int64>(1_763_661_600_000_000)

    var now: Int64 { time.withLock(\.self) }

    func advance(by microseconds: Int64) { time.withLock { $0 += microseconds } }
}
