import FocusCore

/// The devices, revocations and records of epochs that the server lacked at the welcome, for
/// example after it was restored. The session sends them piece by piece as there is room, and sends
/// again what the server put off.
struct MissingRecords {
    /// The index of a device in `roster`, or of a record in `epochs`.
    private enum Place {
        case device(Int)
        case epoch(Int)
    }

    private let roster: [RosterEntry]
    private var epochs: [EpochRecord]
    /// The place of each device and record, by the digest that a refusal names it by.
    private var places: [Digest: Place]
    /// The index of the first device that wasn't sent yet.
    private var device: Int
    /// The indices of the records that weren't sent yet, in order.
    private var waiting: ArraySlice<Int>
    /// The index of the first device that was put off, or `roster.count`. The server handles a roster in
    /// pieces, and a refusal names the first device of a piece.
    private var deviceLater: Int
    /// The indices of the records that were put off.
    private var epochsLater: Set<Int> = []
    /// Requests that the server can only answer when it has all of these records.
    private var requests = Fifo<GroupRequest>()
    /// The instant at which to continue; nil if nothing is put off.
    private(set) var due: SteadyInstant?

    /// The shortest time before something is sent again, even if the server names a shorter one.
    static let leastWait = Duration.seconds(1)

    /// Creates an empty collection.
    init() { self.init(roster: [], epochs: []) }

    /// Collects the devices, revocations and records of the log that the welcome doesn't name.
    init(of log: LocalLog, lackedBy welcome: Welcome) {
        var revoked: [Digest: Bool] = [:]
        for entry in welcome.roster {
            revoked[entry.device] = entry.isRevoked || revoked[entry.device] == true
        }
        let known = Set(welcome.epochs)
        self.init(
            roster: log.roster.filter { entry in
                guard let isRevoked = revoked[entry.device] else { return true }
                return entry.isRevoked && !isRevoked
            },
            epochs: log.epochs.filter { !known.contains($0.epoch) })
    }

    private init(roster: [RosterEntry], epochs: [EpochRecord]) {
        self.roster = roster
        self.epochs = epochs
        var places: [Digest: Place] = [:]
        for (index, entry) in roster.enumerated() { places[entry.device] = .device(index) }
        for (index, record) in epochs.enumerated() { places[Digest(naming: record.epoch)] = .epoch(index) }
        self.places = places
        device = 0
        deviceLater = roster.count
        waiting = Array(epochs.indices)[...]
    }

    /// Adds the records that aren't included yet, because the server turned out to lack one.
    ///
    /// - Returns: Whether any were added.
    mutating func add(_ records: [EpochRecord]) -> Bool {
        let before = epochs.count
        for record in records where !include(Digest(naming: record.epoch)) {
            places[Digest(naming: record.epoch)] = .epoch(epochs.count)
            waiting.append(epochs.count)
            epochs.append(record)
        }
        return epochs.count > before
    }

    /// Whether the device or epoch that a refusal names like this is included.
    func include(_ subject: Digest) -> Bool { places[subject] != nil }

    /// Whether something is left to be sent now. False while anything is put off.
    var isGiving: Bool { due == nil && (device < roster.count || !waiting.isEmpty) }

    /// Returns the next piece and counts it as sent, or nil if there is none for now.
    mutating func next() -> GroupRequest? {
        guard isGiving else { return requests.popFirst() }
        if device < roster.count {
            let piece = roster[device...].prefix(Limits.devices)
            device = piece.endIndex
            return .roster(Array(piece))
        }
        return waiting.popFirst().map { .epoch(epochs[$0]) }
    }

    /// Adds a request, to be sent after everything else.
    mutating func append(_ request: GroupRequest) { requests.append(request) }

    /// Puts off a device or an epoch, and stops sending until `instant`. If there are several instants, the
    /// last one counts: by then the server has room for everything that was put off.
    mutating func putOff(_ subject: Digest, until instant: SteadyInstant) {
        switch places[subject] {
        case nil: return
        case .device(let index): deviceLater = min(deviceLater, index)
        case .epoch(let index): epochsLater.insert(index)
        }
        due = max(due ?? instant, instant)
    }

    /// Continues after `due`, first with what was put off, then with what wasn't sent yet.
    mutating func resume() {
        due = nil
        device = min(device, deviceLater)
        deviceLater = roster.count
        waiting = epochsLater.union(waiting).sorted()[...]
        epochsLater = []
    }
}

// Devices, epochs and requests.
extension ClientExchange {
    /// Sends the server more of what it lacks, as far as there is room.
    mutating func share(_ line: inout ClientChannel) {
        while line.unsent <= Limits.unsent, let request = shared.next() { line.send(request.message) }
    }

    /// Sends the server a request about the group.
    mutating func ask(_ request: GroupRequest, _ line: inout ClientChannel) {
        if case .successor = request, shared.isGiving {
            // The server may lack the predecessor, which is still to be sent.
            shared.append(request)
        } else {
            line.send(request.message)
        }
    }

    /// Handles a refusal. If it only puts off a shared device or record, that is sent again later. Otherwise
    /// the driver is told.
    mutating func refused(_ subject: Digest, _ refusal: Refusal, _ line: inout ClientChannel) {
        guard refusal.code == .rate, case .after(let asked) = refusal.retry, shared.include(subject)
        else { return line.append(.refused(subject, refusal)) }
        let wait = asked > .zero ? max(asked, MissingRecords.leastWait) : Limits.retry
        shared.putOff(subject, until: line.now + wait)
    }

    /// Sends again what was put off, if it is due. After it, uploads the events that were refused because a
    /// record was missing.
    mutating func shareAgain(_ line: inout ClientChannel) {
        guard let due = shared.due, due <= line.now else { return }
        shared.resume()
        share(&line)
        uploadLacking(at: line.now)
    }

    /// Sends the server records of epochs that it turned out to lack. Right after them, the session uploads
    /// the events that the server refused because a record was missing.
    ///
    /// - Returns: False if the server was sent all of these records before.
    mutating func give(_ records: [EpochRecord], _ line: inout ClientChannel) -> Bool {
        guard shared.add(records) else { return false }
        share(&line)
        uploadLacking(at: line.now)
        retryStopped(&line)
        return true
    }

    /// Makes the replicas due now that were stopped because the server lacked an epoch's record.
    private mutating func uploadLacking(at now: SteadyInstant) {
        for replica in replicas.stopped({ $0.lacksEpoch }) {
            replicas[replica]?.work = .stopped(ReplicaSyncState.Stop(until: now, lacksEpoch: true))
        }
    }
}
