package import FocusCore
package import FocusDevice
import FocusSeal
package import FocusStore
package import FocusSync

/// A group's log on this device as a sync session sees it: sealed and chained. The store keeps it plain.
package final class SealedLog {
    /// The group of the log, which never changes. Once the device has left it, nothing more is merged here
    /// (`StoreError.hasLeft`).
    package let group: GroupID
    /// The store with the plain events. Other processes may write to it at any time.
    package let store: DeviceStore
    private(set) var sealer: Sealer
    private var hasher: ChainHasher
    private var recent = RecentSealedEvents()
    /// The public keys that were checked, by their hashes, and whether they are usable.
    var usableKeys: [Digest: Bool] = [:]

    /// The epochs with bad records, as of the last check.
    var bad: Set<EpochID> = []
    /// The epochs with unfounded records, as of the last check (`KeyRing.unfounded`).
    var unfounded: Set<EpochID> = []

    /// The amount of unreadable data in the log; nil if it has to be counted.
    var unreadable: UnreadableEvents?
    /// Whether a removal of events or records has freed much disk space.
    private var hasFreedSpace = false

    /// The cached key ring.
    var lastRing: CachedKeyRing?
    /// The number of events that are read from the store at once.
    private static let page = 1024

    /// Makes the log of the device's group, with the keys in the store; nil if the device is in no group.
    package init?(_ store: DeviceStore) throws(LocalFailure) {
        let (group, epochs) = try LocalFailure.converting { () throws(StoreError) in
            (try store.group(), try store.epochs())
        }
        guard let group else { return nil }
        self.group = group
        self.store = store
        do throws(SealError) {
            let keys = try epochs.map { (epoch) throws(SealError) in try EpochKey(SecretBytes(epoch.key)) }
            sealer = try Sealer(group: group, keys: keys)
            hasher = try ChainHasher(group: group)
        } catch {
            throw .seal(error)
        }
    }

    /// Returns the log with up-to-date chains, for the start of a session. Later changes come from `vector`.
    package func local() throws(StoreError) -> LocalLog {
        LocalLog(
            group: group, vector: try vector(),
            roster: try store.groupKeys().roster,
            epochs: try records(),
            unfounded: try store.epochRecordSizes().filter { unfounded.contains($0.key) })
    }

    /// Loads keys that were added to the store.
    func learnKeys() throws(StoreError) {
        for epoch in try store.epochs() where !sealer.hasKey(epoch.id) {
            try StoreError.sealing { () throws(SealError) in
                try sealer.add(EpochKey(SecretBytes(epoch.key)))
            }
        }
    }

    /// Returns each replica's head. Chains new presses first.
    package func vector() throws(StoreError) -> VersionVector {
        try store.receiving(for: group) { () throws(StoreError) in
            for replica in try store.unchainedReplicas() { try chain(replica) }
            return try store.versionVector()
        }
    }

    /// Throws `StoreError.hasLeft` if the device has left the group, because the store then has another log.
    func checkMembership() throws(StoreError) {
        guard try store.group() == group else { throw StoreError.hasLeft }
    }

    /// Chains the events of a replica that aren't chained yet.
    ///
    /// - Returns: The replica's head after that.
    @discardableResult
    private func chain(_ replica: StoredReplica) throws(StoreError) -> Head {
        var head = replica.chained
        while head.seq < replica.seq {
            let events = try store.storedEvents(of: replica.id, from: head.seq + 1, limit: SealedLog.page)
            guard !events.isEmpty else { return head }
            var chains: [Chain] = []
            for event in events {
                chains.append(try chain(after: chains.last ?? head.chain, event))
            }
            try store.setChains(of: replica.id, after: head, chains)
            head = Head(seq: head.seq + UInt64(chains.count), chain: chains.last ?? head.chain)
        }
        return head
    }

    /// Returns the event as the server has it: the same bytes on every device that has the key.
    private func sealed(_ event: StoredEvent) throws(StoreError) -> SealedEvent {
        guard let epoch = event.epoch else {
            throw StoreError(.refused, "an event that belongs to no epoch can't be sealed")
        }
        switch event.body {
        case .plain(let bytes), .early(let bytes):
            if let sealed = recent.sealed(event, plain: bytes) { return sealed }
            // Another process may have stored the key meanwhile.
            if !sealer.hasKey(epoch) { try learnKeys() }
            let sealed = try StoreError.sealing { () throws(SealError) in
                try sealer.seal(bytes, id: event.id, stamp: event.stamp, epoch: epoch)
            }
            recent.insert(sealed, plain: bytes)
            return sealed
        case .sealed(let bytes), .damaged(let bytes):
            return SealedEvent(id: event.id, stamp: event.stamp, epoch: epoch, body: bytes)
        }
    }
}

