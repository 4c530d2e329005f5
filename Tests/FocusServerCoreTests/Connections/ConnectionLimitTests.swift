import FocusCore
import FocusSync
import ServerSupport
import Synchronization
import TestSupport
import Testing

@testable import FocusServerCore
@testable import FocusServerStore

/// Tests of the limits on connections, with the switchboard and its sessions.
@Suite struct ConnectionLimitTests {
    @Test("a device's oldest connection ends with a reason if it has too many, and others' stay")
    func perDevice() throws {
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
    func inAll() throws {
        let board = try SwitchboardFixture { $0.connections = 2 }
        let lines = try (1...3).map { try board.connect($0) }
        #expect(lines.map(\.isClosed) == [false, false, true])
        #expect(try lines[2].refusal?.code == .busy)
        #expect(try lines[2].refusal?.retry == .after(30_000))
        #expect(board.book.events.count { $0 == "crowded" } == 1)
        board.switchboard.closed(lines[2], nil)
        board.switchboard.closed(lines[0], nil)
        #expect(try !board.connect(3).isClosed)
        #expect(board.switchboard.clients.known.count == 2)
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
        #expect(board.switchboard.clients.strangers.count <= 16)
        #expect(board.switchboard.clients.strangers.blockCount <= 16)
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
        #expect(board.switchboard.clients.strangers.count == 0)
        #expect(board.switchboard.clients.known.count == 1)
        #expect(try !board.connect(51, .enrol).isClosed)
        #expect(!line.isClosed)
    }

    private func block(_ byte: UInt8) -> AddressBlock { AddressBlock(address: [192, 0, 2, byte]) }

    @Test("if the doorway is full, the oldest of all goes; no table grows with the addresses") func full() {
        var doorway = StrangerConnections(perBlock: 2, limit: 3)
        let leaving = (1...200).map { doorway.arrive(ConnectionID($0), from: block(UInt8($0))) }
        #expect(leaving == [nil, nil, nil] + (1...197).map { ConnectionID($0) })
        #expect(doorway.count == 3)
        #expect(doorway.blockCount == 3)
        for connection in 198...200 { doorway.leave(ConnectionID(connection)) }
        #expect(doorway.count == 0)
        #expect(doorway.blockCount == 0)
    }

    @Test("an IPv6 network is one address, and IPv4 written as IPv6 is IPv4") func blocks() {
        let network: [UInt8] = [0x20, 1, 0xD, 0xB8, 0, 0, 0, 1]
        func six(_ rest: UInt8...) -> AddressBlock { AddressBlock(address: network + rest) }
        #expect(six(0, 0, 0, 0, 0, 0, 0, 1) == six(9, 9, 9, 9, 9, 9, 9, 9))
        let next: [UInt8] = [0x20, 1, 0xD, 0xB8, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1]
        #expect(six(0, 0, 0, 0, 0, 0, 0, 1) != AddressBlock(address: next))
        let zeros = [UInt8](repeating: 0, count: 10)
        #expect(AddressBlock(address: zeros + [0xFF, 0xFF, 192, 0, 2, 7]) == block(7))
        #expect(AddressBlock(address: zeros + [0, 0, 192, 0, 2, 7]) != block(7))
        #expect(AddressBlock(address: []) == .local)
        #expect(AddressBlock(address: [0, 0, 0, 0]) != .local)
    }

    @Test("the device with the most connections is known at once after any change") func most() throws {
        for seed in UInt64(1)...20 {
            var random = SeededGenerator(seed: seed)
            let keys = try (0..<12).map { try digest(number: $0) }
            var crowd = ConnectionCounts()
            var plain: [Digest: Int] = [:]
            for _ in 0..<400 {
                guard let key = keys.randomElement(using: &random) else { continue }
                if Int.random(in: 0..<5, using: &random) < 3 {
                    crowd.add(key)
                    plain[key, default: 0] += 1
                } else {
                    crowd.remove(key)
                    plain[key] = plain[key].flatMap { $0 > 1 ? $0 - 1 : nil }
                }
                #expect(crowd.count == plain.values.reduce(0, +), "seed \(seed)")
                for newcomer in keys {
                    let own = plain[newcomer] ?? 0
                    let most = max(own + 1, plain.values.max() ?? 0)
                    let found = crowd.greediest(with: newcomer)
                    if most == 1 {
                        #expect(found == nil, "seed \(seed)")
                    } else {
                        let found = try #require(found, "seed \(seed)")
                        let count = (plain[found] ?? 0) + (found == newcomer ? 1 : 0)
                        #expect(count == most, "seed \(seed)")
                    }
                }
            }
        }
    }

    private let hostile = GroupID(high: 7, low: 2)
    private let honest = GroupID(high: 8, low: 3)

    @Test("if a group has too many connections, a device with the most loses one, never a device with one")
    func perGroup() throws {
        let board = try SwitchboardFixture { $0.connectionsPerGroup = 6 }
        let single = try board.connect(1)
        let greedy = try (0..<4).map { _ in try board.connect(2) }
        let pair = try (0..<1).map { _ in try board.connect(3) }
        #expect(!([single] + greedy + pair).contains { $0.isClosed })
        let newcomer = try board.connect(4)
        #expect(greedy.map(\.isClosed) == [true, false, false, false])
        #expect(try greedy[0].refusal?.code == .rate && greedy[0].refusal?.retry == .after(10_000))
        // A device with the most connections makes room for its own next one.
        let more = try board.connect(2)
        #expect(greedy.map(\.isClosed) == [true, true, false, false])
        #expect(!([single, newcomer, more] + pair).contains { $0.isClosed })
        #expect(board.switchboard.clients.known.count == 6)
    }

    @Test("each device of a group may have a connection, however few the group may have")
    func oneEach() throws {
        let board = try SwitchboardFixture { $0.connectionsPerGroup = 2 }
        let lines = try (1...9).map { try board.connect(UInt8($0)) }
        #expect(!lines.contains { $0.isClosed })
        let second = try board.connect(5)
        #expect(lines.filter(\.isClosed).map(\.number) == [lines[4].number])
        #expect(!second.isClosed)
    }

    /// Almost a whole frame of 1 MiB.
    private let almost: [UInt8] = [0, 0x10, 0, 0, 0x20] + [UInt8](repeating: 0, count: (1 << 20) - 16)

    @Test(
        "a hundred devices with sixteen almost whole frames each take no more memory than their group may have"
    )
    func almostWhole() throws {
        let devices = try (0..<100).map { try digest(number: $0) }
        let beside = try (200..<202).map { try digest(number: $0) }
        let board = try SwitchboardFixture([hostile: devices, honest: beside])
        let others = try beside.map { try board.enter($0) }
        var most = 0
        for device in devices {
            for _ in 0..<16 {
                let line = try board.enter(device)
                for start in stride(from: 0, to: almost.count, by: 64 << 10) where !line.isClosed {
                    board.switchboard.received(
                        Array(almost[start..<min(almost.count, start + 64 << 10)]), on: line.id)
                }
                most = max(most, board.switchboard.clients.memory.bytes(of: hostile))
            }
        }
        #expect(most <= 32 << 20)
        #expect(most > 16 << 20, "it is used")
        #expect(others.allSatisfy { !$0.isClosed })
        #expect(board.switchboard.clients.memory.bytes(of: honest) < 32 << 10)
        // The bytes that are counted equal the bytes that are held.
        let held = board.switchboard.clients.all.filter { $0.share.account == hostile && !$0.session.isOver }
            .reduce(0) { $0 + $1.session.heldBytes }
        #expect(board.switchboard.clients.memory.bytes(of: hostile) == held)
        for member in board.switchboard.clients.all { board.switchboard.closed(member.connection, nil) }
        #expect(board.switchboard.clients.memory.total == 0 && board.switchboard.clients.known.count == 0)
    }

    @Test(
        "the connection that holds the most of its group ends with a time to return, at once if it takes nothing"
    )
    func biggest() throws {
        let devices = try (0..<3).map { try digest(number: $0) }
        let board = try SwitchboardFixture([hostile: devices]) { $0.buffersPerGroup = 1 << 20 }
        let lines = try devices.map { try board.enter($0) }
        board.switchboard.received(Array(almost.prefix(300 << 10)), on: lines[0].id)
        board.switchboard.received(Array(almost.prefix(600 << 10)), on: lines[1].id)
        #expect(!lines.contains { $0.isClosed })
        board.switchboard.received(Array(almost.prefix(400 << 10)), on: lines[2].id)
        #expect(lines.map(\.isClosed) == [false, true, false])
        #expect(try lines[1].refusal?.code == .busy && lines[1].refusal?.retry == .after(10_000))
        #expect(!lines[1].isAborted)
        // The first connection takes nothing of what it is sent.
        lines[0].isStuck = true
        let record = EpochRecord(
            epoch: EpochID(rawValue: 9), predecessor: nil, body: [UInt8](repeating: 0, count: 500 << 10))
        board.switchboard.handle([.epochAdded(record, hostile, from: nil)])
        #expect(!lines[0].isClosed, "it may be on its way")
        board.switchboard.tick()
        #expect(lines[0].isAborted && !lines[2].isClosed)
    }

    @Test("a message to a whole group ends no connection that takes it")
    func sentToAll() throws {
        let devices = try (0..<100).map { try digest(number: $0) }
        let board = try SwitchboardFixture([honest: devices]) { $0.buffersPerGroup = 4 << 20 }
        let lines = try devices.map { try board.enter($0) }
        for line in lines { line.isStuck = true }
        let record = EpochRecord(
            epoch: EpochID(rawValue: 9), predecessor: nil, body: [UInt8](repeating: 0, count: 500 << 10))
        board.switchboard.handle([.epochAdded(record, honest, from: nil)])
        for line in lines { line.isStuck = false }
        board.switchboard.tick()
        #expect(!lines.contains { $0.isClosed })
    }

    @Test("reads for laptops that take nothing count as soon as the next one begins")
    func readForStuck() throws {
        let devices = try (0..<40).map { try digest(number: $0) }
        let board = try SwitchboardFixture([honest: devices]) { $0.buffersPerGroup = 1 << 20 }
        let lines = try devices.map { try board.enter($0) }
        let record = EpochRecord(
            epoch: EpochID(rawValue: 9), predecessor: nil, body: [UInt8](repeating: 0, count: 100 << 10))
        for line in lines {
            line.isStuck = true
            board.switchboard.handle([.epochs([record], lookedUp: 1, to: line.number)])
            let held = lines.filter { $0.isStuck && !$0.isClosed }.reduce(0) { $0 + $1.sent.count }
            #expect(held <= (1 << 20) + 2 * (101 << 10))
        }
        #expect(lines.count { $0.isClosed } >= 28)
    }

    @Test("beyond what all connections may hold, the group that holds the most makes room")
    func buffersInAll() throws {
        let groups = (1...4).map { GroupID(high: 9, low: UInt64($0)) }
        let board = try SwitchboardFixture(
            Dictionary(
                uniqueKeysWithValues: try groups.enumerated().map { place, group in
                    (group, try (0..<3).map { try digest(number: place * 10 + $0) })
                })
        ) { $0.buffers = 4 << 20 }
        var lines: [[Line]] = []
        for place in groups.indices {
            lines.append(try (0..<3).map { try board.enter(digest(number: place * 10 + $0)) })
        }
        for line in lines[1] { board.switchboard.received(Array(almost.prefix(900 << 10)), on: line.id) }
        board.switchboard.received(Array(almost.prefix(900 << 10)), on: lines[0][0].id)
        #expect(!lines.joined().contains { $0.isClosed })
        board.switchboard.received(Array(almost.prefix(900 << 10)), on: lines[2][0].id)
        #expect(lines.map { $0.count { $0.isClosed } } == [0, 1, 0, 0])
        #expect(board.switchboard.bufferedBytes <= 4 << 20)
    }
}
