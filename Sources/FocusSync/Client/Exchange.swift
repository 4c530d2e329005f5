package import FocusCore

/// What a device and its server exchange from the welcome on: the events, devices and epochs that one of them lacks.
struct Exchange {
    /// How far it has come.
    enum Stage {
        /// The server sends what the device lacks: some replicas are still short of what the welcome named
        /// (`ReplicaStandings.behind`), or epochs are awaited. Then: returning.
        case catchingUp
        /// The shell does what a device does by itself. Then: awaiting the clock, or re-authoring.
        case returning
        /// The server isn't sure of its clock, and nothing may be uploaded. Then: re-authoring.
        case awaitingClock
        /// The shell looks for events that lie ahead. Then: live.
        case reauthoring
        /// Everything goes both ways as it comes.
        case live
    }

    /// When what lies ahead is written anew.
    struct Reauthor {
        /// Whether that has to be as soon as no upload is under way.
        var isDue = false
        /// Before this a refusal leads to none again: what was written anew as another replica may be refused too.
        var next = SteadyInstant.distantPast
    }

    var stage = Stage.catchingUp
    /// What the device has, and where that stands.
    var replicas: ReplicaStandings
    /// The greatest stamp in the server's log, as the welcome said.
    private let latest: Stamp
    /// The epochs of which the welcome named a record that hasn't come yet.
    private(set) var awaitedEpochs: Set<EpochID>
    /// What the server has told of the group.
    var tally: GroupTally
    /// What is given to the server without being asked for.
    var shared: SharedRecords
    /// The pushes that the shell is merging.
    var merging = SegmentQueue()
    var uploads = Uploads()
    var reauthor = Reauthor()

    /// Answers the welcome, and compares where the two sides stand.
    init(_ welcome: Welcome, to log: LocalLog, _ line: inout ClientLine) {
        latest = welcome.latest
        replicas = ReplicaStandings(log.vector, welcome.vector)
        let records = log.epochs.filter { !$0.body.isEmpty }
        let epochs = records.map { $0.epoch }
        awaitedEpochs = Set(welcome.epochs).subtracting(epochs)
        tally = GroupTally(welcome, records, besides: log.unfounded)
        shared = SharedRecords(of: log, lackedBy: welcome)
        line.send(.have(Have(vector: log.vector, epochs: epochs)))
        share(&line)
        for replica in Set(log.vector.heads.keys).union(welcome.vector.heads.keys).sorted() {
            reconcile(replica, &line)
        }
    }

    /// When something has to be done at the latest; `.distantFuture` where nothing has.
    var deadline: SteadyInstant {
        min(shared.due ?? .distantFuture, replicas.stops.earliest ?? .distantFuture)
    }

    /// Whether there is nothing left to do for now: each replica is the same on both sides, as far as is known, or
    /// was stopped.
    var isIdle: Bool {
        guard case .live = stage, merging.isEmpty, !uploads.isUnderWay, !shared.isGiving else { return false }
        return replicas.unsettled == 0
    }

    /// How many of the device's events the server isn't known to have.
    var unacknowledged: UInt64 { replicas.unacknowledged }

    /// One message came from the server.
    mutating func handle(_ message: Message, _ line: inout ClientLine) throws(ServerFault) {
        switch message {
        case .push, .revoked, .epoch:
            do throws(Excess) { try takeOfGroup(message, &line) } catch { throw .excess(error) }
        case .ack(let ack): try takeAck(ack, &line)
        case .chains(let replica, let heads): takeChains(replica, &line) { $0.take(theirs: heads) }
        case .presence(let presence): line.append(.presence(presence))
        case .inviteCreated(let tokenHash): line.append(.inviteCreated(tokenHash))
        case .refused(let subject, let refusal): refused(subject, refusal, &line)
        default: try line.takePong(message)
        }
    }

    /// The server told of more that the device keeps of its group.
    private mutating func takeOfGroup(_ message: Message, _ line: inout ClientLine) throws(Excess) {
        switch message {
        case .push(let segment): try takePush(segment, &line)
        case .revoked(let device):
            try tally.count(device)
            line.append(.revoked(device))
        case .epoch(let record):
            awaitedEpochs.remove(record.epoch)
            // A name says nothing to a client: it learns of epochs by their records and events.
            guard !record.body.isEmpty else { return }
            try tally.count(record)
            line.append(.epoch(record))
        default: break
        }
    }

