import FocusCore
import FocusSeal
import FocusStore
import FocusSync

@testable import FocusDevice

/// The members of a group by a plain reading of docs/protocol.md ("Epochs and revocations"), without forks.
/// The inputs are all events and records that a laptop can read, its server's list, and the acceptances on
/// the laptop.
struct NaiveGroup {
    private let events: [(event: Event, epoch: EpochID?)]
    private let records: [(epoch: EpochID, body: EpochBody)]
    private let refused: Set<Digest>
    private let acceptances: [Digest: EventID?]

    /// - Parameters:
    ///   - keys: The epochs of the keys that the laptop began with.
    ///   - refused: The devices that a server has called revoked.
    ///   - acceptances: The devices that a person has accepted, with the log's ruling on each at that time.
    init(
        of store: DeviceStore, with keys: Set<EpochID>, as own: Digest, refused: Set<Digest>,
        acceptances: [Digest: EventID?]
    ) throws {
        var events: [(Event, EpochID?)] = []
        try store.forEachStoredEvent { stored in
            if let event = stored.event { events.append((event, stored.epoch)) }
        }
        self.events = events.sorted { $0.0.position < $1.0.position }
        self.refused = refused
        self.acceptances = acceptances
        let all = try store.epochRecords().map { ($0.epoch, try EpochBody($0.body)) }
        var known = keys
        var count: Int
        repeat {
            count = known.count
            for (epoch, body) in all {
                if body.devices.contains(own) { known.insert(epoch) }
                if known.contains(epoch) { known.formUnion(body.older) }
            }
        } while known.count > count
        records = all.filter { known.contains($0.0) }
    }

    /// The keys that the log names.
    var named: Set<Digest> {
        var names: [ReplicaID: Digest?] = [:]
        for (event, _) in events {
            if case .device(_, let key, _) = event.action {
                names[event.id.replica] = key.flatMap { Digest(hexadecimal: $0) }
            }
        }
        return Set(names.values.compactMap(\.self))
    }

    /// Returns the log's last word on whether a key is revoked, or nil if it has none.
    func ruling(of key: Digest) -> (isRevoked: Bool, event: EventID)? {
        var last: (Bool, EventID)?
        for (event, _) in events {
            if event.action == .revoke(key) { last = (true, event.id) }
            if event.action == .readmit(key), last != nil { last = (false, event.id) }
        }
        return last
    }

    private func isAccepted(_ key: Digest) -> Bool {
        guard let acceptance = acceptances[key] else { return false }
        return acceptance == ruling(of: key)?.event
    }

    /// Whether a trusted record names a key as revoked.
    private func isNamedRevoked(_ key: Digest) -> Bool { records.contains { $0.body.revoked.contains(key) } }

    /// The epochs before an epoch that revokes somebody.
    private var outdated: Set<EpochID> {
        var outdated: Set<EpochID> = []
        for _ in records {
            for (epoch, body) in records where !body.revoked.isEmpty || outdated.contains(epoch) {
                outdated.formUnion(body.older)
            }
        }
        return outdated
    }

    private func hasNewerRecord(_ key: Digest) -> Bool {
        records.contains { !outdated.contains($0.epoch) && $0.body.devices.contains(key) }
    }

    /// Returns the epochs of a device's newest events, one for each of its replicas.
    private func lastEpochs(of key: Digest) -> Set<EpochID> {
        var names: [ReplicaID: Digest?] = [:]
        var epochs: [ReplicaID: EpochID?] = [:]
        for (event, epoch) in events {
            if case .device(_, let key, _) = event.action {
                names[event.id.replica] = key.flatMap { Digest(hexadecimal: $0) }
            }
            epochs[event.id.replica] = epoch
        }
        return Set(epochs.filter { names[$0.key] == key }.values.compactMap(\.self))
    }

    /// Returns a key's status in the group.
    func status(of key: Digest) -> KeyStatus {
        switch ruling(of: key)?.isRevoked {
        case true?: return .revoked
        case false?:
            let isBack = isAccepted(key) || isNamedRevoked(key) && hasNewerRecord(key)
            if !isBack { return .readmitted }
        case nil: if refused.contains(key) || isNamedRevoked(key) { return .revoked }
        }
        guard named.contains(key) else { return .listed }
        let isOld = !outdated.isEmpty && !hasNewerRecord(key) && lastEpochs(of: key).isSubset(of: outdated)
        return isOld && !isAccepted(key) ? .late : .member
    }

    /// Returns the keys that the next epoch's record names as revoked.
    func leftOut(of keys: Set<Digest>) -> Set<Digest> {
        keys.filter { key in
            switch status(of: key) {
            case .revoked: true
            case .readmitted: !isNamedRevoked(key)
            case .member, .late, .listed: false
            }
        }
    }
}
