import ClientSupport
import FocusCore
import FocusSeal
import FocusStore
import FocusSync
import TestSupport
import Testing

@testable import FocusDevice
@testable import FocusLink

@Suite("A laptop that was away while the group's key changed")
struct CatchingUpTests {
    private let group = GroupID(high: 1, low: 2)

    /// Returns the key that follows `key` when a device is revoked, and its record. The key is only for
    /// `device`.
    private func successor(
        of key: EpochKey, for device: AgreementKey, without revoked: Digest
    ) throws -> (EpochKey, EpochRecord) {
        let making = EpochBody.Inputs(
            group: group, predecessor: key, otherKeys: [],
            devices: [try device.publicKey.hash(): device.publicKey], revoked: [revoked])
        let (next, body) = try EpochBody.make(making, SecretBytes.random)
        return (next, EpochRecord(epoch: next.epoch, predecessor: key.epoch, body: body.bytes))
    }

    @Test("adopts all the records that it missed, in whatever pieces they come")
    func manyRecords() throws {
        let home = TemporaryHome()
        let now: SharedInstant = 1_763_661_600_000
        let context = TestContext(home: home.path, now: now)
        let store = try Device(context.machine).store
        var key = try EpochKey(SecretBytes(Array(0..<32)))
        try store.enter(group, StoredEpoch(id: key.epoch, key: Array(0..<32), predecessor: nil))
        let own = try AgreementKey(number: SecretBytes(Array(repeating: 1, count: 32)))
        var records: [EpochRecord] = []
        for number in 0..<60 {
            let revoked = try #require(Digest(bytes: [UInt8](repeating: UInt8(number + 9), count: 32)))
            let (next, record) = try successor(of: key, for: own, without: revoked)
            records.append(record)
            key = next
        }

        let observer = NoticeListener()
        let server = SilentServer()
        let time = VirtualTime(context)
        let log = try #require(try SealedLog(store))
        let driver = try SyncDriver(
            .sync(log), by: [{ _ in server }],
            secrets: DeviceSecrets(own, random: Platform.process.random), pace: .afterAWhile, store: store,
            clock: ClockEstimate(offset: .zero), time: time, observer: observer)
        driver.reach(server)
        var bytes = SyncDriver.welcome(to: group, having: records.map(\.epoch).sorted())
        for record in records { bytes += Message.epoch(record).encoded() }
        while !bytes.isEmpty {
            driver.received(Array(bytes.prefix(3_000)), on: server)
            bytes.removeFirst(min(3_000, bytes.count))
        }
        #expect(observer.end == nil)
        #expect(try store.epochs().map(\.id).last == key.epoch)
        #expect(try store.epochs().count == 61)

        // A record that arrives later, by itself, is adopted at once.
        let shutOut = try #require(Digest(bytes: [UInt8](repeating: 200, count: 32)))
        let (next, record) = try successor(of: key, for: own, without: shutOut)
        driver.received(Message.epoch(record).encoded(), on: server)
        #expect(try store.epochs().last?.id == next.epoch)
        driver.leave()
    }

    @Test("connects again for a record that was spoilt on the way, once a later one shows that it was")
    func spoiltOnTheWay() throws {
        let home = TemporaryHome()
        let context = TestContext(home: home.path, now: 1_763_661_600_000)
        let store = try Device(context.machine).store
        let key = try EpochKey(SecretBytes(Array(0..<32)))
        try store.enter(group, StoredEpoch(id: key.epoch, key: Array(0..<32), predecessor: nil))
        let own = try AgreementKey(number: SecretBytes(Array(repeating: 1, count: 32)))
        let other = try AgreementKey(number: SecretBytes(Array(repeating: 2, count: 32)))
        let revoked = try #require(Digest(bytes: [UInt8](repeating: 9, count: 32)))
        // Two epochs that were made for another device, then one that was made for this laptop too.
        let (first, before) = try successor(of: key, for: other, without: revoked)
        let (second, beside) = try successor(of: first, for: other, without: revoked)
        let (third, last) = try successor(of: second, for: own, without: revoked)
        var spoilt = beside.body
        spoilt[spoilt.count - 1] ^= 1
        let damaged = EpochRecord(epoch: beside.epoch, predecessor: beside.predecessor, body: spoilt)

        let observer = NoticeListener()
        /// Connects a laptop, which receives these records. Returns the messages that the laptop sends.
        func connection(
            _ records: [EpochRecord], named: [EpochRecord]
        ) throws -> [Message] {
            let server = SilentServer()
            let driver = try SyncDriver(
                .sync(#require(try SealedLog(store))), by: [{ _ in server }],
                secrets: DeviceSecrets(own, random: Platform.process.random), pace: .afterAWhile,
                store: store, clock: ClockEstimate(offset: .zero),
                time: VirtualTime(context), observer: observer)
            driver.reach(server)
            driver.received(SyncDriver.welcome(to: group, having: named.map(\.epoch).sorted()), on: server)
            for record in records { driver.received(Message.epoch(record).encoded(), on: server) }
            var decoder = FrameDecoder()
            for bytes in server.told { decoder.append(bytes[...]) }
            var messages: [Message] = []
            while let frame = try decoder.next() { messages.append(try Message(frame)) }
            return messages
        }
        func had(_ messages: [Message]) -> [EpochID]? {
            messages.lazy.compactMap { if case .have(let have) = $0 { have.epochs } else { nil } }.first
        }

        #expect(try !connection([before, damaged], named: [before, damaged]).contains(.bye))
        let found = try connection([last], named: [before, damaged, last])
        #expect(had(found).map(Set.init) == [before.epoch, beside.epoch])
        #expect(found.contains(.bye))
        // The record is damaged again: another connection would bring nothing.
        let again = try connection([damaged, last], named: [before, damaged, last])
        #expect(had(again) == [before.epoch])
        #expect(!again.contains(.bye))
        let mended = try connection([beside, last], named: [before, beside, last])
        #expect(had(mended) == [before.epoch])
        #expect(!mended.contains(.bye))
        #expect(try store.epochs().last?.id == third.epoch)
    }
}
