import FocusCore
import FocusSeal
import FocusServerCore
import FocusServerStore
import FocusSync
import MemoryServer

/// Fuzzes a whole server with two groups. Members of one group send arbitrary messages on several
/// connections. They must not affect the other group.
func fuzzWholeServer(_ input: [UInt8]) throws {
    let siege = try FuzzedSiege(Script(input))
    try siege.run()
}

/// Two groups on a server: a pair of laptops in one, and in the other attackers that a script drives.
private final class FuzzedSiege {
    private var script: Script
    private let server: MemoryServer
    private let pair: [MemoryLine]
    private var author: FuzzedAuthor
    private var hostile: [MemoryLine] = []
    private var forgers: [FuzzedAuthor]
    /// The number of requests of hostile connections.
    private var requestCount: UInt64 = 0

    private static let honestGroup = GroupID(high: 1, low: 1)
    private static let hostileGroup = GroupID(high: 2, low: 2)
    private static let epoch = EpochID(rawValue: 7)
    /// The length of an event's body in bytes: the minimum of a sealed event.
    private static let body = 80

    /// Limits that are low enough for a script to reach.
    private static var limits: ServerLimits {
        var limits = ServerLimits()
        limits.devicesPerGroup = 6
        limits.epochsPerGroup = 8
        limits.eventsPerGroup = 64
        limits.bytesPerGroup = 32 << 10
        limits.enrolmentsPerMinute = 1_000
        return limits
    }

    init(_ script: consuming Script) throws {
        self.script = script
        let tokens = try (1...2).map { try Digest(of: [UInt8($0)].span.bytes) }
        server = try MemoryServer(FuzzedSiege.limits, tokens: tokens, key: try Script.digest(0xEE))
        author = FuzzedAuthor(1_000, FuzzedSiege.honestGroup)
        forgers = (0..<3).map { FuzzedAuthor($0, FuzzedSiege.hostileGroup) }
        let first = try FuzzedSiege.bring(FuzzedSiege.honestGroup, [1], as: 0xA1, from: 1, server)
        let invite = InviteRequest(
            tokenHash: try Digest(of: ([3] as [UInt8]).span.bytes), bundle: [1], lifetime: .seconds(86_400))
        let late = InviteRequest(
            tokenHash: try Digest(of: ([4] as [UInt8]).span.bytes), bundle: [1], lifetime: .seconds(86_400))
        for (index, request) in [invite, late].enumerated() {
            let number = RequestNumber(UInt64(index + 1))
            first.deliver(Message.request(number, .createInvite(request)).encoded())
        }
        try server.runUntilIdle()
        pair = [first, try FuzzedSiege.enrol([3], as: 0xA2, from: 1, server)]
        hostile = [try FuzzedSiege.bring(FuzzedSiege.hostileGroup, [2], as: 0xB1, from: 2, server)]
    }

    // MARK: - Getting in

    private static func bring(
        _ group: GroupID, _ token: [UInt8], as byte: UInt8, from block: UInt8, _ server: MemoryServer
    ) throws -> MemoryLine {
        try enrol(token, .bring(group, epoch), as: byte, from: block, server)
    }

    private static func enrol(
        _ token: [UInt8], _ kind: Enrol.Kind = .join, as byte: UInt8, from block: UInt8,
        _ server: MemoryServer
    ) throws -> MemoryLine {
        guard let line = server.connect(try Script.digest(byte), from: block) else {
            throw BrokenProperty(description: "a newcomer may connect")
        }
        line.deliver(hello(.enrol))
        line.deliver(Message.enrol(Enrol(token: token, kind: kind)).encoded())
        try server.runUntilIdle()
        let isWelcomed = line.messages.contains { if case .welcome = $0 { true } else { false } }
        try hold(isWelcomed && !line.isClosed, "who has an invite gets in: \(line.messages)")
        line.deliver(Message.have(Have()).encoded())
        try server.runUntilIdle()
        return line
    }

    private static func hello(_ purpose: Hello.Purpose) -> [UInt8] {
        Message.hello(Hello(versions: [.one], purpose: purpose, sent: .zero, program: "")).encoded()
    }

    // MARK: - Events

    func run() throws {
        try press()
        while !script.isOver { try step() }
        try server.runUntilIdle()
        try check()
    }

