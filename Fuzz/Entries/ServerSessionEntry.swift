import FocusCore
import FocusSync

/// Runs the server's session against a client that sends arbitrary bytes. The server's own answers are valid.
func fuzzServerSession(_ input: [UInt8]) throws {
    var shell = try ServerShell(Script(input))
    try shell.run()
}

private struct ServerShell: SessionDriver, ~Copyable {
    private var script: Script
    private var session: ServerSession
    private var seconds: Int64 = 0
    var pendingEffects = PendingEffects<ServerEffect>()

    private var now: ServerTime {
        ServerTime(steady: .zero + .seconds(seconds), shared: .zero + .seconds(seconds))
    }

    init(_ script: consuming Script) throws {
        let standing: ServerSession.Standing =
            switch script.byte() % 8 {
            case 0: .revoked
            case 1, 2: .unknown
            default: .member(Script.group)
            }
        session = ServerSession(
            device: try Script.digest(1), standing: standing, program: "",
            now: ServerTime(steady: .zero, shared: .zero))
        self.script = script
    }

    mutating func run() throws {
        if script.byte() % 4 != 3 { try open() }
        while !script.isOver, !pendingEffects.isOver { try step() }
    }

    /// Delivers the valid first messages of a client.
    private mutating func open() throws {
        try receive(.hello(Hello(versions: [.one], purpose: .sync, sent: .zero, program: "")))
        try answer()
        try receive(.have(Have(vector: script.vector(), epochs: [])))
    }

    private mutating func step() throws {
        switch script.byte() % 8 {
        case 0: try recordEffects(deliver(script.bytes()))
        case 1: try recordEffects(deliver(script.frame()[...]))
        case 2:
            seconds += Int64(script.byte())
            try recordEffects(session.tick(now))
        case 3: try recordEffects(session.unsentBytesChanged(to: Int(script.byte()) << 9))
        case 4:
            let replica = script.replica()
            if let segment = script.segment(replica, from: script.seq()) { try receive(.upload(segment)) }
        case 5: try receive(.want(script.replica(), after: script.seq()))
        case 6:
            // Another connection brought these events.
            let replica = script.replica()
            if let segment = script.segment(replica, from: script.seq()) {
                try recordEffects(session.committed(EncodedPush(segment)))
            }
        default: try answer()
        }
    }

    var nextDeadline: SteadyInstant? { session.nextDeadline }

    mutating func deliver(_ bytes: ArraySlice<UInt8>) -> [ServerEffect] {
        session.received(bytes, at: now)
    }

    /// Answers the session's oldest pending request.
    private mutating func answer() throws {
        guard let effect = pendingEffects.next() else { return }
        switch effect {
        case .enrol:
            if script.byte() % 4 == 3 {
                try recordEffects(session.refuse(Refusal(.tokenInvalid, "")))
            } else {
                try recordEffects(session.enrolled(Enrolled(group: Script.group, bundle: [])))
            }
        case .enter:
            try recordEffects(
                session.entered(
                    Welcome(
                        group: Script.group, vector: script.vector(), latest: .zero, roster: [],
                        epochs: (0..<UInt64(script.byte())).map(EpochID.init(rawValue:)),
                        presence: [], nextServerKey: nil)))
        case .merge(let segment):
            let stop = script.code().map { Ack.Stop(code: $0) }
            let head = stop == nil ? Script.head(segment.lastSeq, branch: 0) : script.head()
            try recordEffects(session.merged(segment.replica, head: head, stop: stop))
            if stop == nil { try recordEffects(session.committed(EncodedPush(segment))) }
        case .read(let replica, let from, _):
            let segment = script.segment(replica, from: from)
            try recordEffects(
                session.loaded(replica, segment, head: max(segment?.lastSeq ?? 0, script.seq())))
        case .chains(let replica, let seqs):
            let have = script.seq()
            let heads = seqs.filter { (1...max(1, have)).contains($0) }
            try recordEffects(session.chains(replica, heads.map { Script.head($0, branch: 0) }))
        case .ask(let number, let request):
            switch request {
            case .createInvite: break
            case .revoke(let device): try recordEffects(session.revoked(device))
            case .roster(let roster):
                let changes = roster.map {
                    Presence(
                        device: $0.device, isConnected: true, lastSeen: SharedInstant(seconds: seconds * 1000)
                    )
                }
                try recordEffects(session.presence(changes))
            case .epoch(let record), .successor(let record, _):
                try recordEffects(session.epoch(EncodedEpochRecord(record)))
            }
            try recordEffects(session.answered(number, .done))
        case .readEpochs(let epochs, _):
            let count = 1 + Int(script.byte()) % epochs.count
            let records = epochs.prefix(count).map {
                EpochRecord(
                    epoch: $0, predecessor: nil, body: [UInt8](repeating: 1, count: Int(script.byte()) << 8))
            }
            try recordEffects(session.loaded(records, lookedUp: count))
        case .turn: try recordEffects(session.beginTurn())
        case .send, .reading, .entered, .close: try answer()
        }
    }
}
