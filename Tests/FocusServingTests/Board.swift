import FocusCore
import FocusSync
import ServerSupport
import Synchronization
import TestSupport
import Testing

@testable import FocusServerStore
@testable import FocusServing
@testable import FocusWriter

/// A connection that keeps what is sent on it.
final class Line: ClientConnection {
    /// How often somebody looked which connection it is.
    private(set) var looks = 0
    let number: ConnectionID
    let peerBlock: AddressBlock
    private(set) var sent: [UInt8] = []
    /// How often something was sent.
    private(set) var sends = 0
    private(set) var isClosed = false
    /// How long the other side had to take its goodbye, where that was said.
    private(set) var goodbye: Duration?
    private(set) var isAborted = false
    /// How much of what is sent the other side doesn't take.
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
    /// Whether nothing is read from it for now.
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

    /// What the server said.
    var messages: [Message] {
        get throws {
            var decoder = FrameDecoder()
            decoder.append(sent[...])
            var messages: [Message] = []
            while let frame = try decoder.next() { messages.append(try Message(frame)) }
            return messages
        }
    }

    /// Why the server ended it, where it said so.
    var refusal: Refusal? {
        get throws {
            try messages.lazy.compactMap { if case .error(let refusal) = $0 { refusal } else { nil } }.first
        }
    }
}

/// What the store would be asked.
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

/// A switchboard of a server that knows so many devices, 1 to 9 where nothing else is said.
final class Board {
    let switchboard: Switchboard
    let queue = Queue()
    let watch = Watch()
    let turns = Turns()
    /// What its log says.
    let book = LogBook()
    private var number: ConnectionID = 0

    /// - Parameter number: the server's among those that share the store; nil where none can.
    convenience init(
        as number: Int64? = nil, devices count: UInt8 = 9, _ change: (inout ServerLimits) -> Void = { _ in }
    ) throws {
        try self.init(
            [ServerFixture.group: try (1...count).map { try digest($0) }], as: number, change)
    }

    /// A switchboard of a server that knows these groups and their devices.
    ///
    /// - Parameter damaged: the groups whose logs it couldn't read.
    init(
        _ groups: [GroupID: [Digest]], damaged: Set<GroupID> = [], as number: Int64? = nil,
        _ change: (inout ServerLimits) -> Void = { _ in }
    ) throws {
        var limits = ServerLimits()
        change(&limits)
        let logs = groups.keys.filter { !damaged.contains($0) }.map {
            GroupIndex(number: Int64($0.low), group: $0, created: 0)
        }
        let devices = groups.flatMap { group, keys in keys.map { Board.device($0, group) } }
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

    /// Whether connections wait for their turn, and how often it was told that all is over.
    final class Turns {
        var wait = false
        var ends = 0
    }

    /// Gives turns until nobody waits.
    func settle() {
        while turns.wait {
            turns.wait = false
            switchboard.takeTurns()
        }
    }

    /// A device of a group as the store has it.
    static func device(_ key: Digest, _ group: GroupID, revoked: SharedInstant? = nil) -> StoredDevice {
        StoredDevice(key: key, group: group, isProved: true, enrolled: 0, lastSeen: 0, revoked: revoked)
    }

    func line(from byte: UInt8 = 1) -> Line {
        number += 1
        return Line(number, from: byte, shown: switchboard.pin.key)
    }

    /// A connection that a device makes and says hello on.
    func connect(_ device: UInt8, from byte: UInt8 = 1, _ purpose: Hello.Purpose = .sync) throws -> Line {
        try connect(digest(device), from: byte, purpose)
    }

    func connect(_ device: Digest, from byte: UInt8 = 1, _ purpose: Hello.Purpose = .sync) throws -> Line {
        let line = line(from: byte)
        #expect(switchboard.arrives(line))
        switchboard.opened(line, device)
        let hello = Hello(versions: [.one], purpose: purpose, sent: 0, program: "a test")
        switchboard.received(Message.hello(hello).encoded(), on: line.id)
        return line
    }

    /// A connection of a device that has said what it has.
    func enter(_ device: Digest, _ have: Have = Have()) throws -> Line {
        let line = try connect(device)
        switchboard.received(Message.have(have).encoded(), on: line.id)
        return line
    }

    /// What the writer is asked about, by the device that asks to be let in.
    var enrolments: [Digest] {
        queue.writes.compactMap { if case .enrol(_, let device, _) = $0 { device } else { nil } }
    }
}
