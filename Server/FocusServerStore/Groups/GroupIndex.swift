package import FocusCore
package import FocusSync
import FocusText

/// What the writer holds of a group's log in memory: enough to merge an upload without looking anything up.
package struct GroupIndex: Hashable, Sendable {
    /// A group, and its row in the store.
    package struct Name: Hashable, Sendable {
        /// The group's id, which is the same on every server.
        package let group: GroupID
        /// The row's number, by which the store's other tables name the group. It holds in this store alone.
        package let number: Int64
    }

    /// Which group's log it is.
    package let name: Name
    /// When it came to this server.
    let created: SharedInstant
    /// Each replica's head.
    package private(set) var heads: [ReplicaID: ReplicaHead] = [:]
    /// The greatest stamp in the log.
    package private(set) var latest = Stamp.zero
    /// The epochs that the server has records of, each with its predecessor where that is said.
    package private(set) var epochs: [EpochID: EpochID?] = [:]
    /// Those whose records have bodies.
    package private(set) var bodies: Set<EpochID> = []
    /// How much there is of it, as far as `add` was told.
    package private(set) var size = GroupSize()
    /// What the operator lets it have, where that isn't what the settings say.
    package var quota = GroupQuota()

    /// An empty one.
    package init(number: Int64, group: GroupID, created: SharedInstant) {
        name = Name(group: group, number: number)
        self.created = created
    }

    /// The group.
    package var group: GroupID { name.group }

    /// The group's row in the store.
    package var number: Int64 { name.number }

    /// How far the log has a replica's events.
    package func head(of replica: ReplicaID) -> ReplicaHead { heads[replica] ?? .empty }

    /// Takes note that the log has a replica's events up to this head.
    package mutating func setHead(_ head: ReplicaHead, of replica: ReplicaID) {
        heads[replica] = head
        latest = max(latest, head.stamp)
    }

    /// Takes note that the log has so much more.
    package mutating func add(_ size: GroupSize) { self.size.add(size) }

    /// Takes note of an epoch's record.
    package mutating func addEpoch(_ record: EpochRecord) {
        addEpoch(record.epoch, after: record.predecessor, hasBody: !record.body.isEmpty)
    }

    /// Takes note of an epoch's record.
    mutating func addEpoch(_ epoch: EpochID, after predecessor: EpochID?, hasBody: Bool) {
        epochs[epoch] = .some(predecessor)
        if hasBody { bodies.insert(epoch) }
    }

    /// What the log has.
    package var vector: VersionVector { VersionVector(heads.mapValues(\.head)) }

    /// Whether an epoch's record, or the body of it, isn't here.
    package func lacks(_ record: EpochRecord) -> Bool {
        epochs[record.epoch] == nil || !record.body.isEmpty && !bodies.contains(record.epoch)
    }

    /// Whether another log of the group has events, or an epoch's record, that aren't here.
    package func lacks(anythingOf other: GroupIndex) -> Bool {
        other.epochs.keys.contains { epochs[$0] == nil } || !other.bodies.isSubset(of: bodies)
            || other.heads.contains { head(of: $0.key).head.seq < $0.value.head.seq }
    }

    /// The epochs that follow this one and have a record: no laptop hears of those that are only named, so none could
    /// say that they don't count.
    package func successors(of predecessor: EpochID) -> Set<EpochID> {
        Set(bodies.lazy.filter { epochs[$0] == predecessor })
    }
}

/// What a group may have at most, where the operator says so; nil leaves it to the settings.
package struct GroupQuota: Hashable, Sendable {
    /// Events.
    package var events: Int?
    /// What its rows take, in bytes.
    package var bytes: Int?
    /// Devices, less the revoked.
    package var devices: Int?

    /// What an operator says; nil leaves it to the settings.
    package init(events: Int? = nil, bytes: Int? = nil, devices: Int? = nil) {
        self.events = events
        self.bytes = bytes
        self.devices = devices
    }
}

/// How much there is of a group's log.
package struct GroupSize: Hashable, Sendable {
    /// Events.
    package var events = 0
    /// What the rows of events and the epoch records take on the disk (`StoredSize`), in bytes.
    package var bytes = 0
    /// The bodies of epoch records alone.
    package var epochBytes = 0

    /// Events, and what their rows take.
    package init(events: Int = 0, bytes: Int = 0) {
        self.events = events
        self.bytes = bytes
    }

    /// The body of an epoch's record.
    package init(epochBytes: Int) {
        bytes = StoredSize.record(body: epochBytes)
        self.epochBytes = epochBytes
    }

    /// There is so much more of it.
    package mutating func add(_ more: GroupSize) {
        events += more.events
        bytes += more.bytes
        epochBytes += more.epochBytes
    }

    /// Both together.
    package static func + (one: GroupSize, other: GroupSize) -> GroupSize {
        var sum = one
        sum.add(other)
        return sum
    }
}

/// What rows take of the store's file, with what SQLite needs beside them: so a group's limit of bytes bounds its part of
/// the disk also where each upload is one event. Measured; a row takes a twentieth more than this at most. It counts as it
/// came: small rows that are joined later take less, and go on counting as before.
package enum StoredSize {
    /// A page of the file, in bytes.
    private static let page = 4_096
    /// What a row of events has beside the packed events: its other columns, and its place in the index, in bytes.
    private static let row = 104
    /// The least that a row leaves in a page of its table where the rest is on pages of its own, in bytes.
    private static let least = 512
    /// What an epoch's record has beside its body, in bytes.
    private static let record = 128
    /// The longest body of a record that takes no page of its own, in bytes.
    private static let shortBody = 256

    /// What a row of so many bytes of packed events takes: as many whole pages as it fills, and for the rest its share of
    /// one that holds as many such rows as fit.
    package static func row(packed: Int) -> Int {
        let bytes = row + packed
        let pages = bytes / page
        let rest = max(bytes % page, pages > 0 ? least : 1)
        return pages * page + (rest > page / 2 ? page : page / (page / rest))
    }

    /// What the record of an epoch takes with a body of so many bytes. Those without are few and short, and count nothing.
    static func record(body: Int) -> Int {
        body == 0 ? 0 : body + record + (body > shortBody ? page : 0)
    }
}

extension GroupID {
    /// The beginning of the id, which tells a server's groups apart for people.
    package var short: String { String(text.prefix(8)) }
}
