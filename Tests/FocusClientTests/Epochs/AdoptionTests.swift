import FocusClient
import FocusCore
import FocusSeal
import FocusStore
import Testing

@Suite("A group's keys on a laptop")
struct AdoptionTests {
    private let home = TemporaryHome()
    private let group = GroupID(high: 1, low: 2)
    private let now: Int64 = 1_763_661_600_000

    @Test("what can't be read yet is said, and opened once its key comes; then it is written under that")
    func opening() throws {
        let device = try Device(TestContext(home: home.path, now: now).context)
        let store = device.store
        let first = try EpochKey(SecretBytes(Array(0..<32)))
        try store.enter(group, StoredEpoch(id: first.epoch, key: Array(0..<32), predecessor: nil))
        let own = try AgreementKey(number: SecretBytes(Array(repeating: 1, count: 32)))
        let shutOut = try AgreementKey(number: SecretBytes(Array(repeating: 2, count: 32))).publicKey.hash()
        let making = EpochBody.Making(
            group: group, predecessor: first, beside: [],
            devices: [try own.publicKey.hash(): own.publicKey], revoked: [shutOut])
        let (key, body) = try EpochBody.make(making, SecretBytes.random)

        let stamp = try #require(Stamp(milliseconds: now - 1_000, counter: 0))
        let event = Event(
            replica: ReplicaID(rawValue: 7), seq: 1, stamp: stamp, action: .device(name: "desk", key: nil))
        let sealed = try Sealer(group: group, keys: [key]).seal(event, epoch: key.epoch)
        let stored = StoredEvent(
            id: event.id, stamp: stamp, epoch: key.epoch, chain: nil, body: .sealed(sealed.body))
        _ = try store.merge([stored], acknowledged: true)
        #expect(try device.troubles(store.state(), at: now) == [.unreadable(1)])
        let log = try #require(try GroupLog(store))
        #expect(try log.adopt(with: own).opened == 0)

        try store.keep(StoredEpochRecord(id: key.epoch, predecessor: first.epoch, body: body.bytes))
        let adoption = try log.adopt(with: own)
        #expect(adoption.isNew)
        #expect(adoption.opened == 1)
        #expect(try store.state().devices[event.id.replica]?.name == "desk")
        #expect(try device.troubles(store.state(), at: now) == [])
        // Whom the record was made without is shut out, whatever the server lists.
        #expect(try store.devices() == [StoredDevice(key: shutOut, isRevoked: true)])
        _ = try device.perform(.start(label: nil))
        let replica = try #require(try store.ownReplicas().last)
        #expect(try store.lastEpoch(of: replica) == key.epoch)
        #expect(try log.segment(of: replica, from: 1, bytes: 1 << 16) == nil)
        _ = try log.vector()
        #expect(try log.segment(of: replica, from: 1, bytes: 1 << 16) != nil)
    }
}
