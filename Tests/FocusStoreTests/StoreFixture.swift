import FocusCore
import FocusStore
import Synchronization
import TestSupport

/// A device's database in a folder of its own.
struct StoreFixture {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    var path: String { folder.file("focus.db") }

    /// Opens another connection to the database. Its fresh replicas are 0xF0, 0xF1, …
    func open(_ access: DeviceStore.Access = .writing) throws -> DeviceStore {
        let replicas = Mutex(FreshReplicas())
        return try DeviceStore(path: path, access: access) { replicas.withLock { $0.next() } }
    }

    /// Opens a connection with random fresh replicas, which are the same for the same seed.
    func open(seed: UInt64) throws -> DeviceStore {
        let random = Mutex(SeededGenerator(seed: seed))
        return try DeviceStore(path: path) { ReplicaID(rawValue: random.withLock { $0.next() }) }
    }
}

private struct FreshReplicas {
    private var last: UInt64 = 0xEF

    mutating func next() -> ReplicaID {
        last += 1
        return ReplicaID(rawValue: last)
    }
}

extension StoredEvent {
    /// Creates a group's event with the plain encoding of its action.
    init(_ event: Event, epoch: EpochID? = .one, chain: Chain?) {
        self.init(
            id: event.id, stamp: event.stamp, epoch: epoch, chain: chain,
            body: .plain(event.action.encoded()))
    }
}

extension StoredEvent {
    /// Creates an event of the first epoch, without a chain.
    init(_ replica: ReplicaID, _ seq: UInt64, _ stamp: Stamp, _ body: Body) {
        self.init(
            id: EventID(replica: replica, seq: seq), stamp: stamp, epoch: .one, chain: nil, body: body)
    }
}

extension EpochID {
    static let one = EpochID(rawValue: 1)
    static let two = EpochID(rawValue: 0xFFFF_0000_0000_0002)
}

extension Array<Event> {
    /// The events in the order in which a server sends them: by replica and seq.
    var stored: [StoredEvent] { sorted { $0.id < $1.id }.map { StoredEvent($0, epoch: .one) } }
}

extension DeviceStore {
    /// Returns the events that can be read, in replay order.
    func allEvents() throws -> [Event] { try allStoredEvents().compactMap(\.event) }

    /// Writes events with these actions at `now`, and returns them.
    @discardableResult
    func press(_ actions: Action..., at now: SharedInstant) throws -> [Event] {
        try author(now: now) { authoring in
            for action in actions { try authoring.write(action) }
        }.events
    }
}
