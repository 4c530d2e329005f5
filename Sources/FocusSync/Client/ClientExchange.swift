package import FocusCore

/// The client's part of a connection from the welcome on. It sends the events, devices and epochs that the
/// server lacks, and receives what the device lacks.
struct ClientExchange {
    /// The stage of the exchange.
    enum Stage {
        /// The server is sending what the device lacks. Some replicas haven't reached the welcome's heads yet,
        /// or records of epochs are missing. Next: `returning`.
        case catchingUp
        /// The driver performs the device's own actions on returning. Next: `awaitingClock` or `reauthoring`.
        case returning
        /// The server isn't sure of its clock, so nothing may be uploaded. Next: `reauthoring`.
        case awaitingClock
        /// The driver re-authors the events that lie ahead, if there are any. Next: `live`.
        case reauthoring
        /// Events are uploaded and pushed as they come.
        case live
    }

    /// The schedule of re-authoring.
    struct Reauthor {
        /// Whether events are re-authored as soon as no upload is under way.
        var isDue = false
        /// The earliest instant at which a refusal may lead to re-authoring again. The re-authored events may
        /// be refused too, so there is a pause between two attempts.
        var next = SteadyInstant.distantPast
    }

    var stage = Stage.catchingUp
    /// The device's heads and the sync state of each replica.
    var replicas: ReplicaSyncStates
    /// The greatest stamp in the server's log, from the welcome.
    private let latest: Stamp
    /// The epochs with a record that the welcome named and that hasn't arrived yet.
    private(set) var awaitedEpochs: Set<EpochID>
    /// The count of what the server has named of the group.
    var tally: GroupTally
    /// The devices and epochs that the server lacked at the welcome.
    var missing: MissingRecords
    /// The requests that the server hasn't answered.
    var requests = UnansweredRequests()
    /// The pushes that the driver is merging.
    var merging = SegmentQueue()
    var uploads = Uploads()
    var reauthor = Reauthor()

    /// Answers the welcome, and starts the first step for each replica.
    init(_ welcome: Welcome, to log: LocalLog, _ line: inout ClientChannel) {
        latest = welcome.latest
        replicas = ReplicaSyncStates(log.vector, welcome.vector)
        let records = log.epochs.filter { !$0.body.isEmpty }
        let epochs = records.map { $0.epoch }
        awaitedEpochs = Set(welcome.epochs).subtracting(epochs)
        tally = GroupTally(welcome, records, besides: log.unfounded)
        missing = MissingRecords(of: log, lackedBy: welcome)
        line.send(.have(Have(vector: log.vector, epochs: epochs)))
        sendMissing(&line)
        for replica in Set(log.vector.heads.keys).union(welcome.vector.heads.keys).sorted() {
            sync(replica, &line)
        }
    }

    /// The instant at which the next retry is due; `.distantFuture` if none is.
    var deadline: SteadyInstant {
        min(missing.due ?? .distantFuture, replicas.nextRetry ?? .distantFuture)
    }

    /// Returns whether there is nothing left to do for now. Then each replica is stopped, or equal on both
    /// sides as far as is known; or a server that isn't sure of its clock has stopped all uploads.
    func isIdle(_ line: ClientChannel) -> Bool {
        guard merging.isEmpty, !uploads.isUnderWay, !missing.hasMoreToSend else { return false }
        return switch stage {
        case .live: replicas.areInSync
        case .awaitingClock: line.isServerUnsure
        case .catchingUp, .returning, .reauthoring: false
        }
    }

    /// The number of the device's events that the server isn't known to have.
    var unacknowledged: UInt64 { replicas.unacknowledged }

    /// Handles one message of the server's.
    mutating func handle(_ message: Message, _ line: inout ClientChannel) throws(ServerProtocolError) {
        switch message {
        case .push, .revoked, .epoch:
            do throws(GroupSizeError) { try handleGroupMessage(message, &line) } catch {
                throw .excess(error)
            }
        case .ack(let ack): try handleAck(ack, &line)
        case .chains(let replica, let heads): handleChains(replica, &line) { $0.take(theirs: heads) }
        case .presence(let presence): line.append(.presence(presence))
        case .done(let number): try answered(number, nil, message, &line)
        case .refused(let number, let refusal): try answered(number, refusal, message, &line)
        default: try line.takePong(message)
        }
    }

