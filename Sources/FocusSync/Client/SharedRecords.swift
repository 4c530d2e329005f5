import FocusCore

/// What of the group's devices, revocations and epochs the server lacked at the welcome, as after it was restored: the
/// session gives it that by itself, and again where the server puts it off.
struct SharedRecords {
    private(set) var roster: [RosterEntry] = []
    private(set) var epochs: [EpochRecord] = []
    /// What refusals name these devices and epochs by.
    private var subjects: Set<Digest> = []
    /// When to give it again; nil where the server has put nothing off.
    private(set) var due: Int64?

    /// It isn't given again before that, in microseconds, whatever the server says.
    static let leastWait: Int64 = 1_000_000

    init() {}

    init(of log: LocalLog, lackedBy welcome: Welcome) {
        let revoked = Dictionary(
            welcome.roster.map { ($0.device, $0.isRevoked) }, uniquingKeysWith: { $0 || $1 })
        roster = log.roster.filter { entry in
            guard let isRevoked = revoked[entry.device] else { return true }
            return entry.isRevoked && !isRevoked
        }
        let known = Set(welcome.epochs)
        epochs = log.epochs.filter { !known.contains($0.epoch) }
        subjects = Set(roster.map(\.device) + epochs.map { Digest(naming: $0.epoch) })
    }

    /// Whether this device or epoch is among what was given.
    func include(_ subject: Digest) -> Bool { subjects.contains(subject) }

    /// The server wants it later. Of several instants the last one counts: by then there is room for all that was put
    /// off.
    mutating func putOff(until instant: Int64) { due = max(due ?? instant, instant) }

    /// It is given now.
    mutating func isGiven() { due = nil }
}

extension ClientSession {
    /// Gives the server what it lacks.
    mutating func share() {
        shared.isGiven()
        if !shared.roster.isEmpty { send(.roster(shared.roster)) }
        for record in shared.epochs { send(.epoch(record)) }
    }

    /// Whether a refusal only puts off what the session shared by itself, which nobody has to hear of.
    mutating func shareLater(_ subject: Digest, _ refusal: Refusal) -> Bool {
        guard refusal.code == .rate, case .after(let milliseconds) = refusal.retry, shared.include(subject)
        else { return false }
        let wait = milliseconds > 0 ? max(Int64(milliseconds) * 1000, SharedRecords.leastWait) : Limits.retry
        shared.putOff(until: now + wait)
        return true
    }

    /// Gives it again where its time has come, and what was refused for want of an epoch right after it.
    mutating func shareAgain() {
        guard let due = shared.due, due <= now else { return }
        share()
        for (replica, standing) in replicas where standing.lacksEpoch {
            guard case .stopped = standing.work else { continue }
            replicas[replica]?.work = .stopped(until: now)
        }
    }
}
