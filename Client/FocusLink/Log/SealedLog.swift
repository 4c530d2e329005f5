package import FocusCore
import FocusDevice
import FocusSeal
package import FocusStore
package import FocusSync

/// A group's log on this device as a sync session sees it: sealed and chained, though the store keeps it plain.
package final class SealedLog {
    /// The group whose log it is, for good. Once the device has left it, nothing is merged here any more
    /// (`StoreError.hasLeft`).
    package let group: GroupID
    /// Where the events are kept, plain. Other processes may write there at any time.
    package let store: DeviceStore
    private(set) var sealer: Sealer
    private var hasher: ChainHasher
    private var lately = SealedLately()
    private var chainedLately = ChainedLately()
    /// The public keys that were looked at, by their hashes: whether they can be used.
    var usableKeys: [Digest: Bool] = [:]

    /// The epochs whose records couldn't be used when they were last looked at.
    var bad: Set<EpochID> = []
    /// The epochs whose records anybody may have made, as of then (`KeyRing.unfounded`).
    var unfounded: Set<EpochID> = []

    /// How much there is in the log that can't be read; nil if that has to be counted.
    var unreadable: UnreadableEvents?
    /// Whether events or records were removed that took much of the disk.
    private var hasFreedSpace = false

    /// How often the group's epochs were looked at.
    package var adoptions = 0

    /// What was made of them last, and how often that was done.
    var lastRing: MadeRing?
    /// How often they were worked out, for tests: only where there is another key or record than the last time.
    package var ringsMade = 0

    /// Where the store's replicas stood when a session was last told of them; nil where none was.
    private var told: ReplicaMark?
    /// How many replicas were looked at to tell a session of changes, for tests.
    package private(set) var looks = 0

    /// How many replicas are looked up one by one at most; of more all are read.
    private static let lookUps = 256

    /// How many events are read from the store at once.
    private static let page = 1024

    /// The log of the group that the device is in, with the keys that it has; nil where it is in none.
    package init?(_ store: DeviceStore) throws {
        guard let group = try store.group() else { return nil }
        self.group = group
        self.store = store
        sealer = try Sealer(group: group, keys: try store.epochs().map { try EpochKey(SecretBytes($0.key)) })
        hasher = try ChainHasher(group: group)
    }

    /// What the device has, chains up to date: what a session begins with. `change` gives what changes from then on.
    package func local() throws -> LocalLog {
        told = try store.replicaMark()
        return LocalLog(
            group: group, vector: try vector(),
            roster: try store.groupKeys().roster,
            epochs: try records(),
            unfounded: try store.epochRecordSizes().filter { unfounded.contains($0.key) })
    }

    /// Takes note of keys that have come into the store.
    func learnKeys() throws {
        for epoch in try store.epochs() where !sealer.knows(epoch.id) {
            try sealer.add(EpochKey(SecretBytes(epoch.key)))
        }
    }

    /// Each replica's head, once what was pressed since has been chained.
    package func vector() throws -> VersionVector {
        try store.receiving(for: group) {
            for replica in try store.unchainedReplicas() { try chain(replica) }
            return try store.versionVector()
        }
    }

    /// What has changed since `local` or this was asked last, once what was pressed since has been chained.
    ///
    /// Where nobody else has written to the store, only those replicas are looked at that this process has written to.
    package func change() throws -> LogChange {
        try store.receiving(for: group) {
            let mark = try store.replicaMark()
            guard let told, let written = store.replicasWritten(since: told, until: mark),
                written.count <= SealedLog.lookUps
            else {
                let vector = try vector()
                looks += vector.heads.count
                told = mark
                return .all(vector)
            }
            var heads: [ReplicaID: Head] = [:]
            for id in written.sorted() {
                heads[id] = try store.replica(id).map(chain) ?? .empty
            }
            looks += written.count
            self.told = mark
            return .heads(heads)
        }
    }

    /// Throws where the device has left the group meanwhile: its log is another one then.
    func checkMembership() throws {
        guard try store.group() == group else { throw StoreError.hasLeft }
    }

    /// Chains what isn't yet of a replica.
    ///
    /// - Returns: its head then.
    @discardableResult
    private func chain(_ replica: StoredReplica) throws -> Head {
        var head = replica.chained
        while head.seq < replica.seq {
            let events = try store.storedEvents(of: replica.id, from: head.seq + 1, limit: SealedLog.page)
            guard !events.isEmpty else { return head }
            var chains: [Chain] = []
            for event in events {
                chains.append(try chain(after: chains.last ?? head.chain, event))
            }
            try store.setChains(of: replica.id, after: head, chains)
            chainedLately.append(chains, of: replica.id, after: head)
            head = Head(seq: head.seq + UInt64(chains.count), chain: chains.last ?? head.chain)
        }
        return head
    }

    /// The event as the server holds it: the same bytes on every device that has the key.
    private func sealed(_ event: StoredEvent) throws -> SealedEvent {
        guard let epoch = event.epoch else {
            throw StoreError(.refused, "an event that belongs to no epoch can't be sealed")
        }
        switch event.body {
        case .plain(let bytes), .early(let bytes):
            if let sealed = lately.sealed(event, plain: bytes) { return sealed }
            // Another process may have come by the key.
            if !sealer.knows(epoch) { try learnKeys() }
            let sealed = try sealer.seal(bytes, id: event.id, stamp: event.stamp, epoch: epoch)
            lately.insert(sealed, plain: bytes)
            return sealed
        case .sealed(let bytes), .damaged(let bytes):
            return SealedEvent(id: event.id, stamp: event.stamp, epoch: epoch, body: bytes)
        }
    }
}

