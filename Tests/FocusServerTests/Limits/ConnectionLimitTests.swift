import FocusCore
import FocusSync
import Synchronization
import Testing

@testable import FocusServer

/// How many connections there may be, with the switchboard and its sessions.
@Suite struct ConnectionLimitTests {
    /// A connection that keeps what is sent on it.
    private final class Line: MemberConnection {
        let id: ConnectionID
        let peerBlock: AddressBlock
        private(set) var sent: [UInt8] = []
        private(set) var isClosed = false
        let unsentBytes = 0

        init(_ id: ConnectionID, from byte: UInt8) {
            self.id = id
            peerBlock = AddressBlock(address: [192, 0, 2, byte])
        }

        var peerDescription: String { "line \(id)" }
        func send(_ bytes: [UInt8]) { sent += bytes }
        func pauseReading() {}
        func resumeReading() {}
        func close() { isClosed = true }
        func abort() { isClosed = true }

        /// Why the server ended it, where it said so.
        var refusal: Refusal? {
            get throws {
                var decoder = FrameDecoder()
                decoder.append(sent[...])
                while let frame = try decoder.next() {
                    if case .error(let refusal) = try Message(frame) { return refusal }
                }
                return nil
            }
        }
    }

    private final class Queue: StorageQueue {
        var writes: [WriterRequest] = []
        func write(_ request: WriterRequest) { writes.append(request) }
        func read(_ request: ReaderRequest) {}
    }

    private final class Watch: Sendable {
        let seconds = Mutex<Int64>(0)
    }

    /// A switchboard of a server that knows the devices 1 to 9.
    private final class Board {
        let switchboard: Switchboard
        let queue = Queue()
        let watch = Watch()
        private var number: ConnectionID = 0

        init(_ change: (inout ServerLimits) -> Void) throws {
            var limits = ServerLimits()
            change(&limits)
            let log = GroupLog(number: 1, group: ServerFixture.group, created: 0)
            let devices = try (1...9).map {
                StoredDevice(
                    key: try digest($0), group: ServerFixture.group, enrolled: 0, lastSeen: 0, revoked: nil)
            }
            let steady: @Sendable () -> Int64 = { [watch] in watch.seconds.withLock { $0 * 1_000_000 } }
            let clock = ServerClock(
                greatestServed: 0, wall: { ServerFixture.now * 1_000 + steady() }, steady: steady)
            switchboard = Switchboard(
                queue, groups: [ServerFixture.group: log], devices: devices, revision: 0, clock: clock,
                limits: limits, log: .silent, whenStopped: {})
        }

        func line(from byte: UInt8 = 1) -> Line {
            number += 1
            return Line(number, from: byte)
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

    @Test("a device's oldest connection ends where it has too many, with a reason; others' stay")
    func perDevice()
        throws
    {
        let board = try Board { $0.connectionsPerDevice = 2 }
        let other = try board.connect(2)
        let lines = try (0..<4).map { _ in try board.connect(1) }
        #expect(lines.map(\.isClosed) == [true, true, false, false])
        #expect(try lines[0].refusal?.code == .rate)
        #expect(try lines[0].refusal?.retry == .after(10_000))
        #expect(!other.isClosed)
        // One that ends makes room.
        board.switchboard.closed(lines[3], nil)
        let next = try board.connect(1)
        #expect(!next.isClosed && !lines[2].isClosed)
    }

    @Test("beyond so many connections a device is told that the server is busy, until one ends") func inAll()
        throws
    {
        let board = try Board { $0.connections = 2 }
        let lines = try (1...3).map { try board.connect($0) }
        #expect(lines.map(\.isClosed) == [false, false, true])
        #expect(try lines[2].refusal?.code == .busy)
        #expect(try lines[2].refusal?.retry == .after(30_000))
        board.switchboard.closed(lines[2], nil)
        board.switchboard.closed(lines[0], nil)
        #expect(try !board.connect(3).isClosed)
        #expect(board.switchboard.connectionCount == 2)
    }

    @Test("strangers from one address push out each other, and nobody from elsewhere nor who is known")
    func strangers() throws {
        let board = try Board { $0.strangersPerAddress = 3 }
        let member = try board.connect(1)
        let elsewhere = try board.connect(50, from: 2, .enrol)
        let silent = (0..<2).map { _ in board.line() }
        for line in silent { #expect(board.switchboard.arrives(line)) }
        let strangers = try (51...54).map { try board.connect($0, .enrol) }
        #expect(silent.map(\.isClosed) == [true, true])
        #expect(strangers.map(\.isClosed) == [true, false, false, false])
        #expect(try strangers[0].refusal?.code == .rate)
        #expect(!member.isClosed && !elsewhere.isClosed)
        // A member that comes from the crowded address is on its way for a moment, and then counted no more.
        #expect(try !board.connect(2).isClosed)
        #expect(try !board.connect(3).isClosed)
    }

    @Test("whatever comes, no more is kept than there may be connections") func bounded() throws {
        let board = try Board {
            $0.connections = 20
            $0.strangersPerAddress = 4
        }
        // Nothing of them ever ends.
        var turnedAway = 0
        for number in 0..<500 {
            let line = board.line(from: UInt8(number % 250))
            guard board.switchboard.arrives(line) else {
                turnedAway += 1
                continue
            }
            if number % 2 == 0 { board.switchboard.opened(line, try digest(UInt8(100 + number % 100))) }
        }
        #expect(turnedAway > 0)
        #expect(board.switchboard.doorway.count <= 16)
        #expect(board.switchboard.doorway.blockCount <= 16)
        #expect(board.switchboard.members.count + board.switchboard.arriving.count <= 20 + 2 * 16)
    }

    @Test("devices from one address ask to be let in so often a minute, and are told when to ask again")
    func enrolments() throws {
        let board = try Board { $0.enrolmentsPerMinute = 2 }
        func ask(_ device: UInt8, from byte: UInt8) throws -> Line {
            let line = try board.connect(device, from: byte, .enrol)
            board.switchboard.received(
                Message.enrol(Enrol(token: [1], kind: .join)).encoded(), on: line.id)
            return line
        }
        let lines = try [ask(51, from: 1), ask(52, from: 1), ask(53, from: 1), ask(54, from: 2)]
        #expect(lines.map(\.isClosed) == [false, false, true, false])
        #expect(try lines[2].refusal?.code == .rate)
        #expect(try lines[2].refusal?.retry == .after(30_001))
        #expect(try board.enrolments == [digest(51), digest(52), digest(54)])
        board.watch.seconds.withLock { $0 = 31 }
        #expect(try !ask(53, from: 1).isClosed)
        #expect(try ask(55, from: 1).isClosed)
    }

    @Test("a device that was let in is a stranger no more") func letIn() throws {
        let board = try Board { $0.strangersPerAddress = 1 }
        let line = try board.connect(50, .enrol)
        board.switchboard.received(Message.enrol(Enrol(token: [1], kind: .join)).encoded(), on: line.id)
        let device = StoredDevice(
            key: try digest(50), group: ServerFixture.group, enrolled: 0, lastSeen: 0, revoked: nil)
        board.switchboard.take([
            .device(device), .enrolled(Enrolled(group: ServerFixture.group, bundle: []), to: line.id),
        ])
        #expect(board.switchboard.doorway.count == 0)
        #expect(board.switchboard.connectionCount == 1)
        #expect(try !board.connect(51, .enrol).isClosed)
        #expect(!line.isClosed)
    }
}
