import FocusCore
import FocusSync
import TestSupport
import Testing

/// Peers that send any bytes or messages, well-formed or not, and stores that give any answer.
@Suite("Sessions and noise")
struct NoiseTests {
    private let extremes: [UInt64] = [0, 1, 2, 5, 1 << 32, 1 << 62, 1 << 63 - 1]

    private func anything(_ random: inout SeededGenerator) throws -> Message {
        let seq = extremes.randomElement(using: &random) ?? 0
        let replica = Bool.random(using: &random) ? replicaA : replicaB
        let head = Head(seq: seq, chain: Chain(high: seq, low: UInt64.random(in: 0...1, using: &random)))
        switch Int.random(in: 0..<8, using: &random) {
        case 0:
            let stop = Ack.Stop(code: RefusalCode(rawValue: UInt8.random(in: 9...20, using: &random)))
            return .ack(Ack(replica: replica, head: head, stop: Bool.random(using: &random) ? stop : nil))
        case 1: return .want(replica, after: seq)
        case 2: return .chains(replica, [head])
        case 3:
            let packed = try segment(makeEvents(replica, 3)).packed
            let chain = seq <= 1 ? Chain.empty : head.chain
            let segment = try Segment(
                replica: replica, firstSeq: min(max(1, seq), 1 << 63 - 3), chainBefore: chain, packed: packed)
            return Bool.random(using: &random) ? .push(segment) : .upload(segment)
        default:
            let samples = try messageSamples()
            return samples.randomElement(using: &random)?.message ?? .bye
        }
    }

    @Test("no message crashes the server's session", arguments: UInt64(1)...200)
    func server(seed: UInt64) throws {
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        let time = ServerTime(steady: 0, shared: 0)
        var session = ServerSession(
            device: digest(1), standing: .member(group), program: "focusd", now: time)
        var left: [ServerEffect] = session.received(
            Message.hello(Hello(versions: [.one], purpose: .sync, sent: 0, program: "")).bytes, at: time)
        var isOver = false
        for _ in 0..<200 {
            switch left.popLast() {
            case .enter:
                guard
                    case .welcome(let welcome)? = try messageSamples().first(where: { $0.name == "welcome" })?
                        .message
                else { continue }
                left += session.entered(welcome)
                left += session.received(
                    Message.have(Have()).bytes, at: time)
            case .merge(let segment):
                left += session.merged(
                    segment.replica, head: Head(seq: segment.lastSeq, chain: .empty), stop: nil)
                left += session.committed(EncodedPush(segment))
            case .read(let replica, let from, _):
                let packed = try segment(makeEvents(replica, 2)).packed
                let chain = Chain(high: from > 1 ? 1 : 0, low: 0)
                left += session.loaded(
                    replica,
                    try? Segment(replica: replica, firstSeq: from, chainBefore: chain, packed: packed),
                    head: extremes.randomElement(using: &random) ?? 0)
            case .chains(let replica, _): left += session.chains(replica, [])
            case .close: isOver = true
            case .ask(let number, _): left += session.answered(number, .done)
            case .send: left += session.unsentBytesChanged(to: 0)
            case .turn: left += session.beginTurn()
            case .readEpochs(let epochs, _): left += session.loaded([], lookedUp: epochs.count)
            case .reading, .enrol, .entered: break
            case nil: left += session.received(try anything(&random).bytes, at: time)
            }
        }
        #expect(!isOver || session.nextDeadline == nil)
    }

    @Test("no message crashes the client's session", arguments: UInt64(1)...200)
    func client(seed: UInt64) throws {
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        var vector = VersionVector([replicaA: Head(seq: 5, chain: Chain(high: 5, low: 0))])
        var session = ClientSession(
            .sync(LocalLog(group: group, vector: vector)),
            clock: ClockEstimate(offset: .zero), program: "focus", now: 0)
        var left = session.opened(0)
        let clock = ClockAnswer(asked: 0, served: .init(received: 1, sent: 1))
        left += session.received(
            Message.greeting(Greeting(versions: [.one], chosen: .one, clock: clock, program: "")).bytes, at: 1
        )
        let samples = try messageSamples().filter { $0.name.hasPrefix("welcome") }
        if let welcome = samples.randomElement(using: &random)?.message {
            left += session.received(welcome.bytes, at: 1)
        }
        var isOver = false
        for step in 0..<200 {
            let now = SteadyInstant.after(.seconds(step))
            switch left.popLast() {
            case .caughtUp: left += session.returned(vector, at: now)
            case .merge(let segment):
                let stop: [RefusalCode?] = [nil, nil, .parted, .gap, .malformed]
                let head = Head(seq: segment.lastSeq, chain: Chain(high: 1, low: 1))
                left += session.merged(
                    segment.replica, head: head, stop: stop.randomElement(using: &random) ?? nil)
            case .read(let replica, let from, _):
                let packed = try segment(makeEvents(replica, 2)).packed
                let chain = Chain(high: from > 1 ? 1 : 0, low: 0)
                left += session.loaded(
                    replica,
                    try? Segment(replica: replica, firstSeq: from, chainBefore: chain, packed: packed))
            case .chains(let replica, let seqs):
                left += session.chains(replica, seqs.map { Head(seq: $0, chain: Chain(high: $0, low: 0)) })
            case .moveBranch(let replica, let first):
                vector[replica] = Head(seq: first.seq - 1, chain: Chain(high: first.seq, low: 9))
                left += session.moved(replica, vector)
            case .reauthor: left += session.reauthored(vector)
            case .close: isOver = true
            case .send, .connected, .enrolled, .acknowledged, .stopped, .clock, .clockJumped, .clockNotSure,
                .presence, .revoked, .answered, .epoch:
                break
            case nil:
                if Bool.random(using: &random) {
                    let seq = extremes.randomElement(using: &random) ?? 0
                    vector[replicaA] = Head(seq: min(seq, 1 << 32), chain: Chain(high: seq, low: 0))
                    left += session.localLogChanged(to: vector)
                }
                left += session.received(try anything(&random).bytes, at: now)
                left += session.tick(now)
            }
        }
        #expect(!isOver || session.nextDeadline == nil)
    }
}