// MARK: - Requests of a session

extension SealedLog {
    /// The result of merging a segment.
    package struct Merged {
        /// The head of the segment's replica after the merge.
        package let head: Head
        /// The reason why the merge stopped before the segment's end; nil if it didn't.
        package let stop: RefusalCode?
        /// The number of new events.
        package let count: Int
        /// Whether another machine turned out to write as this device, which now writes under another
        /// replica.
        package let tookFreshReplica: Bool
        /// Whether there was no room for unreadable events. Then only the events before the first of them
        /// were merged.
        package let lacksRoom: Bool
        /// The names of the devices that have damaged events now and had none before.
        package let damagedBy: [String]
        /// The state after the merge; nil if no replay was requested or no event was new.
        package let state: ReplayState?
    }

    /// Merges events from the server in one transaction, because another process may press or move a tail at
    /// any time.
    ///
    /// - Parameters:
    ///   - now: The present instant, in shared time. Events too far ahead of it are early.
    ///   - replaying: Whether to replay the events in the same commit. Otherwise `DeviceStore.replay` does it
    ///     later.
    package func merge(
        _ segment: Segment, at now: SharedInstant = .distantFuture, replaying: Bool = false
    ) throws(StoreError) -> Merged {
        if segment.events.contains(where: { !sealer.hasKey($0.epoch) }) { try learnKeys() }
        return try store.receiving(for: group) { () throws(StoreError) in
            try merged(segment, at: now, replaying: replaying)
        }
    }

    /// Replays a slice of the merged events, and returns the state after it.
    func replayNextSlice() throws(StoreError) -> (state: ReplayState, isAtEnd: Bool) {
        try store.writing(for: group) { () throws(StoreError) in try store.replayNextSlice() }
    }

    /// Replays all merged events, as far as that succeeds. Views show an earlier state before (`CatchUp`).
    func replayRest() { while let slice = try? replayNextSlice(), !slice.isAtEnd {} }

    private func merged(
        _ segment: Segment, at now: SharedInstant, replaying: Bool
    ) throws(StoreError) -> Merged {
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
            holds: { (head) throws(StoreError) in
                try store.chain(of: segment.replica, at: head.seq) == head.chain
            },
            chain: { (chain, event, body) throws(StoreError) in
                let next: Chain
                do throws(SealError) {
                    next = try hasher.chain(
                        after: chain, id: event.id, stamp: event.stamp, epoch: event.epoch, body: body)
                } catch {
                    throw StoreError(error)
                }
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
            // The server also has the segment's events that were here already.
            try store.acknowledge(segment.replica, through: min(head.head.seq, segment.lastSeq))
        }
        return Merged(
            head: end, stop: stop, count: report.merged,
            tookFreshReplica: report.freshReplica != nil, lacksRoom: lacksRoom,
            damagedBy: try names(ofAuthors: report.damaged),
            state: report.merged > 0 ? report.state : nil)
    }

    /// Reserves room for the unreadable events among a replica's events.
    ///
    /// - Parameter isNew: Whether the log has no event of the replica.
    /// - Returns: False if there isn't enough room. Then the events are cut before the first unreadable one.
    private func takeRoom(for events: inout [StoredEvent], isNew: Bool) throws(StoreError) -> Bool {
        guard let first = events.firstIndex(where: { !$0.isReadable }) else { return true }
        var room = if let unreadable { unreadable } else { try store.unreadableEvents() }
        for event in events[first...] where !event.isReadable { room.bytes += event.size }
        if isNew, first == 0 { room.replicas += 1 }
        guard room.isWithinLimits else {
            events.removeSubrange(first...)
            return false
        }
        unreadable = room
        return true
    }

    /// Removes data that another server may have invented and this one doesn't have: unreadable events, if
    /// there are many, and unfounded records that the welcome doesn't name.
    ///
    /// - Returns: Whether a replica was removed. Then the session has to be told of the log's new vector.
    package func removeMadeUp(besides welcome: Welcome) throws(StoreError) -> Bool {
        let records = unfounded.subtracting(welcome.epochs)
        let found = try store.unreadableEvents()
        unreadable = found
        guard !records.isEmpty || found.isMuch else { return false }
        let hasRemovedReplica = try store.receiving(for: group) { () throws(StoreError) in
            try store.removeRecords(records)
            unfounded.subtract(records)
            guard found.isMuch else { return false }
            let known = Set(try store.epochs().map { $0.id }).union(try store.epochRecordSizes().keys)
            return try store.removeUnreadable(besides: welcome.vector, waitingFor: known)
        }
        unreadable = nil
        hasFreedSpace = true
        return hasRemovedReplica
    }

