import FocusCore
import FocusServerStore
import FocusServing
import FocusSync
import FocusWriter

extension CountedWork {
    /// One event of each of 64 groups of three laptops, on the network's thread: from what came on the connections to what
    /// the writer is asked, and from what came of that to the acknowledgements and to what the others are told.
    static let pressesTold = CountedWork(name: "tell-64x3", times: 50) { ground in
        let board = try CountedBoard(ground)
        return { try board.press() }
    }
}

/// A switchboard with some groups, and their laptops connected.
private final class CountedBoard {
    private let switchboard: Switchboard
    private let requests = CountedRequests()
    private var authors: [CountedAuthor] = []
    private var lines: [[CountedLine]] = []

    init(_ ground: CountedGround, groups: Int = 64, laptops: Int = 3) throws {
        authors = (0..<groups).map { CountedAuthor(number: UInt64($0)) }
        let store = try SQLiteServerStore(at: "\(ground.path)/focusd.db", access: .readWriteCreate)
        let logs = try authors.map { author in
            try store.write { transaction in
                let number = try transaction.addGroup(author.group, now: ground.clock.now)
                for laptop in 0..<laptops {
                    let key = CountedBoard.key(author, laptop)
                    try transaction.putDevice(key, inGroup: number, now: ground.clock.now)
                }
                return GroupIndex(number: number, group: author.group, created: ground.clock.now)
            }
        }
        let devices = try store.read { try $0.devices() }
        let hands = ground.clock
        let clock = ServerClock(
            greatestServed: .zero, wall: { SharedReading(hands.now) }, steady: { .zero })
        _ = clock.check()
        switchboard = Switchboard(
            requests, groups: Dictionary(uniqueKeysWithValues: logs.map { ($0.group, $0) }), devices: devices,
            orders: StandingOrders(), pin: ServerPin(CountedLine.serverKey), clock: clock,
            limits: ServerLimits(), log: .silent, whenTurnsWait: {}, whenStopped: {})
        for (place, author) in authors.enumerated() {
            lines.append((0..<laptops).map { CountedLine(UInt64(1 + place * laptops + $0)) })
            for (laptop, line) in lines[place].enumerated() {
                try connect(line, CountedBoard.key(author, laptop))
            }
        }
        _ = requests.takeUploads()
    }

    private static func key(_ author: CountedAuthor, _ laptop: Int) -> Digest {
        var bytes = InlineArray<32, UInt8>(repeating: UInt8(truncatingIfNeeded: author.number))
        bytes[0] = UInt8(truncatingIfNeeded: laptop)
        return Digest(bytes)
    }

    private func connect(_ line: CountedLine, _ device: Digest) throws {
        guard switchboard.arrives(line) else { throw Programs.Failed(description: "turned away") }
        switchboard.opened(line, device)
        let hello = Hello(versions: ProtocolVersion.spoken, purpose: .sync, sent: .zero, program: "counts")
        for message in [Message.hello(hello), .have(Have())] {
            switchboard.received(message.encoded(), on: line.id)
        }
    }

    /// The first laptop of each group writes an event; the server's writer takes all of them.
    func press() throws {
        for place in authors.indices {
            let segment = try authors[place].write(1)
            switchboard.received(Message.upload(segment).encoded(), on: lines[place][0].id)
        }
        let uploads = requests.takeUploads()
        let sent = lines.joined().reduce(0) { $0 + $1.sends }
        switchboard.handle(
            uploads.map { .merged($0.segment.replica, head: $0.head.head, stop: nil, to: $0.from) }
                + uploads.map { .committed(Push($0.segment), $0.head, $0.group) })
        let told = lines.joined().reduce(0) { $0 + $1.sends } - sent
        guard uploads.count == authors.count, told == lines.joined().count else {
            throw Programs.Failed(description: "\(told) were told of \(uploads.count) uploads")
        }
    }
}

/// What the writer is asked.
private final class CountedRequests: StorageQueue {
    struct Upload {
        let segment: Segment
        let group: GroupID
        let from: ConnectionID

        var head: ReplicaHead {
            ReplicaHead(head: Head(seq: segment.lastSeq, chain: .empty), stamp: .zero)
        }
    }

    private var uploads: [Upload] = []

    func write(_ request: WriterRequest) {
        guard case .member(let request) = request, case .merge(let segment) = request.asked else { return }
        uploads.append(Upload(segment: segment, group: request.group, from: request.connection))
    }

    func read(_ request: ReaderRequest) {}

    func takeUploads() -> [Upload] { exchange(&uploads, with: []) }
}

/// A connection on which all that is sent is taken at once.
private final class CountedLine: ClientConnection {
    static let serverKey = Digest(InlineArray(repeating: 0xA1))
    let id: ConnectionID
    /// How often something was sent.
    private(set) var sends = 0

    init(_ id: ConnectionID) { self.id = id }

    var unsentBytes: Int { 0 }
    var heldBytes: Int { 0 }
    var peerDescription: String { "\(id)" }
    var peerBlock: AddressBlock { AddressBlock(address: [192, 0, 2, 1]) }
    var shownKey: Digest? { CountedLine.serverKey }
    func send(_ bytes: [UInt8]) { sends += 1 }
    func pauseReading() {}
    func resumeReading() {}
    func close() {}
    func close(within time: Duration) {}
    func abort() {}
}
