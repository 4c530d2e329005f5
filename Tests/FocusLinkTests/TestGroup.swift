import FocusCore
import FocusDevice
import FocusSeal
import FocusStore
import FocusSync
import Testing

@testable import FocusLink

/// The group of these tests: its first key, and devices with keys that are made from a byte.
enum TestGroup {
    static let id = GroupID(high: 1, low: 2)

    /// Returns the key of the first epoch: that of docs/protocol.md, "Test vectors".
    static func key() throws -> EpochKey { try EpochKey(SecretBytes(Array(0..<32))) }

    /// Puts a laptop into the group.
    static func enter(_ store: DeviceStore) throws {
        try store.enter(id, StoredEpoch(id: key().epoch, key: Array(0..<32), predecessor: nil))
    }

    /// Returns a device's own key. The tests' laptop has the first one.
    static func device(_ byte: UInt8 = 1) throws -> AgreementKey {
        try AgreementKey(number: SecretBytes(Array(repeating: byte, count: 32)))
    }

    /// Makes an epoch for a device, after the first one.
    static func nextEpoch(
        for device: AgreementKey, without revoked: Set<Digest> = []
    ) throws -> (key: EpochKey, record: EpochRecord) {
        let first = try key()
        let making = EpochBody.Inputs(
            group: id, predecessor: first, otherKeys: [],
            devices: [try device.publicKey.hash(): device.publicKey], revoked: revoked)
        let (next, body) = try EpochBody.make(making, SecretBytes.random)
        return (next, EpochRecord(epoch: next.epoch, predecessor: first.epoch, body: body.bytes))
    }
}

extension SyncDriver {
    /// Creates a connection of the tests' laptop to a server.
    static func connecting(
        to server: SilentServer, _ store: DeviceStore, _ time: any Scheduler, _ observer: NoticeListener
    ) throws -> SyncDriver {
        try SyncDriver(
            .sync(try #require(try SealedLog(store))), by: [{ _ in server }],
            secrets: DeviceSecrets(TestGroup.device(), random: Platform.process.random),
            pace: .afterAWhile, store: store,
            clock: ClockEstimate(offset: .milliseconds(1_763_661_600_000)), time: time, observer: observer)
    }
}
