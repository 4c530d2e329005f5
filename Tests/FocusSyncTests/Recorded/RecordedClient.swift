import FocusCore
import FocusSeal
import FocusSync

/// The driver of one device's sessions in a recording, with today's code. Presses are sealed with the
/// recording's key.
final class RecordedClient {
    let place: String
    private var log: RecordedLog
    private var replica: ReplicaID
    private var epochs: [EpochRecord] = []
    private var roster: [RosterEntry] = []
    private var session: ClientSession?
    /// The estimate of shared time, kept from one session to the next.
    private var clock: ClockEstimate
    /// The frames that the device has sent, in order.
    private var said: [[UInt8]] = []
    private var time: Int64 = 0
    private var presses: UInt64 = 0

    /// Returns the made-up hash of a device's key: 32 equal bytes.
    static func device(_ place: String) -> Digest {
        Digest(InlineArray(repeating: place.utf8.first ?? 0))
    }

    init(_ place: String) throws(RecordedFailure) {
        self.place = place
        let letter = UInt64(place.utf8.first ?? 0)
        replica = ReplicaID(rawValue: 0x0101_0101_0101_0101 &* letter)
        log = RecordedLog(hashing: try RecordedWorld.hashing())
        // The device's clock is right, although the device doesn't know that.
        clock = ClockEstimate(
            offset: .microseconds(RecordedWorld.start - RecordedClient.sinceBoot(place)))
    }

    /// Returns the time since the device's boot when the recording begins, in microseconds.
    private static func sinceBoot(_ place: String) -> Int64 { Int64(place.utf8.first ?? 0) * 1_000_000_007 }

    private var now: SteadyInstant {
        SteadyInstant(microseconds: RecordedClient.sinceBoot(place) + time)
    }

    /// Returns the frames sent since the last call.
    func takeSaid() -> [[UInt8]] {
        defer { said = [] }
        return said
    }

    func received(_ frame: [UInt8], at time: Int64) throws(RecordedFailure) {
        self.time = time
        try feed { $0.received(frame[...], at: self.now) }
    }

    /// The time at which the session needs a tick, in microseconds since the recording began.
    var deadline: Int64? { session?.nextDeadline.map { $0.microseconds - RecordedClient.sinceBoot(place) } }

    /// Performs one of these events on the device: `bring`, `join`, `sync`, `press`, `tick`, `invite`,
    /// `revoke DEVICE`, `succeed`, `leave`, `lose` or `part`. The last one replaces the newest event by
    /// another of the same name.
    func happens(_ event: String, at time: Int64) throws(RecordedFailure) {
        self.time = time
        let words = event.split(separator: " ").map(String.init)
        switch words.first {
        case "bring":
            let token = try RecordedWorld.token(0x10).bytes.exposed()
            let epoch = try RecordedWorld.key().epoch
            try open(.enrol(Enrol(token: token, kind: .bring(RecordedWorld.group, epoch))))
        case "join":
            try open(.enrol(Enrol(token: RecordedWorld.token(0x30).bytes.exposed(), kind: .join)))
        case "sync": try open(.sync(local))
        case "lose": session = nil
        case "press":
            try write(
                .label(
                    RunID(Position(stamp: Stamp(rawValue: 1 << 16), replica: replica)), text: text, at: nil))
            try feed { $0.localLogChanged(to: self.log.vector) }
        case "part":
            _ = log.cut(replica, from: log.head(replica).head.seq)
            try write(.set(key: "dailyGoal", value: 42))
        case "tick": try feed { $0.tick(self.now) }
        case "invite":
            let hash = try RecordedWorld.tokenHash(0x30)
            let bundle = [UInt8](repeating: 0x42, count: 48)
            try feed {
                $0.ask(
                    .createInvite(
                        InviteRequest(tokenHash: hash, bundle: bundle, lifetime: .seconds(900))))
            }
        case "revoke":
            let device = RecordedClient.device(words.last ?? "")
            roster.append(RosterEntry(device: device, isRevoked: true))
            try feed { $0.ask(.revoke(device)) }
        case "succeed":
            let next = try RecordedWorld.key(0x80)
            let record = EpochRecord(
                epoch: next.epoch, predecessor: try RecordedWorld.key().epoch,
                body: [UInt8](repeating: 0x24, count: 96))
            epochs.append(record)
            try feed { $0.ask(.successor(record, discounting: [])) }
        case "leave": try feed { $0.leave() }
        default: throw .malformed(event)
        }
    }

    private var text: String {
        presses += 1
        return "Press \(presses) of \(place)"
    }

    private var local: LocalLog {
        LocalLog(group: RecordedWorld.group, vector: log.vector, roster: roster, epochs: epochs)
    }

    private func write(_ action: Action) throws(RecordedFailure) {
        let id = EventID(replica: replica, seq: log.head(replica).head.seq + 1)
        let milliseconds = UInt64((RecordedWorld.start + time) / 1000)
        let stamp = Stamp(rawValue: max(log.latest.rawValue + 1, milliseconds << 16))
        let event = try RecordedWorld.sealed(Event(id: id, stamp: stamp, action: action))
        log.write(replica, event.stamp, event.body)
    }

    private func open(_ purpose: ClientSession.Purpose) throws(RecordedFailure) {
        session = ClientSession(purpose, clock: clock, program: "focus 0.1.0", now: now)
        try feed { $0.opened(self.now) }
    }

    /// Passes input to the session, and performs all effects that follow from it.
    private func feed(_ input: (inout ClientSession) -> [ClientEffect]) throws(RecordedFailure) {
        var left = answer(input)[...]
        while let effect = left.popFirst() { left += try carryOut(effect) }
    }

    /// Passes input to the session, and returns its effects; none if there is no session.
    private func answer(_ input: (inout ClientSession) -> [ClientEffect]) -> [ClientEffect] {
        guard var current = session.take() else { return [] }
        let effects = input(&current)
        clock = current.clock
        session = consume current
        return effects
    }

    private func carryOut(_ effect: ClientEffect) throws(RecordedFailure) -> [ClientEffect] {
        switch effect {
        case .send(let bytes): said += RecordedSession.frames(bytes)
        case .enrolled:
            roster = [RosterEntry(device: RecordedClient.device(place), isRevoked: false)]
            epochs = [EpochRecord(naming: try RecordedWorld.key().epoch)]
            try write(.device(name: "Laptop \(place)", key: nil))
            return answer { $0.joined(self.local) }
        case .caughtUp: return answer { $0.returned(self.log.vector, at: self.now) }
        case .merge(let segment):
            let merge = log.merge(segment, admission: .all)
            return answer { $0.merged(segment.replica, head: merge.head.head, stop: merge.stop) }
        case .read(let replica, let from, let bytes):
            return answer { $0.loaded(replica, self.log.read(replica, from: from, bytes: bytes)) }
        case .chains(let replica, let seqs):
            return answer { $0.chains(replica, self.log.heads(replica, at: seqs)) }
        case .moveBranch(let parted, let first):
            if let branch = log.moveBranch(parted, from: first.seq), parted == replica { replica = branch }
            return answer { $0.moved(parted, self.log.vector) }
        case .reauthor: return answer { $0.reauthored(self.log.vector) }
        case .epoch(let record):
            epochs.removeAll { $0.epoch == record.epoch }
            epochs.append(record)
        case .connected(let welcome):
            for entry in welcome.roster where !roster.contains(where: { $0.device == entry.device }) {
                roster.append(entry)
            }
        case .close: session = nil
        case .acknowledged, .stopped, .clock, .clockJumped, .clockNotSure, .presence, .revoked,
            .answered:
            break
        }
        return []
    }
}