    /// Returns freed space to the disk. Must not be called within a transaction.
    func releaseFreeSpace() throws(StoreError) {
        guard hasFreedSpace else { return }
        hasFreedSpace = try !store.releaseFreeSpace()
    }

    /// Returns the bodies of the segment's events after `seq` in the form of the store. They stay sealed if
    /// their epoch's key isn't here. An event that the key doesn't open has no effect, and only a member can
    /// have made it. It is kept and passed on like every event, because otherwise the logs would part.
    private func opened(_ segment: Segment, after seq: UInt64) throws(StoreError) -> EventBodies {
        let events = segment.events.filter { $0.id.seq > seq }.map(segment.sealed)
        var bodies: [StoredEvent.Body] = []
        for (event, opened) in zip(events, sealer.plaintext(of: events)) {
            if sealer.hasKey(event.epoch) {
                let plain = try plain(opened)
                bodies.append(plain.map { StoredEvent.Body.plain($0) } ?? .damaged(event.body))
            } else {
                bodies.append(.sealed(event.body))
            }
        }
        return EventBodies(firstSeq: events.first?.id.seq ?? 0, bodies: bodies)
    }

    /// Returns the replica's events from `seq` on, of about `bytes` packed bytes; nil if there are none.
    package func segment(of replica: ReplicaID, from seq: UInt64, bytes: Int) throws(StoreError) -> Segment? {
        try store.reading { () throws(StoreError) in
            try readSegment(of: replica, from: seq, bytes: bytes)
        }
    }

    private func readSegment(
        of replica: ReplicaID, from seq: UInt64, bytes: Int
    ) throws(StoreError) -> Segment? {
        guard seq > 0, let chained = try store.replica(replica)?.chained,
            let before = try store.chain(of: replica, at: seq - 1)
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

    /// Returns the log's chains at these seqs, without seqs that the log doesn't have.
    package func chains(of replica: ReplicaID, at seqs: [UInt64]) throws(StoreError) -> [Head] {
        var heads: [Head] = []
        for seq in seqs {
            guard let chain = try store.chain(of: replica, at: seq) else { continue }
            heads.append(Head(seq: seq, chain: chain))
        }
        return heads
    }

    /// Moves the replica's tail to its branch.
    ///
    /// - Parameter first: The first event that differs from the server's, with this log's chain there.
    package func moveBranch(of replica: ReplicaID, from first: Head) throws(StoreError) -> TailMove {
        unreadable = nil
        return try store.moveTail(of: replica, from: first, self)
    }
}

extension SealedLog: ChainProvider {
    /// Returns the branch's name, which is the same on every device (docs/protocol.md, "Parted branches").
    package func branch(of replica: ReplicaID, chain: Chain) throws(StoreError) -> ReplicaID {
        try StoreError.sealing { () throws(SealError) in try ReplicaID.branch(of: replica, chain: chain) }
    }

    /// Seals the event and returns the chain up to it. For a plain event it needs the epoch's key.
    package func chain(after chain: Chain, _ event: StoredEvent) throws(StoreError) -> Chain {
        let sealed = try sealed(event)
        return try StoreError.sealing { () throws(SealError) in try hasher.chain(after: chain, sealed) }
    }
}

extension StoreError {
    /// The error of a log with events that can't be sealed or opened.
    init(_ error: SealError) { self.init(.failed, error.description) }

    /// Runs `body`, and converts its errors.
    static func sealing<Result>(_ body: () throws(SealError) -> Result) throws(StoreError) -> Result {
        do throws(SealError) { return try body() } catch { throw StoreError(error) }
    }
}

/// The bodies of consecutive events, by seq.
private struct EventBodies {
    let firstSeq: UInt64
    let bodies: [StoredEvent.Body]

    /// The body of the event with this seq; nil if it isn't here.
    subscript(seq: UInt64) -> StoredEvent.Body? {
        guard seq >= firstSeq, seq - firstSeq < UInt64(bodies.count) else { return nil }
        return bodies[Int(seq - firstSeq)]
    }
}

extension UnreadableEvents {
    /// Whether this amount may be kept.
    var isWithinLimits: Bool {
        replicas <= Limits.unreadableReplicas && bytes <= Limits.unreadableBytes
    }

    /// Whether there is enough to make a search for invented data worthwhile: more than a sixteenth of the
    /// limits.
    var isMuch: Bool {
        replicas > Limits.unreadableReplicas / 16 || bytes > Limits.unreadableBytes / 16
    }
}
