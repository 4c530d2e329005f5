import FocusCore
import FocusSync

/// Runs the client's session against a server that sends arbitrary bytes. The driver's answers are valid.
func fuzzClientSession(_ input: [UInt8]) throws {
    var shell = ClientShell(Script(input))
    try shell.run()
}

private struct ClientShell: SessionDriver, ~Copyable {
    private var script: Script
    private var session: ClientSession
    private var vector: VersionVector
    private var now = SteadyInstant.zero
    var pendingEffects = PendingEffects<ClientEffect>()

    init(_ script: consuming Script) {
        vector = VersionVector()
        for _ in 0..<(script.byte() % 4) { vector[script.replica()] = script.ownHead() }
        let isEnrolling = script.byte() % 4 == 3
        let log = LocalLog(group: Script.group, vector: vector)
        session = ClientSession(
            isEnrolling ? .enrol(Enrol(token: [1], kind: .join)) : .sync(log),
            clock: ClockEstimate(
                offset: .zero,
                first: script.byte() % 2 == 0 ? FirstReading(offset: .zero, instant: .zero) : nil),
            program: "", now: .zero)
        self.script = script
    }

    mutating func run() throws {
        try recordEffects(session.opened(.zero))
        if script.byte() % 4 != 3 { try open() }
        while !script.isOver, !pendingEffects.isOver {
            try step()
            _ = (session.isIdle, session.unacknowledged, session.nextDeadline)
        }
    }

    /// Delivers the valid greeting and welcome of a server.
    private mutating func open() throws {
        let served = SharedReading(microseconds: 1)
        let clock = ClockAnswer(asked: .zero, served: .init(received: served, sent: served))
        try receive(.greeting(Greeting(versions: [.one], chosen: .one, clock: clock, program: "")))
        let welcome = Welcome(
            group: Script.group, vector: script.vector(), latest: .zero, roster: [], epochs: [], presence: [],
            nextServerKey: nil)
        try receive(.welcome(welcome))
    }

    private mutating func step() throws {
        switch script.byte() % 8 {
        case 0: try recordEffects(deliver(script.bytes()))
        case 1: try recordEffects(deliver(script.frame()[...]))
        case 2:
            now = now + .seconds(Int64(script.byte()))
            try recordEffects(session.tick(now))
        case 3:
            vector[script.replica()] = script.ownHead()
            try recordEffects(session.localLogChanged(to: vector))
        case 4:
            let stop = script.code().map { Ack.Stop(code: $0, after: .milliseconds(script.byte())) }
            try receive(.ack(Ack(replica: script.replica(), head: script.head(), stop: stop)))
        case 5:
            let replica = script.replica()
            if let segment = script.segment(replica, from: script.seq()) { try receive(.push(segment)) }
        case 6: try receive(.chains(script.replica(), [script.head(), script.head()]))
        default: try answer()
        }
    }

    var nextDeadline: SteadyInstant? { session.nextDeadline }

    mutating func deliver(_ bytes: ArraySlice<UInt8>) -> [ClientEffect] {
        session.received(bytes, at: now)
    }

    /// Answers the session's oldest pending request.
    private mutating func answer() throws {
        guard let effect = pendingEffects.next() else { return }
        switch effect {
        case .enrolled:
            try recordEffects(session.joined(LocalLog(group: Script.group, vector: vector)))
        case .caughtUp: try recordEffects(session.returned(vector, at: now))
        case .reauthor: try recordEffects(session.reauthored(vector))
        case .merge(let segment):
            let replica = segment.replica
            let stop = segment.firstSeq > vector[replica].seq + 1 ? RefusalCode.gap : script.code()
            if stop == nil, segment.lastSeq > vector[replica].seq {
                vector[replica] = Script.head(segment.lastSeq, branch: UInt64(script.byte() % 2))
            }
            try recordEffects(session.merged(replica, head: vector[replica], stop: stop))
        case .read(let replica, let from, _):
            try recordEffects(session.loaded(replica, script.segment(replica, from: from)))
        case .chains(let replica, let seqs):
            let branch = UInt64(script.byte() % 2)
            let heads = seqs.filter { $0 <= vector[replica].seq }.map { Script.head($0, branch: branch) }
            try recordEffects(session.chains(replica, heads))
        case .moveBranch(let replica, let first):
            vector[replica] = Script.head(first.seq - 1, branch: 0)
            try recordEffects(session.moved(replica, vector))
        case .send, .connected, .acknowledged, .stopped, .clock, .clockJumped, .clockNotSure, .presence,
            .revoked, .answered, .epoch, .close:
            try answer()
        }
    }
}
