import FocusCore
import FocusNet
import FocusSeal
import FocusSync
import Synchronization
import TestSupport

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The kinds of data with which a malicious server host may flood a laptop.
package enum Flood: String, CaseIterable, Sendable {
    /// Records of made-up epochs.
    case records = "host-records"
    /// Records of made-up epochs with bodies of the greatest length.
    case longRecords = "host-long-records"
    /// Revocations of made-up keys.
    case revocations = "host-revocations"
    /// Replicas with one event each that no key opens.
    case replicas = "host-replicas"
    /// Segments with as many unreadable events as fit into a frame.
    case events = "host-events"

    /// The flood's name in a report.
    package var description: String {
        switch self {
        case .records: "records of made-up keys"
        case .longRecords: "long records of made-up keys"
        case .revocations: "revocations of made-up laptops"
        case .replicas: "replicas of one unreadable event"
        case .events: "frames of unreadable events"
        }
    }

    /// Returns the flood's next message.
    func message(_ epoch: EpochID, _ random: inout SeededGenerator) throws -> Message {
        switch self {
        case .records, .longRecords:
            // Half of the records claim to follow the group's own epoch; their missing proof shows that they
            // don't.
            let predecessor = random.next() % 2 == 0 ? epoch : EpochID(rawValue: random.next())
            return .epoch(
                EpochRecord(
                    epoch: EpochID(rawValue: random.next()), predecessor: predecessor,
                    body: random.bytes(self == .records ? 600 : Limits.epochBody)))
        case .revocations: return .revoked(try random.digest())
        case .replicas: return .push(try segment(1, body: 80, epoch, &random))
        case .events: return .push(try segment(250, body: 4_048, epoch, &random))
        }
    }

    private func segment(
        _ count: Int, body: Int, _ epoch: EpochID, _ random: inout SeededGenerator
    ) throws -> Segment {
        var builder = SegmentBuilder(
            replica: ReplicaID(rawValue: random.next()), firstSeq: 1, chainBefore: .empty)
        // The first event's stamp: milliseconds of a day in November 2025, then a 16-bit counter.
        let first = UInt64(1_763_661_600_000) << 16
        for number in 0..<UInt64(count) {
            let isAppended = builder.append(
                stamp: Stamp(rawValue: first + number),
                epoch: random.next() % 2 == 0 ? epoch : EpochID(rawValue: random.next()),
                body: random.bytes(body))
            guard isAppended else { break }
        }
        guard let segment = builder.segment() else { throw AttackEnd.silence("no event fits into a frame") }
        return segment
    }
}

