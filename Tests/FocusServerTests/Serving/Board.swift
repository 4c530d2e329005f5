import FocusCore
import FocusSync
import Synchronization
import Testing

@testable import FocusServer

/// A connection that keeps what is sent on it.
final class Line: MemberConnection {
    let id: ConnectionID
    let peerBlock: AddressBlock
    private(set) var sent: [UInt8] = []
    private(set) var isClosed = false
    let unsentBytes = 0
    let shownKey: Digest?

    init(_ id: ConnectionID, from byte: UInt8, shown: Digest) {
        self.id = id
        shownKey = shown
        peerBlock = AddressBlock(address: [192, 0, 2, byte])
    }

    var peerDescription: String { "line \(id)" }
    func send(_ bytes: [UInt8]) { sent += bytes }
    func pauseReading() {}
    func resumeReading() {}
    func close() { isClosed = true }
    func abort() { isClosed = true }

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
    func read(_ request: ReaderRequest) {}
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
    private var number: ConnectionID = 0

    init(devices count: UInt8 = 9, _ change: (inout ServerLimits) -> Void = { _ in }) throws {
        var limits = ServerLimits()
        change(&limits)
        let log = GroupLog(number: 1, group: ServerFixture.group, created: 0)
        let devices = try (1...count).map {
            StoredDevice(
                key: try digest($0), group: ServerFixture.group, isProved: true, enrolled: 0, lastSeen: 0,
                revoked: nil)
        }
        let steady: @Sendable () -> Int64 = { [watch] in watch.seconds.withLock { $0 * 1_000_000 } }
        let clock = ServerClock(
            greatestServed: 0, wall: { ServerFixture.now * 1_000 + steady() }, steady: steady)
        switchboard = Switchboard(
            queue, groups: [ServerFixture.group: log], devices: devices, orders: StandingOrders(),
            pin: ServerPin(try digest(0xA1)), clock: clock, limits: limits, log: .silent, whenStopped: {})
    }

    func line(from byte: UInt8 = 1) -> Line {
        number += 1
        return Line(number, from: byte, shown: switchboard.pin.key)
    }

    /// A connection that a device makes and says hello on.
    func connect(_ device: UInt8, from byte: UInt8 = 1, _ purpose: Hello.Purpose = .sync) throws -> Line {
        let line = line(from: byte)
        #expect(switchboard.arrives(line))
        switchboard.opened(line, try digest(device))
        let hello = Hello(versions: [.one], purpose: purpose, sent: 0, program: "a test")
        switchboard.received(Message.hello(hello).encoded(), on: line.id)
        return line
    }

    /// What the writer is asked about, by the device that asks to be let in.
    var enrolments: [Digest] {
        queue.writes.compactMap { if case .enrol(_, let device, _) = $0 { device } else { nil } }
    }
}