// MARK: - What a session asks for

extension SealedLog {
    /// What merging a segment came to.
    package struct Merged {
        /// How much of the segment's replica the log has after it.
        package let head: Head
        /// Why the segment's end was not reached; nil where it was.
        package let stop: RefusalCode?
        /// How many events were new.
        package let count: Int
        /// Whether somebody else turned out to write as this device, which now writes as another replica.
        package let tookFreshReplica: Bool
        /// Whether there was no room for events that can't be read: only what comes before them was taken.
        package let lacksRoom: Bool
        /// Who has damaged events since, and hadn't before, by name.
        package let damagedBy: [String]
        /// What the log comes to then, where something was new and that was asked for.
        package let state: ReplayState?
    }

    /// Merges events as the server has them, in one transaction: another process may press, or move a tail, at any time.
    ///
    /// - Parameters:
    ///   - now: Shared time: what lies too far ahead of it is early.
    ///   - replaying: Whether to replay them too, in the same commit, which else is left for
    ///     `DeviceStore.replay`.
    package func merge(
        _ segment: Segment, at now: SharedInstant = .distantFuture, replaying: Bool = false
    ) throws -> Merged {
        if segment.events.contains(where: { !sealer.knows($0.epoch) }) { try learnKeys() }
        return try store.receiving(for: group) { try merged(segment, at: now, replaying: replaying) }
    }

    private func merged(_ segment: Segment, at now: SharedInstant, replaying: Bool) throws -> Merged {
        var row = try store.replica(segment.replica)
        if let unchained = row, unchained.chained.seq < unchained.seq {
            try chain(unchained)
            row = try store.replica(segment.replica)
        }
        let head = row.map { ReplicaHead(head: $0.chained, stamp: $0.stamp) } ?? .empty
        let bodies = try opened(segment, after: head.head.seq)
        var events: [StoredEvent] = []
        let merge = try head.merging(
            segment, admission: .all, isKnown: { _ in true },
            holds: { (head) throws in
                try store.chain(of: segment.replica, at: head.seq, self) == head.chain
            },
            chain: { (chain, event, body) throws in
                let next = try hasher.chain(
                    after: chain, id: event.id, stamp: event.stamp, epoch: event.epoch, body: body)
                if let body = bodies[event.id.seq] {
                    events.append(
                        StoredEvent(
                            id: event.id, stamp: event.stamp, epoch: event.epoch, chain: next, body: body))
                }
                return next
            })
        events.removeAll { $0.id.seq > merge.head.head.seq }
        var (end, stop) = (merge.head.head, merge.stop)
        let lacksRoom = try !takeRoom(for: &events, isNew: row?.seq ?? 0 == 0)
        if lacksRoom {
            end =
                events.last.flatMap { last in last.chain.map { Head(seq: last.id.seq, chain: $0) } }
                ?? head.head
            stop = .groupFull
        }
        let report = try store.merge(
            events, acknowledged: true, at: now, replaying: replaying && !events.isEmpty)
        if merge.stop == nil, segment.firstSeq <= head.head.seq {
            // What came another way already is with the server too.
            try store.acknowledge(segment.replica, through: min(head.head.seq, segment.lastSeq))
        }
        return Merged(
            head: end, stop: stop, count: report.merged,
            tookFreshReplica: report.freshReplica != nil, lacksRoom: lacksRoom,
            damagedBy: try names(ofAuthors: report.damaged),
            state: report.merged > 0 ? report.state : nil)
    }

    /// Takes room for those of a replica's events that can't be read.
    ///
    /// - Parameter isNew: Whether the log has no event of the replica.
    /// - Returns: False if there isn't enough: then the events are cut before the first that can't be read.
    private func takeRoom(for events: inout [StoredEvent], isNew: Bool) throws -> Bool {
        guard let first = events.firstIndex(where: { !$0.isReadable }) else { return true }
        var room = try unreadable ?? store.unreadableEvents()
        for event in events[first...] where !event.isReadable { room.bytes += event.size }
        if isNew, first == 0 { room.replicas += 1 }
        guard room.isWithinLimits else {
            events.removeSubrange(first...)
            return false
        }
        unreadable = room
        return true
    }