    /// Goes on with what can go on: the stages up to `live`, and the next upload.
    mutating func goOn(_ line: inout ClientLine) {
        share(&line)
        if case .catchingUp = stage {
            replicas.dropCaughtUp()
            if replicas.behind.isEmpty, awaitedEpochs.isEmpty {
                stage = .returning
                line.append(.caughtUp)
            }
        }
        if case .awaitingClock = stage, line.clock.hasReading { reauthor.isDue = true }
        if reauthor.isDue, !uploads.isUnderWay { reauthorWhatLiesAhead(&line) }
        if case .live = stage, !reauthor.isDue { upload(&line) }
    }

    private mutating func reauthorWhatLiesAhead(_ line: inout ClientLine) {
        reauthor.isDue = false
        let shared = line.clock.shared(line.now).instant
        guard case .upTo(let limit) = Admission.server(now: shared, latest: latest) else { return }
        stage = .reauthoring
        line.append(
            .reauthor(Reauthoring(beyond: replicas.serverSeqs(), limit: limit, error: line.clockError)))
    }
}

// MARK: - What the shell has done

extension Exchange {
    /// The device did what it does by itself, and the log has this now.
    mutating func returned(_ change: LogChange, _ line: inout ClientLine) {
        logChanged(change, &line)
        if line.clock.hasReading { reauthor.isDue = true } else { stage = .awaitingClock }
    }

    /// What lay ahead was re-authored, and the log has this now.
    mutating func reauthored(_ change: LogChange, _ line: inout ClientLine) {
        stage = .live
        logChanged(change, &line)
        for replica in replicas.sorted() { reconcile(replica, &line) }
    }

    /// The device's log has this now.
    mutating func logChanged(_ change: LogChange, _ line: inout ClientLine) {
        for (replica, head) in replicas.changed(by: change) {
            let before = local(replica)
            replicas.setHead(head, of: replica)
            if head.seq < before.seq { shrink(replica, to: head.seq, &line) }
            reconcile(replica, &line)
        }
    }

    /// A tail of the replica was moved away, or written anew under another name. The server may have been told that
    /// the device has it, and would keep back what another device writes under these names.
    private mutating func shrink(_ replica: ReplicaID, to seq: UInt64, _ line: inout ClientLine) {
        guard let standing = replicas[replica] else { return }
        replicas[replica]?.agreed = min(standing.agreed, seq)
        replicas[replica]?.uploaded.through = min(standing.uploaded.through, seq)
        replicas[replica]?.isWanted = false
        want(replica, &line)
    }
}

/// What the device has of its group, as a session begins.
package struct LocalLog: Hashable, Sendable {
    /// The group that the log belongs to.
    package var group: GroupID
    /// Every replica's head; chains have to be up to date.
    package var vector: VersionVector
    /// The group's devices as the log names them, less the revoked, and the revoked.
    package var roster: [RosterEntry]
    /// The records of the group's epochs, those without a body included. A server that lacks one is given it.
    package var epochs: [EpochRecord]
    /// The records that nothing connects with the group's keys, each with its body's length. No server is told of them,
    /// and those that the welcome doesn't name are removed.
    package var unfounded: [EpochID: Int]

    /// What a device has of a group, as its store says.
    package init(
        group: GroupID, vector: VersionVector, roster: [RosterEntry] = [], epochs: [EpochRecord] = [],
        unfounded: [EpochID: Int] = [:]
    ) {
        self.group = group
        self.vector = vector
        self.roster = roster
        self.epochs = epochs
        self.unfounded = unfounded
    }
}

/// What has become of a device's log.
package enum LogChange: Hashable, Sendable {
    /// This is all that it has; chains are up to date. The session looks at each replica.
    case all(VersionVector)
    /// It has this of these replicas, `Head.empty` of one that it has nothing of any more, and of the others what it had.
    case heads([ReplicaID: Head])

    /// What a log that had this has then.
    func applied(to vector: inout VersionVector) {
        switch self {
        case .all(let new): vector = new
        case .heads(let heads): for (replica, head) in heads { vector[replica] = head }
        }
    }
}
