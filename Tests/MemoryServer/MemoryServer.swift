package import FocusCore
package import FocusServerCore
package import FocusServerStore
import FocusSync
import SQLiteKit
import Synchronization

/// A real server without threads and sockets. Its store is in memory, and its clock is set by hand.
package final class MemoryServer {
    /// An error of the server, which a test reports.
    package struct Failure: Error, CustomStringConvertible {
        /// The reason.
        package let description: String
    }

    private let disk = VirtualDisk(canLosePower: false)
    private let time: ManualTime
    private let clock: ServerClock
    private let limits: ServerLimits
    private let queue: Queue
    private let switchboard: Switchboard
    private let key: Digest
    private var lines: [MemoryLine] = []
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

    /// Starts a server without groups.
    ///
    /// - Parameters:
    ///   - limits: The server's limits.
    ///   - tokens: The hashes of the tokens of invites that bring a group.
    ///   - key: The hash of the server's key.
    package init(_ limits: ServerLimits, tokens: [Digest], key: Digest) throws {
        self.limits = limits
        self.key = key
        let time = ManualTime()
        self.time = time
        clock = ServerClock(
            greatestServed: .zero, wall: { SharedReading(microseconds: time.now) },
            steady: { SteadyInstant(microseconds: time.now) })
        let store = try SQLiteServerStore(at: MemoryServer.path, on: .virtual(disk), access: .readWriteCreate)
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
            try SQLiteServerStore(at: MemoryServer.path, on: .virtual(disk), access: .readOnly), log: .silent)
        queue = Queue(writer, reader)
        let turns = Turns()
        self.turns = turns
        switchboard = Switchboard(
            queue, groups: writer.groups, devices: [], orders: orders, pin: ServerPin(key), clock: clock,
            limits: limits, log: .silent, whenTurnsWait: { turns.wait = true }, whenStopped: {})
    }

    /// The time on the server's clock.
    package var now: SharedInstant { SharedReading(microseconds: time.now).instant }

    // MARK: - Connections

    /// Connects a device; returns nil if the server refuses the connection.
    package func connect(_ device: Digest, from byte: UInt8) -> MemoryLine? {
        lastID += 1
        let line = MemoryLine(lastID, device, from: byte, shown: key)
        guard switchboard.arrives(line) else { return nil }
        lines.append(line)
        switchboard.opened(line, device)
        return line
    }

    /// Ends a connection from the other side.
    package func hangUp(_ line: MemoryLine) { line.abort() }

    /// Lets the other side read what was sent to it.
    package func drain(_ line: MemoryLine) {
        line.reads = true
        switchboard.writable(line.id)
    }

    /// Lets the server read all bytes of a connection, before any other work.
    package func deliverAll(on line: MemoryLine) {
        while let bytes = line.next() { switchboard.received(bytes, on: line.id) }
    }

    // MARK: - Work

    /// Advances the clock by `seconds`, and does the server's periodic work.
    package func advance(by seconds: Int64) {
        time.advance(by: seconds * 1_000_000)
        switchboard.tick()
        switchboard.refresh()
        switchboard.storeSightings()
    }

    /// Does one piece of pending work.
    ///
    /// - Returns: Whether there was any.
    @discardableResult
    package func work() throws -> Bool {
        let over = lines.filter(\.isClosed)
        lines.removeAll(where: \.isClosed)
        for line in over { switchboard.closed(line, nil) }
        for line in lines {
            if let problem = line.problem { throw Failure(description: "unreadable messages: \(problem)") }
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
    package func runUntilIdle() throws {
        var steps = 0
        while try work() {
            steps += 1
            guard steps < 100_000 else { throw Failure(description: "the work has no end") }
        }
    }

    // MARK: - Logs and store

    /// Each group's log, from the writer's memory.
    package var groups: [GroupID: GroupIndex] { queue.writer.groups }

    /// Returns each group's log, loaded again from the store.
    package func reloadedGroups() throws -> [GroupID: GroupIndex] {
        let store = try SQLiteServerStore(at: MemoryServer.path, on: .virtual(disk), access: .readWrite)
        return try LogWriter(store, clock: clock, limits: limits, log: .silent).groups
    }

    /// Returns a number from the store about a group.
    package func number(_ query: String, of log: GroupIndex) throws -> Int {
        let database = try Database(path: MemoryServer.path, on: .virtual(disk), access: .readOnly)
        return try database.first(query, log.name.number) { $0[0] } ?? 0
    }
}

/// A clock that advances only when it is told to, in microseconds since the Unix epoch.
private final class ManualTime: Sendable {
    private let time = Mutex<Int64>(1_763_661_600_000_000)

    var now: Int64 { time.withLock(\.self) }

    package func advance(by microseconds: Int64) { time.withLock { $0 += microseconds } }
}
