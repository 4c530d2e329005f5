package import FocusCore
package import FocusSync
import FocusText

/// The part of a group's log that the writer keeps in memory. With it, most uploads can be merged without a
/// lookup.
package struct GroupIndex: Hashable, Sendable {
    /// A group's id and its row number in the store.
    package struct Name: Hashable, Sendable {
        /// The group's id, which is the same on every server.
        package let group: GroupID
        /// The number of the group's row, which the store's other tables refer to. It is valid in this store
        /// only.
        package let number: Int64
    }

    /// The group of the log.
    package let name: Name
    /// The time at which this server added the group.
    let created: SharedInstant
    /// Each replica's head.
    package private(set) var heads: [ReplicaID: ReplicaHead] = [:]
    /// The greatest stamp in the log.
    package private(set) var latest = Stamp.zero
    /// The epochs with a record on the server, each with its predecessor if the record names one.
    package private(set) var epochs: [EpochID: EpochID?] = [:]
    /// The epochs with a body in their record.
    package private(set) var bodies: Set<EpochID> = []
    /// The size of the log: the sum of all sizes passed to `add`.
    package private(set) var size = GroupSize()
    /// The operator's quota for the group, which replaces the settings.
    package var quota = GroupQuota()

    /// An empty log.
    package init(number: Int64, group: GroupID, created: SharedInstant) {
        name = Name(group: group, number: number)
        self.created = created
    }

    /// The group.
    package var group: GroupID { name.group }

    /// The number of the group's row in the store.
    package var number: Int64 { name.number }

    /// A replica's head; `.empty` if the log has no events of it.
    package func head(of replica: ReplicaID) -> ReplicaHead { heads[replica] ?? .empty }

    /// Records that the log has a replica's events up to this head.
    package mutating func setHead(_ head: ReplicaHead, of replica: ReplicaID) {
        heads[replica] = head
        latest = max(latest, head.stamp)
    }

    /// Adds to the log's size.
    package mutating func add(_ size: GroupSize) { self.size.add(size) }

    /// Adds an epoch record that the log now has.
    package mutating func addEpoch(_ record: EpochRecord) {
        addEpoch(record.epoch, after: record.predecessor, hasBody: !record.body.isEmpty)
    }

    /// Adds the epoch of a record that the log now has.
    mutating func addEpoch(_ epoch: EpochID, after predecessor: EpochID?, hasBody: Bool) {
        epochs[epoch] = .some(predecessor)
        if hasBody { bodies.insert(epoch) }
    }

    /// The version vector of the log.
    package var vector: VersionVector { VersionVector(heads.mapValues(\.head)) }

    /// Whether the log lacks this epoch record or, if `record` has a body, the body.
    package func lacks(_ record: EpochRecord) -> Bool {
        epochs[record.epoch] == nil || !record.body.isEmpty && !bodies.contains(record.epoch)
    }

    /// Whether another log of the group has events, epoch records or bodies that this one lacks.
    package func lacks(anythingOf other: GroupIndex) -> Bool {
        other.epochs.keys.contains { epochs[$0] == nil } || !other.bodies.isSubset(of: bodies)
            || other.heads.contains { head(of: $0.key).head.seq < $0.value.head.seq }
    }

    /// Returns the epochs that follow this one and have a body in their record. The server stores another
    /// successor only if the laptop has discounted all of these. Laptops never learn of an epoch without a
    /// body, so they couldn't discount it.
    package func successors(of predecessor: EpochID) -> Set<EpochID> {
        Set(bodies.lazy.filter { epochs[$0] == predecessor })
    }
}

/// An operator's limits for a group; nil for a limit means that the settings apply.
package struct GroupQuota: Hashable, Sendable {
    /// The maximum number of events.
    package var events: Int?
    /// The maximum number of bytes that the group's rows take (`StoredSize`).
    package var bytes: Int?
    /// The maximum number of devices, without the revoked.
    package var devices: Int?

    /// Creates a quota; nil for a limit means that the settings apply.
    package init(events: Int? = nil, bytes: Int? = nil, devices: Int? = nil) {
        self.events = events
        self.bytes = bytes
        self.devices = devices
    }
}

/// The size of a group's log, or of a part of it.
package struct GroupSize: Hashable, Sendable {
    /// The number of events.
    package var events = 0
    /// The bytes that the rows of events and epoch records take on the disk (`StoredSize`).
    package var bytes = 0
    /// The bytes of the bodies of epoch records.
    package var epochBytes = 0

    /// The size of events, with the bytes that their rows take.
    package init(events: Int = 0, bytes: Int = 0) {
        self.events = events
        self.bytes = bytes
    }

    /// The size of an epoch's record with a body of this length.
    package init(epochBytes: Int) {
        bytes = StoredSize.record(body: epochBytes)
        self.epochBytes = epochBytes
    }

    /// Adds another size to this one.
    package mutating func add(_ more: GroupSize) {
        events += more.events
        bytes += more.bytes
        epochBytes += more.epochBytes
    }

    /// The sum of two sizes.
    package static func + (one: GroupSize, other: GroupSize) -> GroupSize {
        var sum = one
        sum.add(other)
        return sum
    }
}

/// The bytes that rows take in the store's file, with SQLite's overhead. So a group's byte limit bounds its
/// part of the disk even if each upload is one event.
///
/// The formulas are from measurements; a row takes at most a twentieth more. Rows count by their size on
/// arrival: joining small rows later saves room, but doesn't lower the count. A store in PostgreSQL uses the
/// same formulas.
package enum StoredSize {
    /// The size of a page of the file, in bytes.
    private static let page = 4_096
    /// The bytes of a row of events without the packed events: its other columns and its index entry.
    private static let row = 104
    /// The minimum number of bytes that a row with overflow pages takes in its table's own page.
    private static let least = 512
    /// The bytes of an epoch's record without its body.
    private static let record = 128
    /// The longest body of a record that needs no page of its own, in bytes.
    private static let shortBody = 256

    /// Returns the bytes that a row of events takes, for this number of packed bytes: whole pages, and a share
    /// of one page for the rest. The share is the page's size divided by the number of such rests that fit.
    package static func row(packed: Int) -> Int {
        let bytes = row + packed
        let pages = bytes / page
        let rest = max(bytes % page, pages > 0 ? least : 1)
        return pages * page + (rest > page / 2 ? page : page / (page / rest))
    }

    /// Returns the bytes that an epoch's record takes, for this length of its body. Records without a body
    /// are few and short, and count as nothing.
    static func record(body: Int) -> Int {
        body == 0 ? 0 : body + record + (body > shortBody ? page : 0)
    }
}

extension GroupID {
    /// The beginning of the id, which is enough for people to tell a server's groups apart.
    package var short: String { String(text.prefix(8)) }
}