    private func step() throws {
        hostile.removeAll(where: \.isClosed)
        switch script.byte() % 16 {
        case 0: try connect()
        case 1: choose { $0.deliver(script.bytes()) }
        case 2: choose { $0.deliver(script.frame()) }
        case 3: try upload()
        case 4: sendRequest(.roster(try roster()))
        case 5: sendRequest(.epoch(record()))
        case 6: sendRequest(.successor(record(), discounting: epochs()))
        case 7: try invite()
        case 8: sendRequest(.revoke(try device()))
        case 9: send(.want(script.replica(), after: script.seq()))
        case 10: send(.chainsAsked(script.replica(), at: (0..<Int(script.byte() % 65)).map(UInt64.init)))
        case 11: try press()
        case 12: advance(by: Int64(script.byte()))
        case 13: choose { line in if line.reads { line.reads = false } else { server.drain(line) } }
        case 14: choose { server.hangUp($0) }
        default: for _ in 0...script.byte() { try server.work() }
        }
    }

    /// Runs `body` on one of the hostile connections.
    private func choose(_ body: (MemoryLine) -> Void) {
        guard !hostile.isEmpty else { return }
        body(hostile[Int(script.byte()) % hostile.count])
    }

    private func send(_ message: Message) { choose { $0.deliver(message.encoded()) } }

    /// Sends a request on one of the hostile connections. All connections count their requests together.
    private func sendRequest(_ request: GroupRequest) {
        requestCount += 1
        send(.request(RequestNumber(requestCount), request))
    }

    /// Connects with one of five keys, of hostile members or of devices that want to be. Then it sends the
    /// first messages of a member or of a newcomer, or none.
    private func connect() throws {
        guard hostile.count < 12, let line = server.connect(try member(), from: 2) else { return }
        hostile.append(line)
        switch script.byte() % 4 {
        case 0: break
        case 1: line.deliver(FuzzedSiege.hello(.sync))
        case 2:
            line.deliver(FuzzedSiege.hello(.enrol))
            line.deliver(Message.enrol(Enrol(token: [64 + script.byte() % 8], kind: enrolKind())).encoded())
        default:
            line.deliver(FuzzedSiege.hello(.sync))
            try server.runUntilIdle()
            line.deliver(Message.have(Have(vector: script.vector(), epochs: epochs())).encoded())
        }
    }

    private func enrolKind() -> Enrol.Kind {
        switch script.byte() % 4 {
        case 0: .bring(FuzzedSiege.honestGroup, FuzzedSiege.epoch)
        case 1: .bring(FuzzedSiege.hostileGroup, FuzzedSiege.epoch)
        default: .join
        }
    }

    /// Uploads events that follow the last ones, were sent before, or leave some out, with any time and
    /// epoch.
    private func upload() throws {
        let index = Int(script.byte()) % forgers.count
        let kind = script.byte() % 8
        let ahead = Duration.seconds(([0, 119, 121, 3600, -3600, 0, 0, 0] as [Int64])[Int(kind)])
        if kind == 5, let old = forgers[index].written.first { return send(.upload(old)) }
        if kind == 6, let old = forgers[index].written.last { return send(.upload(old)) }
        let long = kind == 7 ? SealedEvent.bodyLimit : FuzzedSiege.body
        let body = (byte: script.byte(), count: long)
        let segment = try forgers[index].write(at: server.now + ahead, script.epoch(), body: body)
        if let segment { send(.upload(segment)) }
    }