    /// Counts and handles a message that adds to what the device stores of its group.
    private mutating func handleGroupMessage(_ message: Message, _ line: inout ClientChannel)
        throws(GroupSizeError)
    {
        switch message {
        case .push(let segment): try handlePush(segment, &line)
        case .revoked(let device):
            try tally.count(device)
            line.append(.revoked(device))
        case .epoch(let record):
            awaitedEpochs.remove(record.epoch)
            // A record without a body only names an epoch. A client ignores it, because clients learn of
            // epochs from records with bodies and from events.
            guard !record.body.isEmpty else { return }
            try tally.count(record)
            line.append(.epoch(record))
        default: break
        }
    }

    /// Does all work that is possible now: shares records, advances the stage, and requests the next uploads.
    mutating func advance(_ line: inout ClientChannel) {
        sendMissing(&line)
        if case .catchingUp = stage, awaitedEpochs.isEmpty, replicas.haveReachedWelcome {
            stage = .returning
            line.append(.caughtUp)
        }
        if case .awaitingClock = stage, line.clock.hasReading { reauthor.isDue = true }
        if reauthor.isDue, !uploads.isUnderWay { reauthorWhatLiesAhead(&line) }
        if case .live = stage, !reauthor.isDue { upload(&line) }
    }

    /// Asks the driver to re-author the events that lie ahead of shared time.
    private mutating func reauthorWhatLiesAhead(_ line: inout ClientChannel) {
        reauthor.isDue = false
        let shared = line.clock.shared(line.now).instant
        guard case .upTo(let limit) = Admission.server(now: shared, latest: latest) else { return }
        stage = .reauthoring
        line.append(
            .reauthor(Reauthoring(beyond: replicas.serverSeqs, limit: limit, error: line.clockError)))
    }
}

// MARK: - Answers of the driver

extension ClientExchange {
    /// Continues after the device's own actions on returning.
    mutating func returned(_ vector: VersionVector, _ line: inout ClientChannel) {
        localLogChanged(to: vector, &line)
        if line.clock.hasReading { reauthor.isDue = true } else { stage = .awaitingClock }
    }

    /// Continues after the events that lay ahead were re-authored.
    mutating func reauthored(_ vector: VersionVector, _ line: inout ClientChannel) {
        stage = .live
        localLogChanged(to: vector, &line)
        for replica in replicas.all.keys.sorted() { sync(replica, &line) }
    }

    /// Takes the device's new version vector, and starts the next step for each changed replica.
    mutating func localLogChanged(to vector: VersionVector, _ line: inout ClientChannel) {
        for replica in replicas.changed(in: vector) {
            let (before, head) = (local(replica), vector[replica])
            replicas.vector[replica] = head
            if head.seq < before.seq { shrink(replica, to: head.seq, &line) }
            sync(replica, &line)
        }
    }

    /// Handles a replica's head that went back, because its tail was moved to a branch or re-authored. The
    /// server may believe that the device still has the tail. Then it would not push other events with the
    /// same names, so the device requests them.
    private mutating func shrink(_ replica: ReplicaID, to seq: UInt64, _ line: inout ClientChannel) {
        guard let syncState = replicas[replica] else { return }
        replicas[replica]?.commonSeq = min(syncState.commonSeq, seq)
        replicas[replica]?.uploaded.through = min(syncState.uploaded.through, seq)
        replicas[replica]?.isWanted = false
        requestPush(replica, &line)
    }
}

/// The parts of a device's log that a session needs when it begins.
package struct LocalLog: Hashable, Sendable {
    /// The group that the log belongs to.
    package var group: GroupID
    /// Every replica's head, with chains that are up to date.
    package var vector: VersionVector
    /// The group's devices that the log names, including the revoked ones.
    package var roster: [RosterEntry]
    /// The records of the group's epochs, including those without a body. They are sent
    /// to a server that lacks them.
    package var epochs: [EpochRecord]
    /// The length of the body, in bytes, of each record that isn't founded. These records are named to no
    /// server. A record that the welcome doesn't name is removed.
    package var unfounded: [EpochID: Int]

    /// Creates a description of a device's log.
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
