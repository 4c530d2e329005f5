import FocusCore

/// What of the group's devices, revocations and epochs the server lacked at the welcome, as after it was restored: the
/// session gives it that by itself, piece by piece as there is room, and again what the server puts off.
struct SharedRecords {
    /// Where something stands among them.
    private enum Place {
        case device(Int)
        case epoch(Int)
    }

    private let roster: [RosterEntry]
    private var epochs: [EpochRecord]
    /// Where that stands which a refusal names so.
    private var places: [Digest: Place]
    /// From here on the devices haven't been given.
    private var device: Int
    /// The epochs that haven't been given, in order.
    private var waiting: ArraySlice<Int>
    /// From here on the devices were put off, as far as they had been given: the server takes a roster in pieces, of which
    /// it names the first device.
    private var deviceLater: Int
    /// The epochs that were put off.
    private var epochsLater: Set<Int> = []
    /// Requests that the server can't answer before it has all of this.
    private var requests = Fifo<GroupRequest>()
    /// When to go on; nil where the server has put nothing off.
    private(set) var due: SteadyInstant?

    /// It isn't given again before that, whatever the server says.
    static let leastWait = Duration.seconds(1)

    /// Nothing.
    init() { self.init(roster: [], epochs: []) }

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

    /// Adds those of the epochs that aren't among them: the server turned out to lack one.
    ///
    /// - Returns: Whether there were any.
    mutating func add(_ records: [EpochRecord]) -> Bool {
        let before = epochs.count
        for record in records where !include(Digest(naming: record.epoch)) {
            places[Digest(naming: record.epoch)] = .epoch(epochs.count)
            waiting.append(epochs.count)
            epochs.append(record)
        }
        return epochs.count > before
    }

    /// Whether this device or epoch is among them.
    func include(_ subject: Digest) -> Bool { places[subject] != nil }

    /// Whether something is left to be given now, and nothing was put off.
    var isGiving: Bool { due == nil && (device < roster.count || !waiting.isEmpty) }

    /// The next piece, which counts as given from now on; nil where there is none for now.
    mutating func next() -> GroupRequest? {
        guard isGiving else { return requests.popFirst() }
        if device < roster.count {
            let piece = roster[device...].prefix(Limits.devices)
            device = piece.endIndex
            return .roster(Array(piece))
        }
        return waiting.popFirst().map { .epoch(epochs[$0]) }
    }

    /// A request comes after all that is being given.
    mutating func append(_ request: GroupRequest) { requests.append(request) }

    /// The server wants this later, and nothing more before. Of several instants the last one counts: by then there is
    /// room for all that was put off.
    mutating func putOff(_ subject: Digest, until instant: SteadyInstant) {
        switch places[subject] {
        case nil: return
        case .device(let index): deviceLater = min(deviceLater, index)
        case .epoch(let index): epochsLater.insert(index)
        }
        due = max(due ?? instant, instant)
    }

    /// The time has come: what was put off is given again, and then what hasn't been given.
    mutating func resume() {
        due = nil
        device = min(device, deviceLater)
        deviceLater = roster.count
        waiting = epochsLater.union(waiting).sorted()[...]
        epochsLater = []
    }
}

// What the server is given, or asked for, besides events.
extension Exchange {
    /// Gives the server more of what it lacks, as far as there is room.
    mutating func share(_ line: inout ClientLine) {
        while line.unsent <= Limits.unsent, let request = shared.next() { line.send(request.message) }
    }

    /// Asks the server for something of the group.
    mutating func ask(_ request: GroupRequest, _ line: inout ClientLine) {
        if case .successor = request, shared.isGiving {
            // The server may lack the epoch before it.
            shared.append(request)
        } else {
            line.send(request.message)
        }
    }

    /// The server refused something: where that only puts off what it was given without being asked for, nobody has to
    /// hear of it.
    mutating func refused(_ subject: Digest, _ refusal: Refusal, _ line: inout ClientLine) {
        guard refusal.code == .rate, case .after(let asked) = refusal.retry, shared.include(subject)
        else { return line.append(.refused(subject, refusal)) }
        let wait = asked > .zero ? max(asked, SharedRecords.leastWait) : Limits.retry
        shared.putOff(subject, until: line.now + wait)
    }

    /// Gives what was put off again where its time has come, and what was refused for want of an epoch right after it.
    mutating func shareAgain(_ line: inout ClientLine) {
        guard let due = shared.due, due <= line.now else { return }
        shared.resume()
        share(&line)
        uploadLacking(at: line.now)
    }

    /// The server turned out to lack the record of an epoch: it is given these, and what it refused for want of one right
    /// after them.
    ///
    /// - Returns: false where it was given all of them before.
    mutating func give(_ records: [EpochRecord], _ line: inout ClientLine) -> Bool {
        guard shared.add(records) else { return false }
        share(&line)
        uploadLacking(at: line.now)
        retryStopped(&line)
        return true
    }

    /// What was refused for want of an epoch's record may be uploaded again.
    private mutating func uploadLacking(at now: SteadyInstant) {
        for replica in replicas.lacking {
            guard case .stopped(var stop)? = replicas[replica]?.work else { continue }
            stop.until = now
            replicas[replica]?.work = .stopped(stop)
        }
    }
}