/// A server's host to which a laptop has brought its group. It acknowledges uploads, and floods the laptop or
/// is honest.
package final class HostileHost: Sendable {
    private let identity: DeviceIdentity
    private let loop: AttackLoop
    private let port: UInt16
    private let state: Mutex<State>

    private struct State {
        var random: SeededGenerator
        var flood: Flood?
        /// The flood is over when this number of bytes was sent.
        var most = 0
        /// The number of bytes of the flood that were sent.
        var sent = 0
        /// The number of connections that a laptop ended before the flood was over.
        var ended = 0
        /// The group's first epoch.
        var epoch = EpochID(rawValue: 1)
        var group: GroupID?
        /// The heads of the events that the laptop has uploaded.
        var vector = VersionVector()
        var connections: [UInt64: Connection] = [:]

        /// The welcome that names what was uploaded; nil before a group was brought.
        var welcome: Message? {
            group.map { group in
                .welcome(
                    Welcome(
                        group: group, vector: vector, latest: .zero, roster: [], epochs: [], presence: [],
                        nextServerKey: nil))
            }
        }
    }

    /// Starts to listen on loopback.
    package init(port: UInt16, on loop: AttackLoop, seed: UInt64) throws {
        identity = try DeviceIdentity.generate()
        self.loop = loop
        self.port = port
        state = Mutex(State(random: SeededGenerator(seed: seed)))
        let context = try TLSContext(
            identity: TLSIdentity(
                certificate: identity.certificate, privateKey: identity.privateKey.exposed()),
            applicationProtocol: ProtocolVersion.applicationProtocol)
        let eventLoop = loop.loop
        eventLoop.run { [weak self] in
            _ = try? Listener(on: eventLoop, at: .tcp(host: "127.0.0.1", port: port), over: .tls(context)) {
                _ in
                self.map(HostSession.init)
            }
        }
    }

    /// Returns an invite that brings a group to this host.
    package func invite() throws -> String {
        try Invite(
            kind: .bringGroup, addresses: [address], server: ServerPin(identity.keyHash),
            secret: InviteSecret.random()
        ).text()
    }

    /// The host and port to connect to.
    package var address: String { "127.0.0.1:\(port)" }

    /// The number of bytes of the flood that were sent.
    package var sent: Int { state.withLock(\.sent) }

    /// The number of connections that a laptop ended during the flood.
    package var ended: Int { state.withLock(\.ended) }

    /// Floods all connections from now on with at most `most` bytes in total, or is honest if `flood` is nil.
    ///
    /// Closes the connections that are open.
    package func send(_ flood: Flood?, most: Int = 0) {
        let connections = state.withLock { state in
            (state.flood, state.most, state.sent, state.ended) = (flood, most, 0, 0)
            return Array(state.connections.values)
        }
        loop.loop.run { for connection in connections { connection.close() } }
    }

    // MARK: - Answers for its connections

    /// Returns the answers to a message.
    fileprivate func answer(_ message: Message) -> [Message] {
        state.withLock { state in
            switch message {
            case .hello(let hello):
                let greeting = Message.greeting(
                    Greeting(
                        versions: [.one], chosen: .one,
                        clock: ClockAnswer(asked: hello.sent, served: HostileHost.time), program: "hostile"))
                guard hello.purpose == .sync, let welcome = state.welcome else { return [greeting] }
                return [greeting, welcome]
            case .enrol(let enrol):
                guard case .bring(let group, let epoch) = enrol.kind else { return [] }
                (state.group, state.epoch) = (group, epoch)
                return [.enrolled(Enrolled(group: group, bundle: []))] + (state.welcome.map { [$0] } ?? [])
            case .upload(let segment):
                guard let group = state.group, let head = try? Head(after: segment, in: group) else {
                    return []
                }
                state.vector[segment.replica] = head
                return [.ack(Ack(replica: segment.replica, head: head, stop: nil))]
            case .request(let number, let request):
                switch request {
                case .successor(let record, _): return [.epoch(record), .done(number)]
                case .revoke(let device): return [.revoked(device), .done(number)]
                case .createInvite, .roster, .epoch: return [.done(number)]
                }
            case .ping(let sent): return [.pong(ClockAnswer(asked: sent, served: HostileHost.time))]
            default: return []
            }
        }
    }

    /// The right time, by this machine's clock.
    private static var time: ClockAnswer.Served {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let reading = SharedReading(
            microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
        return ClockAnswer.Served(received: reading, sent: reading)
    }

    /// Returns the flood's next bytes, or nil if the flood is over.
    fileprivate func next() -> [UInt8]? {
        state.withLock { state in
            guard let flood = state.flood, state.sent < state.most,
                let message = try? flood.message(state.epoch, &state.random)
            else { return nil }
            let bytes = message.encoded()
            state.sent += bytes.count
            return bytes
        }
    }

    fileprivate func opened(_ connection: Connection) {
        state.withLock { $0.connections[connection.id] = connection }
    }

    fileprivate func closed(_ connection: Connection) {
        state.withLock { state in
            state.connections[connection.id] = nil
            if state.flood != nil, state.sent < state.most { state.ended += 1 }
        }
    }
}

extension Head {
    /// The head after the events of `segment`.
    fileprivate init(after segment: Segment, in group: GroupID) throws {
        var hasher = try ChainHasher(group: group)
        var chain = segment.chainBefore
        for event in segment.events { chain = try hasher.chain(after: chain, segment.sealed(event)) }
        self.init(seq: segment.lastSeq, chain: chain)
    }
}

/// One connection to the host. It answers messages, and floods once the laptop has said which events it has.
private final class HostSession: ConnectionHandler {
    private let host: HostileHost
    private var decoder = FrameDecoder()
    private var hasReceivedHave = false

    init(_ host: HostileHost) { self.host = host }

    func opened(_ connection: Connection, peer: KeyHash?) { host.opened(connection) }

    func received(_ bytes: RawSpan, on connection: Connection) {
        decoder.append(bytes.withUnsafeBytes { Array($0) }[...])
        while let frame = try? decoder.next(), let message = try? Message(frame) {
            for answer in host.answer(message) { connection.send(answer.encoded()) }
            if case .have = message { hasReceivedHave = true }
        }
        flood(connection)
    }

    func writable(_ connection: Connection) { flood(connection) }

    func closed(_ connection: Connection, error: NetError?) { host.closed(connection) }

    private func flood(_ connection: Connection) {
        guard hasReceivedHave else { return }
        while !connection.isFull, connection.isOpen, let bytes = host.next() { connection.send(bytes) }
    }
}
