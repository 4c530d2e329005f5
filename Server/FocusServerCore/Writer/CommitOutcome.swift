package import FocusCore
package import FocusServerStore
package import FocusSync

/// The outcome of a batch, durable by the time it is delivered. An acknowledgement goes before its push: the
/// pushes can be had only by handling the answers first.
package struct CommitOutcome: Sendable {
    /// The changes of groups and devices, and the answers to requests, in order.
    package let answers: [WriterOutcome]
    private let pushes: [WriterPush]
    /// The counts of the whole batch.
    package let tally: BatchTally
    /// Whether a `barrier` is reached: all requests before it are done. It follows the pushes.
    package let isDrained: Bool

    /// The outcome of a batch with these results.
    package init(
        answers: [WriterOutcome] = [], pushes: [WriterPush] = [], tally: BatchTally = BatchTally(),
        isDrained: Bool = false
    ) {
        self.answers = answers
        self.pushes = pushes
        self.tally = tally
        self.isDrained = isDrained
    }

    /// Passes all answers to `answer`, and after that each push to `push`.
    package func deliver(answer: ([WriterOutcome]) -> Void, push: (WriterPush) -> Void) {
        answer(answers)
        for item in pushes { push(item) }
    }
}

/// An outcome that connections are told of before any push.
package enum WriterOutcome: Sendable {
    /// The answer to an upload.
    case merged(ReplicaID, head: Head, stop: Ack.Stop?, to: ConnectionID)
    case enrolled(Enrolled, to: ConnectionID)
    /// The connection has to end.
    case ended(Refusal, to: ConnectionID)
    /// The answer to a request for the group. Follows the changes that the batch has made.
    case answered(RequestNumber, GroupAnswer, to: ConnectionID)
    /// The group is on this server now: it was created here, or read from the store.
    case groupAdded(GroupIndex)
    /// The store has less of the group than connections were told of: a database replica that was behind has
    /// taken over.
    case setBack(GroupIndex)
    /// The group's roster has this entry for the device now.
    case device(StoredDevice)
    /// A group's complete roster, including which devices are connected to other servers.
    case roster([StoredDevice])
    /// The group now has this epoch's record, or its body. The connection that brought it needs no message.
    case epochAdded(EpochRecord, GroupID, from: ConnectionID?)
    /// The complete rosters and groups, after another process has changed something.
    case reloaded([StoredDevice], Set<GroupID>)
    /// These sightings of devices could not be stored.
    case notNoted([Digest: Sighting])
    /// The devices could not be read.
    case notReloaded
}

/// An outcome that follows all answers of its batch.
package enum WriterPush: Sendable {
    /// The group's log now has these events, and the replica has this head.
    case events(EncodedPush, ReplicaHead, GroupID)
    /// The changes for which the connection waited are read and delivered, or they can't be read now.
    case caughtUp(ConnectionID)
}

/// The counts of one batch, for metrics.
package struct BatchTally: Hashable, Sendable {
    /// The number of requests.
    package var requests = 0
    /// The number of new events.
    package var events = 0
    /// The number of uploaded events that the log had already.
    package var duplicates = 0
    /// The number of parts that failed while the rest was stored.
    package var failures = 0
    /// The number of parts that found their group changed by another server. Groups' turns are then done
    /// again.
    package var stale = 0
    /// The time from the beginning to the commit.
    package var duration = Duration.zero
    /// The reason if nothing was stored; nil otherwise.
    package var problem: StoreFailure?
    /// Whether the store has counted all new events. If not, the next `note` makes the store count the rest.
    package var isAllCounted = true

    /// Whether every part was stored.
    package var isComplete: Bool { failures == 0 && problem == nil }
}