    private func roster() throws -> [RosterEntry] {
        let count = script.byte()
        // The maximum number of entries, with keys that no device has.
        guard count < 250 else {
            return try (0..<Limits.rosterPiece).map { number in
                let bytes = (0..<4).flatMap { _ in
                    (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 % 2 * 8)) }
                }
                guard let digest = Digest(bytes: bytes) else {
                    return RosterEntry(device: try device(), isRevoked: true)
                }
                return RosterEntry(device: digest, isRevoked: count % 2 == 0)
            }
        }
        return try (0..<count % 8).map { _ in
            RosterEntry(device: try device(), isRevoked: script.byte() % 2 == 1)
        }
    }

    private func record() -> EpochRecord {
        let lengths = [0, 0, 1, 100, 4_096, 20_000, 40_000, Limits.epochBody]
        let length = lengths[Int(script.byte() % 8)]
        let predecessor = script.byte() % 3 == 0 ? nil : script.epoch()
        return EpochRecord(
            epoch: script.epoch(), predecessor: predecessor, body: [UInt8](repeating: 1, count: length))
    }

    private func epochs() -> [EpochID] {
        Set((0..<script.byte() % 4).map { _ in script.epoch() }).sorted()
    }

    private func invite() throws {
        let lifetimes: [UInt32] = [0, 1, 1_000, 60_000, .max]
        let bundle = [UInt8](repeating: 1, count: Int(script.byte()))
        sendRequest(
            .createInvite(
                InviteRequest(
                    tokenHash: try Digest(of: [64 + script.byte() % 8].span.bytes), bundle: bundle,
                    lifetime: .milliseconds(lifetimes[Int(script.byte()) % lifetimes.count]))))
    }

    /// Returns a hostile device's key.
    private func member() throws -> Digest { try Script.digest(0xB1 + script.byte() % 5) }

    /// Returns the key of any device.
    private func device() throws -> Digest {
        let byte = script.byte()
        return try Script.digest([0xA1, 0xA2, 0xB1, 0xB2, 0xB3, 0xB4, 0xB5, byte][Int(byte % 8)])
    }

    /// Lets time pass. The laptops of the pair send pings meanwhile.
    private func advance(by seconds: Int64) {
        for line in pair {
            line.deliver(Message.ping(sent: .zero).encoded())
            server.deliverAll(on: line)
        }
        server.advance(by: min(seconds, 40))
    }

    // MARK: - Properties

    /// Checks that a press of the pair's first laptop is stored and reaches the second.
    private func press() throws {
        guard
            let segment = try author.write(
                at: server.now, FuzzedSiege.epoch, body: (1, FuzzedSiege.body))
        else { return }
        // The group's own limit on events; the script isn't to blame for it.
        guard author.head.seq <= 60 else { return }
        pair[0].deliver(Message.upload(segment).encoded())
        try server.runUntilIdle()
        try hold(
            pair[0].messages.contains(.ack(Ack(replica: author.replica, head: author.head, stop: nil))),
            "an upload of the other group's is taken: \(pair[0].messages.suffix(2))")
        let isSeen = pair[1].messages.contains { message in
            if case .push(let pushed) = message { pushed.lastSeq == author.head.seq } else { false }
        }
        try hold(isSeen, "and comes to the others there")
    }

    private func check() throws {
        for line in pair {
            try hold(!line.isClosed, "the other group's connections go on: \(line.messages.suffix(1))")
        }
        try press()
        let groups = server.groups
        guard let honest = groups[FuzzedSiege.honestGroup] else {
            throw BrokenProperty(description: "the other group is there")
        }
        try hold(honest.vector.heads.keys.elementsEqual([author.replica]), "the other group's log is its own")
        try hold(try server.reloadedGroups() == groups, "the store holds what the writer has in memory")
        if let log = groups[FuzzedSiege.hostileGroup] { try checkBounds(log) }
        // The pair's first laptop created this invite before the script began.
        _ = try FuzzedSiege.enrol([4], as: 0xA3, from: 3, server)
    }

    /// Checks the limits of a group, after any messages of its members.
    private func checkBounds(_ log: GroupIndex) throws {
        let limits = FuzzedSiege.limits
        func holds(_ what: String, _ most: Int, _ query: String) throws {
            let count = try server.number(query, of: log)
            try hold(count <= most, "a group has \(most) \(what) at most, and not \(count)")
        }
        try holds(
            "events", limits.eventsPerGroup,
            """
            SELECT (SELECT coalesce(sum(count), 0) FROM segments WHERE group_number = ?1)
                + (SELECT coalesce(sum(count), 0) FROM recent WHERE group_number = ?1)
            """)
        try holds(
            "bytes", limits.bytesPerGroup + 2 * Limits.frame,
            """
            SELECT (SELECT coalesce(sum(length(packed)), 0) FROM segments WHERE group_number = ?1)
                + (SELECT coalesce(sum(length(packed)), 0) FROM recent WHERE group_number = ?1)
                + (SELECT coalesce(sum(length(body)), 0) FROM epochs WHERE group_number = ?1)
            """)
        try holds("epochs", limits.epochsPerGroup, "SELECT count(*) FROM epochs WHERE group_number = ?")
        try holds("devices", Limits.devices, "SELECT count(*) FROM devices WHERE group_number = ?")
        try holds(
            // Devices that are only listed may be as many again.
            "devices that aren't revoked", 2 * limits.devicesPerGroup,
            "SELECT count(*) FROM devices WHERE group_number = ? AND revoked IS NULL")
        try holds(
            // Up to 64 open invites and one more for each device, and the last 64 that ended. Each device may
            // also have the invite that it joined with, until it reconnects.
            "invites", 64 + 64 + 2 * limits.devicesPerGroup,
            "SELECT count(*) FROM invites WHERE group_number = ?")
    }
}

extension Script {
    /// Returns one of ten epochs. One of them is the first epoch of both groups.
    fileprivate mutating func epoch() -> EpochID { EpochID(rawValue: UInt64(byte() % 10)) }
}