    /// Removes what a server made up and this one doesn't have, if that is much: events that nobody can have written,
    /// and records that the welcome doesn't name.
    ///
    /// - Returns: Whether a session has to be told of the change.
    package func removeMadeUp(besides welcome: Welcome) throws -> Bool {
        let records = unfounded.subtracting(welcome.epochs)
        let found = try store.unreadableEvents()
        unreadable = found
        guard !records.isEmpty || found.isMuch else { return false }
        let isLonger = try store.receiving(for: group) {
            try store.removeRecords(records)
            unfounded.subtract(records)
            guard found.isMuch else { return false }
            let known = Set(try store.epochs().map(\.id)).union(try store.epochRecordSizes().keys)
            return try store.removeUnreadable(besides: welcome.vector, waitingFor: known)
        }
        unreadable = nil
        hasFreedSpace = true
        return isLonger
    }

    /// Gives the disk back what was freed since this was called last. Not within a transaction.
    func giveBackSpace() throws {
        guard hasFreedSpace else { return }
        hasFreedSpace = try !store.giveBackSpace()
    }

    /// The bodies of the segment's events after `seq` as the store keeps them: sealed where their epoch's key isn't here.
    ///
    /// One that the key doesn't open, which only a member could have made, says nothing; it is kept and passed on
    /// like every event, since leaving it out would part the logs.
    private func opened(_ segment: Segment, after seq: UInt64) throws -> OpenedBodies {
        let events = segment.events.filter { $0.id.seq > seq }.map(segment.sealed)
        let plain = sealer.plain(of: events)
        return OpenedBodies(
            firstSeq: events.first?.id.seq ?? 0,
            bodies: try zip(events, plain).map { event, plain in
                guard sealer.knows(event.epoch) else { return .sealed(event.body) }
                return try self.plain(plain).map { .plain($0) } ?? .damaged(event.body)
            })
    }

    /// The replica's events from `seq` on, of about `bytes` packed bytes; nil where there are none.
    package func segment(of replica: ReplicaID, from seq: UInt64, bytes: Int) throws -> Segment? {
        try store.reading { try readSegment(of: replica, from: seq, bytes: bytes) }
    }

    private func readSegment(of replica: ReplicaID, from seq: UInt64, bytes: Int) throws -> Segment? {
        guard seq > 0, let chained = try store.replica(replica)?.chained,
            let before = try chainedLately.chain(of: replica, at: seq - 1, before: chained)
                ?? store.chain(of: replica, at: seq - 1, self)
        else { return nil }
        var builder = SegmentBuilder(replica: replica, firstSeq: seq, chainBefore: before, limit: bytes)
        var next = seq
        while true {
            let events = try store.storedEvents(of: replica, from: next, limit: SealedLog.page)
            for event in events {
                guard event.id.seq <= chained.seq else { return builder.segment() }
                let sealed = try sealed(event)
                guard builder.append(stamp: sealed.stamp, epoch: sealed.epoch, body: sealed.body) else {
                    return builder.segment()
                }
            }
            guard let last = events.last, events.count == SealedLog.page else { return builder.segment() }
            next = last.id.seq + 1
        }
    }

    /// The log's chains at these seqs, less those that it hasn't.
    package func chains(of replica: ReplicaID, at seqs: [UInt64]) throws -> [Head] {
        try seqs.compactMap { seq in
            try store.chain(of: replica, at: seq, self).map { Head(seq: seq, chain: $0) }
        }
    }

    /// Moves the replica's tail to its branch, from an event on that was found to differ.
    package func moveBranch(of replica: ReplicaID, from first: Head) throws -> TailMove {
        unreadable = nil
        return try store.moveTail(of: replica, from: first, self)
    }
}

extension SealedLog: Chaining {
    /// The branch's name, which is the same on every device (docs/protocol.md, "Parted branches").
    package func branch(of replica: ReplicaID, chain: Chain) throws -> ReplicaID {
        try .branch(of: replica, chain: chain)
    }

    /// Seals the event and hashes on, so it needs the epoch's key of one that is kept plain.
    package func chain(after chain: Chain, _ event: StoredEvent) throws -> Chain {
        try hasher.chain(after: chain, try sealed(event))
    }
}

/// The bodies of events that follow each other, by their seqs.
private struct OpenedBodies {
    let firstSeq: UInt64
    let bodies: [StoredEvent.Body]

    /// The body of the event of this seq; nil where that isn't among them.
    subscript(seq: UInt64) -> StoredEvent.Body? {
        guard seq >= firstSeq, seq - firstSeq < UInt64(bodies.count) else { return nil }
        return bodies[Int(seq - firstSeq)]
    }
}

extension UnreadableEvents {
    /// Whether this much may be kept.
    var isWithinLimits: Bool {
        replicas <= Limits.unreadableReplicas && bytes <= Limits.unreadableBytes
    }

    /// Whether it is worth the while to look for what a server made up: more than a sixteenth of what may be kept.
    var isMuch: Bool {
        replicas > Limits.unreadableReplicas / 16 || bytes > Limits.unreadableBytes / 16
    }
}
