import FocusCore
import FocusSync
import ServerSupport
import Synchronization
import TestSupport
import Testing

@testable import FocusServerCore
@testable import FocusServerStore

/// A connection that records the messages sent on it.
final class Line: ClientConnection {
    /// The number of times that its id was read.
    private(set) var looks = 0
    let number: ConnectionID
    let peerBlock: AddressBlock
    private(set) var sent: [UInt8] = []
    /// The number of sends.
    private(set) var sends = 0
    private(set) var isClosed = false
    /// The time that the other side had to receive the goodbye, or nil if there was none.
    private(set) var goodbye: Duration?
    private(set) var isAborted = false
    /// Whether the other side takes nothing of the messages sent.
    var isStuck = false
    var heldBytes = 0
    let shownKey: Digest?

    init(_ id: ConnectionID, from byte: UInt8, shown: Digest) {
        number = id
        shownKey = shown
        peerBlock = AddressBlock(address: [192, 0, 2, byte])
    }

    var id: ConnectionID {
        looks += 1
        return number
    }

    var unsentBytes: Int { isStuck ? sent.count : 0 }
    var peerDescription: String { "line \(number)" }
    func send(_ bytes: [UInt8]) {
        sent += bytes
        sends += 1
    }
    /// Whether reading is paused.
    private(set) var isPaused = false
    func pauseReading() { isPaused = true }
    func resumeReading() { isPaused = false }
    func close() { isClosed = true }
    func close(within time: Duration) {
        isClosed = true
        goodbye = time
    }
    func abort() {
        isClosed = true
        isAborted = true
    }

    /// The messages that the server sent.
    var messages: [Message] {
        get throws {
            var decoder = FrameDecoder()
            decoder.append(sent[...])
            var messages: [Message] = []
            while let frame = try decoder.next() { messages.append(try Message(frame)) }
            return messages
        }
    }

    /// The welcomes that the server sent.
    var welcomes: [Welcome] {
        get throws {
            try messages.compactMap { if case .welcome(let welcome) = $0 { welcome } else { nil } }
        }
    }

    /// The server's reason for ending the connection, or nil if it gave none.
    var refusal: Refusal? {
        get throws {
            try messages.lazy.compactMap { if case .error(let refusal) = $0 { refusal } else { nil } }.first
        }
    }
}

/// The requests to the store's writer and reader.
final class Queue: StorageQueue {
    var writes: [WriterRequest] = []
    func write(_ request: WriterRequest) { writes.append(request) }
    var reads: [ReaderRequest] = []
    func read(_ request: ReaderRequest) { reads.append(request) }
}

/// A clock that a test sets.
final class Watch: Sendable {
    let seconds = Mutex<Int64>(0)
}

/// The switchboard of a server that knows devices 1 to 9 by default, with everything around it recorded.
final class SwitchboardFixture {
    let switchboard: Switchboard
    let queue = Queue()
    let watch = Watch()
    let turns = Turns()
    /// The events in the server's log.
    let book = LogRecorder()
    private var number: ConnectionID = 0

    /// - Parameters:
    ///   - number: The server's number among the servers on the store, or nil if the store can't be shared.
    ///   - count: The number of devices, from 1 on.
    ///   - change: Changes the limits.
    convenience init(
        as number: Int64? = nil, devices count: UInt8 = 9, _ change: (inout ServerLimits) -> Void = { _ in }
    ) throws {
        try self.init(
            [ServerFixture.group: try (1...count).map { try digest($0) }], as: number, change)
    }

    /// Creates the switchboard of a server that knows these groups and their devices.
    ///
    /// - Parameter damaged: The groups with logs that the server couldn't read.
    init(
        _ groups: [GroupID: [Digest]], damaged: Set<GroupID> = [], as number: Int64? = nil,
        _ change: (inout ServerLimits) -> Void = { _ in }
    ) throws {
        var limits = ServerLimits()
        change(&limits)
        let logs = groups.keys.filter { !damaged.contains($0) }.map {
            GroupIndex(number: Int64($0.low), group: $0, created: 0)
        }
        let devices = groups.flatMap { group, keys in keys.map { SwitchboardFixture.device($0, group) } }
        let steady: @Sendable () -> SteadyInstant = { [watch] in
            .zero + watch.seconds.withLock { .seconds($0) }
        }
        let clock = ServerClock(
            greatestServed: 0, wall: { SharedReading(ServerFixture.now) + (steady() - .zero) },
            steady: steady)
        switchboard = Switchboard(
            queue, as: number, groups: Dictionary(uniqueKeysWithValues: logs.map { ($0.group, $0) }),
            devices: devices,
            orders: StandingOrders(),
            pin: ServerPin(try digest(0xA1)), clock: clock, limits: limits, log: book.log,
            whenTurnsWait: { [turns] in turns.wait = true }, whenStopped: { [turns] in turns.ends += 1 })
    }

    /// Whether connections wait for a turn, and the number of times that the switchboard reported its end.
    final class Turns {
        var wait = false
        var ends = 0
    }

    /// Serves turns until no connection waits.
    func settle() {
        while turns.wait {
            turns.wait = false
            switchboard.takeTurns()
        }
    }

    /// Returns a device of a group, as the store has it.
    static func device(_ key: Digest, _ group: GroupID, revoked: SharedInstant? = nil) -> StoredDevice {
        StoredDevice(key: key, group: group, isProved: true, enrolled: 0, lastSeen: 0, revoked: revoked)
    }

    func line(from byte: UInt8 = 1) -> Line {
        number += 1
        return Line(number, from: byte, shown: switchboard.pin.key)
    }

    /// Opens a connection of a device, which says hello.
    func connect(_ device: UInt8, from byte: UInt8 = 1, _ purpose: Hello.Purpose = .sync) throws -> Line {
        try connect(digest(device), from: byte, purpose)
    }

    func connect(_ device: Digest, from byte: UInt8 = 1, _ purpose: Hello.Purpose = .sync) throws -> Line {
        let line = line(from: byte)
        #expect(switchboard.arrives(line))
        switchboard.opened(line, device)
        greet(line, purpose)
        return line
    }

    func greet(_ line: Line, _ purpose: Hello.Purpose = .sync) {
        say(.hello(Hello(versions: [.one], purpose: purpose, sent: 0, program: "a test")), on: line)
    }

    /// Has a message arrive on a connection.
    func say(_ message: Message, on line: Line) {
        switchboard.received(message.encoded(), on: line.number)
    }

    /// Opens a connection of a device, which says hello and sends its `have`.
    func enter(_ device: Digest, _ have: Have = Have()) throws -> Line {
        let line = try connect(device)
        say(.have(have), on: line)
        return line
    }

    /// The devices that the writer was asked to enrol.
    var enrolments: [Digest] {
        queue.writes.compactMap { if case .enrol(_, let device, _) = $0 { device } else { nil } }
    }
}
