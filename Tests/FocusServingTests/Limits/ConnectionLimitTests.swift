import FocusCore
import FocusSync
import ServerSupport
import Synchronization
import TestSupport
import Testing

@testable import FocusServerStore
@testable import FocusServing
@testable import FocusWriter

/// Tests of the limits on connections, with the switchboard and its sessions.
@Suite struct ConnectionLimitTests {
    @Test("a device's oldest connection ends with a reason if it has too many, and others' stay")
    func perDevice()
        throws
    {
        let board = try SwitchboardFixture { $0.connectionsPerDevice = 2 }
        let other = try board.connect(2)
        let lines = try (0..<4).map { _ in try board.connect(1) }
        #expect(lines.map(\.isClosed) == [true, true, false, false])
        #expect(try lines[0].refusal?.code == .rate)
        #expect(try lines[0].refusal?.retry == .after(10_000))
        #expect(lines[0].goodbye == .seconds(1), "it isn't waited for any longer")
        #expect(!other.isClosed)
        // A connection that ends makes room.
        board.switchboard.closed(lines[3], nil)
        let next = try board.connect(1)
        #expect(!next.isClosed && !lines[2].isClosed)
    }

    @Test("beyond the limit of connections a device is told that the server is busy, until one ends")
    func inAll()
        throws
    {
        let board = try SwitchboardFixture { $0.connections = 2 }
        let lines = try (1...3).map { try board.connect($0) }
        #expect(lines.map(\.isClosed) == [false, false, true])
        #expect(try lines[2].refusal?.code == .busy)
        #expect(try lines[2].refusal?.retry == .after(30_000))
        #expect(board.book.events.count { $0 == "crowded" } == 1)
        board.switchboard.closed(lines[2], nil)
        board.switchboard.closed(lines[0], nil)
        #expect(try !board.connect(3).isClosed)
        #expect(board.switchboard.known.count == 2)
    }

    @Test("strangers from one address push out each other, and nobody from elsewhere nor who is known")
    func strangers() throws {
        let board = try SwitchboardFixture { $0.strangersPerAddress = 3 }
        let member = try board.connect(1)
        let elsewhere = try board.connect(50, from: 2, .enrol)
        let silent = (0..<2).map { _ in board.line() }
        for line in silent { #expect(board.switchboard.arrives(line)) }
        let strangers = try (51...54).map { try board.connect($0, .enrol) }
        #expect(silent.map(\.isClosed) == [true, true])
        #expect(strangers.map(\.isClosed) == [true, false, false, false])
        #expect(try strangers[0].refusal?.code == .rate)
        #expect(!member.isClosed && !elsewhere.isClosed)
        // A member from the crowded address counts as a stranger only for a moment.
        #expect(try !board.connect(2).isClosed)
        #expect(try !board.connect(3).isClosed)
    }

    @Test("whatever comes, no more is kept than there may be connections") func bounded() throws {
        let board = try SwitchboardFixture {
            $0.connections = 20
            $0.strangersPerAddress = 4
        }
        // None of these connections ever ends.
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
        #expect(board.switchboard.clients.countWithArriving <= 20 + 2 * 16)
    }

    @Test(
        "requests to be let in from one address have a limit per minute, and refusals say when to ask again")
    func enrolments() throws {
        let board = try SwitchboardFixture { $0.enrolmentsPerMinute = 2 }
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
        let board = try SwitchboardFixture { $0.strangersPerAddress = 1 }
        let line = try board.connect(50, .enrol)
        board.switchboard.received(Message.enrol(Enrol(token: [1], kind: .join)).encoded(), on: line.id)
        let device = StoredDevice(
            key: try digest(50), group: ServerFixture.group, isProved: true, enrolled: 0, lastSeen: 0,
            revoked: nil)
        board.switchboard.handle([
            .device(device), .enrolled(Enrolled(group: ServerFixture.group, bundle: []), to: line.id),
        ])
        #expect(board.switchboard.doorway.count == 0)
        #expect(board.switchboard.known.count == 1)
        #expect(try !board.connect(51, .enrol).isClosed)
        #expect(!line.isClosed)
    }
}
